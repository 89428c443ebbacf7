// Keepers of the C API, with the files to which some of their quantities are written.
#pragma once

#include "capi/common.hpp"
#include "capi/draws_file.hpp"
#include "lib/study/keep.hpp"

namespace nnp {

struct KeeperObject {
  Keeper *keeper;
  DrawsFile *files[max_kept];  // null: in memory, or nowhere
  int32_t held;                // 1 while a run holds it
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
    return fail(err, Status::unsupported,
                "keeper: another run is using it, expected one keeper for each");
  }

 private:
  KeeperObject *keeper_;
  bool held_ = false;
};

// Checks a keeper, and the number of one of its quantities.
Status need_kept(const nnp_keeper *keeper, int64_t index, Error *err);

// Fails unless chains and keeper match, and there is room for this many draws.
Status check_keeper(const KeeperObject &keeper, nnp_chain *const *chains, int64_t chain_count,
                    int64_t draws, Error *err);
void begin_keeping(KeeperObject &keeper, nnp_chain *const *chains);
// Takes a draw of chain `index`. If rows are spread over ranks, all of them take it or none.
Status keep_draw(KeeperObject &keeper, int64_t index, const Chain &chain, Error *err);

}  // namespace nnp
