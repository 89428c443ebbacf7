// Communicators of the C API: the caller's, teams of threads, folders.
#include "lib/comm/comm.hpp"

#include <cmath>

#include "capi/common.hpp"
#include "lib/comm/folder.hpp"
#include "lib/comm/team.hpp"

namespace nnp {

struct TeamObject {
  Team *team;
};
struct FolderObject {
  Folder folder;
};

static TeamObject *unwrap(nnp_team *team) {
  return reinterpret_cast<TeamObject *>(team);
}
static FolderObject *unwrap(nnp_folder *folder) {
  return reinterpret_cast<FolderObject *>(folder);
}

}  // namespace nnp

using namespace nnp;

namespace {

nnp_comm public_comm(const Comm &comm) {
  nnp_comm out = {};
  out.rank = comm.rank;
  out.size = comm.size;
  out.allgather = comm.allgather;
  out.broadcast = comm.broadcast;
  out.exchange = comm.exchange;
  out.abort = comm.abort;
  out.user = comm.user;
  return out;
}

Status check_comm(const nnp_comm &comm, Error *e) {
  NNP_TRY(need_index(comm.size, 1, max_ranks, "comm: size", e));
  NNP_TRY(need_index(comm.rank, 0, comm.size - 1, "comm: rank", e));
  NNP_TRY(need_flag(comm.checked, "comm: checked", e));
  NNP_TRY(need_unused(&comm.reserved_int, 1, "comm", e));
  NNP_TRY(need_unused(comm.reserved, 4, "comm", e));
  if (comm.size == 1) return Status::ok;
  if (comm.allgather && comm.broadcast && comm.exchange) return Status::ok;
  return fail(e, Status::null_argument,
              "comm: %s is NULL, expected a function, since there are %d ranks",
              !comm.allgather   ? "allgather"
              : !comm.broadcast ? "broadcast"
                                : "exchange",
              static_cast<int>(comm.size));
}

Comm internal_comm(const nnp_comm &comm) {
  Comm out;
  out.rank = comm.rank;
  out.size = comm.size;
  out.checked = comm.checked == 1;
  out.allgather = comm.allgather;
  out.broadcast = comm.broadcast;
  out.exchange = comm.exchange;
  out.abort = comm.abort;
  out.user = comm.user;
  out.version = hash_bytes(hash_start, NNP_VERSION, sizeof NNP_VERSION);
  return out;
}

// ---- teams -----------------------------------------------------------------------------------

auto layout_for(nnp_team **team, TeamObject **made, int32_t ranks) {
  return [=](Arena &arena) {
    TeamObject *object = arena.take<TeamObject>(1);
    Team *inner = team_layout(arena, ranks);
    if (!object) return;
    *object = TeamObject{inner};
    *made = object;
    *team = reinterpret_cast<nnp_team *>(object);
  };
}

Status check_team(const void *out, const char *name, int64_t ranks, Error *e) {
  NNP_TRY(need(out, name, e));
  return need_index(ranks, 1, max_ranks, "ranks", e);
}

// ---- folders ---------------------------------------------------------------------------------

constexpr double longest_patience = 1e9;

struct FolderPlan {
  const char *path;
  int64_t rank, size;
  double patience;
};

auto layout_for(FolderObject **made, int64_t size) {
  return [=](Arena &arena) {
    FolderObject *object = arena.take<FolderObject>(1);
    uint64_t *sent = arena.take<uint64_t>(size);
    if (!object) return;
    *object = FolderObject{};
    object->folder.sent = sent;
    *made = object;
  };
}

Status check_folder(const FolderPlan &plan, Error *e) {
  NNP_TRY(need(plan.path, "path", e));
  const size_t length = std::strlen(plan.path);
  if (length == 0 || length >= max_folder_path)
    return fail(e, Status::bad_size, "path: it has %zu characters, expected 1 to %zu", length,
                max_folder_path - 1);
  NNP_TRY(need_index(plan.size, 1, max_ranks, "size", e));
  NNP_TRY(need_index(plan.rank, 0, plan.size - 1, "rank", e));
  if (plan.patience > 0 && plan.patience <= longest_patience) return Status::ok;
  return fail(e, Status::bad_value, "patience = %g: expected more than 0, and at most %g seconds",
              plan.patience, longest_patience);
}

Status open_folder(FolderObject &object, const FolderPlan &plan, Error *e) {
  object.folder.rank = static_cast<int32_t>(plan.rank);
  object.folder.size = static_cast<int32_t>(plan.size);
  object.folder.patience = plan.patience;
  return folder_open(object.folder, plan.path, e);
}

}  // namespace

