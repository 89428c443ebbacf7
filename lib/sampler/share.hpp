// Chains over ranks: what all ranks must agree on before they run, and how a chain that one rank
// has run is sent to the others.
#pragma once

#include "lib/comm/comm.hpp"
#include "lib/sampler/chain.hpp"

namespace nnp {

// Collects what ranks must agree on, chain by chain. Data are hashed once for all chains that use
// them.
struct CommonChains {
  Common common;
  const Data *data = nullptr;  // the data hashed last

  explicit CommonChains(const Comm &comm) {
    common.version = comm.version;
    with(comm.size).with(comm.checked);  // the messages that follow depend on these
  }
  // Adds a chain. `standing`: its current state must agree as well.
  void add(Chain &chain, bool standing);
  // Adds values of the call: which function it is, and its arguments.
  template <class T>
  CommonChains &with(T value) {
    common.call = hash_value(common.call, value);
    return *this;
  }
};

// The library function that the ranks have called.
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

// Sends everything of a chain that a save contains, and its record from entry `recorded` on.
Status share_chain(Carrier &carrier, Chain &chain, int64_t recorded, Error *err);

// After shared work: fails if something has not arrived or, in checked mode, if ranks have
// different results. `what` is "chain" or "level", `index` its number.
Status agree_on_results(const Carrier &carrier, const char *what, int64_t index, Error *err);

}  // namespace nnp
