// Chains over ranks: what all ranks must have in common before they run some, and how a chain that
// one rank has run gets to the others.
#pragma once

#include "lib/comm/comm.hpp"
#include "lib/sampler/chain.hpp"

namespace nnp {

// Adds a chain to what ranks must have in common. Data is hashed once for all chains that have it.
struct CommonChains {
  Common common;
  const Data *data = nullptr;  // the last one that was hashed

  explicit CommonChains(const Comm &comm) {
    common.version = comm.version;
    with(comm.size).with(comm.checked);  // what they will say to each other depends on these
  }
  // `standing`: what the chain has done so far matters, too.
  void add(Chain &chain, bool standing);
  // Values of the call: which one it is, its arguments.
  template <class T>
  CommonChains &with(T value) {
    common.call = hash_value(common.call, value);
    return *this;
  }
};

// Which call of the library ranks have come to.
enum class RankCall : int32_t {
  run = 1,
  descend = 2,
  multistart = 3,
  twin = 4,
  study = 5,
  exchange_run = 6,
  exchange_tune = 7,
  start = 8,
};

// All of a chain that a save would have, and its record from entry `recorded` on.
Status share_chain(Carrier &carrier, Chain &chain, int64_t recorded, Error *err);

// After work that ranks have shared out: has everything arrived, and in checked mode, has every rank
// come to the same? `what` is "chain" or "level", `index` its number.
Status agree_on_results(const Carrier &carrier, const char *what, int64_t index, Error *err);

}  // namespace nnp
