// Keepers as the C API has them: with the files that some of their quantities go to.
#pragma once

#include "capi/common.hpp"
#include "capi/draws_file.hpp"
#include "lib/study/keep.hpp"

namespace nnp {

struct KeeperObject {
  Keeper *keeper;
  DrawsFile *files[max_kept];  // null: in memory, or nowhere
  int32_t held;                // 1 while a run has it
};

inline KeeperObject *unwrap(nnp_keeper *keeper) {
  return reinterpret_cast<KeeperObject *>(keeper);
}
inline const KeeperObject *unwrap(const nnp_keeper *keeper) {
  return reinterpret_cast<const KeeperObject *>(keeper);
}
inline DrawsFile *unwrap(nnp_draws_file *file) {
  return reinterpret_cast<DrawsFile *>(file);
}
inline const DrawsFile *unwrap(const nnp_draws_file *file) {
  return reinterpret_cast<const DrawsFile *>(file);
}

// Holds a keeper, if there is one, until it goes out of scope.
class KeeperHold {
 public:
  explicit KeeperHold(KeeperObject *keeper) : keeper_(keeper) {}
  ~KeeperHold() {
    if (held_) __atomic_store_n(&keeper_->held, 0, __ATOMIC_RELEASE);
  }
  KeeperHold(const KeeperHold &) = delete;
  KeeperHold &operator=(const KeeperHold &) = delete;

  Status take(Error *err) {
    if (!keeper_) return Status::ok;
    held_ = __atomic_exchange_n(&keeper_->held, 1, __ATOMIC_ACQUIRE) == 0;
    if (held_) return Status::ok;
    return fail(err, Status::unsupported, "keeper: another run has it, expected one for each run");
  }

 private:
  KeeperObject *keeper_;
  bool held_ = false;
};

// A keeper, and the number of one of its quantities.
Status need_kept(const nnp_keeper *keeper, int64_t index, Error *err);

// Do chains and keeper suit each other, and is there room for so many draws?
Status check_keeper(const KeeperObject &keeper, nnp_chain *const *chains, int64_t chain_count,
                    int64_t draws, Error *err);
void begin_keeping(KeeperObject &keeper, nnp_chain *const *chains);
// A draw of chain number `index`. Where rows are spread over ranks all of them take it, or none.
Status keep_draw(KeeperObject &keeper, int64_t index, const Chain &chain, Error *err);

}  // namespace nnp