Status nnp::take_comm(const nnp_comm *comm, Comm *out, Error *e) {
  if (comm) NNP_TRY(check_comm(*comm, e));
  *out = comm ? internal_comm(*comm) : Comm{};
  return Status::ok;
}

int32_t nnp_chain_use_comm(nnp_chain *chain, const nnp_comm *comm, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need_free(chain, e));
    Comm taken;
    NNP_TRY(take_comm(comm, &taken, e));
    if (!taken.alone() && unwrap(chain)->chain->state.rows())
      return fail(e, Status::unsupported,
                  "comm: the rows of this chain are spread over %d ranks already, expected data "
                  "made by nnp_data_create to share chains between ranks",
                  static_cast<int>(unwrap(chain)->chain->state.rows()->comm.size));
    unwrap(chain)->chain->comm = taken;
    return Status::ok;
  });
}

int32_t nnp_team_create(nnp_team **team, int64_t ranks, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    TeamObject *made = nullptr;
    nnp_team *out = nullptr;
    NNP_TRY(check_team(team, "team", ranks, e));
    NNP_TRY(build_on_heap(layout_for(&out, &made, static_cast<int32_t>(ranks)), e));
    const Status status = team_open(made->team, static_cast<int32_t>(ranks), e);
    if (status != Status::ok)
      nnp::free_block(made);
    else
      *team = out;
    return status;
  });
}

void nnp_team_free(nnp_team *team) {
  nnp_team_close(team);
  nnp::free_block(team);
}

int32_t nnp_team_bytes(int64_t ranks, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(check_team(bytes, "bytes", ranks, e));
    return count_bytes(layout_for(nullptr, nullptr, static_cast<int32_t>(ranks)), bytes, e);
  });
}

int32_t nnp_team_init(nnp_team **team, void *memory, size_t bytes, int64_t ranks, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    TeamObject *made = nullptr;
    nnp_team *out = nullptr;
    NNP_TRY(check_team(team, "team", ranks, e));
    NNP_TRY(build_in(memory, bytes, layout_for(&out, &made, static_cast<int32_t>(ranks)), e));
    NNP_TRY(team_open(made->team, static_cast<int32_t>(ranks), e));
    *team = out;
    return Status::ok;
  });
}

void nnp_team_close(nnp_team *team) {
  if (team) team_close(unwrap(team)->team);
}

int32_t nnp_team_comm(nnp_team *team, int64_t rank, nnp_comm *comm, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(team, "team", e));
    NNP_TRY(need(comm, "comm", e));
    Team *inner = unwrap(team)->team;
    NNP_TRY(need_index(rank, 0, team_size(inner) - 1, "rank", e));
    *comm = public_comm(team_comm(inner, static_cast<int32_t>(rank)));
    return Status::ok;
  });
}

int32_t nnp_folder_create(nnp_folder **folder, const char *path, int64_t rank, int64_t size,
                          double patience, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const FolderPlan plan = {path, rank, size, patience};
    FolderObject *made = nullptr;
    NNP_TRY(need(folder, "folder", e));
    NNP_TRY(check_folder(plan, e));
    NNP_TRY(build_on_heap(layout_for(&made, size), e));
    const Status status = open_folder(*made, plan, e);
    if (status != Status::ok)
      nnp::free_block(made);
    else
      *folder = reinterpret_cast<nnp_folder *>(made);
    return status;
  });
}

void nnp_folder_free(nnp_folder *folder) {
  nnp::free_block(folder);
}

int32_t nnp_folder_bytes(int64_t size, size_t *bytes, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(bytes, "bytes", e));
    NNP_TRY(need_index(size, 1, max_ranks, "size", e));
    return count_bytes(layout_for(nullptr, size), bytes, e);
  });
}

int32_t nnp_folder_init(nnp_folder **folder, void *memory, size_t bytes, const char *path,
                        int64_t rank, int64_t size, double patience, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    const FolderPlan plan = {path, rank, size, patience};
    FolderObject *made = nullptr;
    NNP_TRY(need(folder, "folder", e));
    NNP_TRY(check_folder(plan, e));
    NNP_TRY(build_in(memory, bytes, layout_for(&made, size), e));
    NNP_TRY(open_folder(*made, plan, e));
    *folder = reinterpret_cast<nnp_folder *>(made);
    return Status::ok;
  });
}

int32_t nnp_folder_comm(nnp_folder *folder, nnp_comm *comm, nnp_error *err) {
  return guarded(err, [&](Error *e) {
    NNP_TRY(need(folder, "folder", e));
    NNP_TRY(need(comm, "comm", e));
    *comm = public_comm(folder_comm(unwrap(folder)->folder));
    return Status::ok;
  });
}
