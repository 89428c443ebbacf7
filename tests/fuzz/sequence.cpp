// Sequences of calls over the whole C API, on a few small objects. Every exported function has a row
// in the table below; tests/fuzz/rows_test.sh compares the table with the library's symbols.
//
// An input: 11 bytes that say with which objects it begins; then for each call two bytes for its row
// (hash_of its name, or any number), one for how many follow, and these: what the row decodes, zeros
// where it wants more. See calls.hpp for the contracts.
// NNPOST_TEST_LOUD=1 tells of every call.
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/fuzz/calls.hpp"
#include "tests/fuzz/ranks.hpp"
#include "tests/fuzz/recipe.hpp"

namespace fuzz {

namespace {

constexpr size_t largest_object = 6u << 20;  // bytes; larger ones are counted only
constexpr int64_t largest_draws = Objects::largest_draws;

// ---- building objects -----------------------------------------------------------------------------

// count(bytes) tells how large, create(out) and init(out, memory, bytes) build. An empty slot if
// nothing was built.
template <class S, class Count, class Create, class Init>
S built(Fuzz &z, bool in_place, Count count, Create create, Init init) {
  S slot;
  decltype(slot.handle) made = nullptr;
  auto **out = z.nothing() ? nullptr : &made;
  size_t needed = 0;
  const int32_t fits = count(&needed);
  if (fits == NNP_OK && needed > largest_object) return slot;
  const int flaw = z.bytes.byte();
  int32_t expected = out ? fits : NNP_E_NULL, status = 0;
  if (in_place) {
    Block block(needed + 64);
    uint8_t *at = static_cast<uint8_t *>(block.memory);
    size_t bytes = needed;
    if (flaw == 250) --bytes, expected = expected ? expected : NNP_E_MEMORY_SIZE;
    if (flaw == 251) at += 8, expected = expected ? expected : NNP_E_MEMORY_ALIGNMENT;
    if (flaw < 250) block = Block(needed), at = static_cast<uint8_t *>(block.memory);
    if (flaw == 252) at = nullptr, expected = expected ? expected : NNP_E_NULL;
    status = init(out, at, bytes);
    if (status == NNP_OK) slot.block = std::move(block);
  } else {
    if (flaw == 250 && expected == NNP_OK) fail_in = 1, expected = NNP_E_OUT_OF_MEMORY;
    status = create(out);
  }
  if (status != expected && status != NNP_E_NULL && status != NNP_E_THREAD)
    broken("%s returned %d, expected %d", z.name, static_cast<int>(status),
           static_cast<int>(expected));
  if ((status == NNP_OK) != (made != nullptr))
    broken("%s returned %d and %s", z.name, static_cast<int>(status), made ? "an object" : "NULL");
  slot.handle = made;
  slot.bytes = needed;
  return slot;
}

template <class S, size_t N>
void keep(Fuzz &z, S (&slots)[N], S &&made) {
  if (!made.handle) return;
  S &slot = slots[z.bytes.below(N)];
  z.live.drop(slot);
  slot = std::move(made);
}

constexpr int64_t default_layers = 256, few_layers = 12;

template <class Create>
void new_net(Fuzz &z, Create create) {
  keep(z, z.live.nets,
       built<NetSlot>(
           z, false, [](size_t *bytes) { return nnp_net_bytes(default_layers, bytes, nullptr); },
           create, [](nnp_net **, void *, size_t) { return 0; }));
}

void net_create(Fuzz &z) {
  const int64_t inputs = z.bytes.size();
  nnp_net *made = nullptr;  // sizes that are refused
  if (inputs < 1 || inputs > 4096) {
    z.call(nnp_net_create, &made, inputs);
    nnp_net_free(made);
    return;
  }
  new_net(z, [&](nnp_net **out) { return z.call(nnp_net_create, out, inputs); });
}

void net_create_image(Fuzz &z) {
  const int64_t c = z.bytes.size(), h = z.bytes.size(), w = z.bytes.size();
  nnp_net *made = nullptr;
  if (std::min({c, h, w}) < 1 || std::max({c, h, w}) > 64) {
    z.call(nnp_net_create_image, &made, c, h, w);
    nnp_net_free(made);
    return;
  }
  new_net(z, [&](nnp_net **out) { return z.call(nnp_net_create_image, out, c, h, w); });
}

void net_init(Fuzz &z) {
  const int64_t inputs = 1 + z.bytes.below(16);
  const auto create = [](nnp_net **) { return 0; };
  keep(z, z.live.nets,
       built<NetSlot>(
           z, true, [](size_t *bytes) { return nnp_net_bytes(few_layers, bytes, nullptr); }, create,
           [&](nnp_net **out, void *memory, size_t bytes) {
             return z.call(nnp_net_init, out, memory, bytes, few_layers, inputs);
           }));
}

void net_copy(Fuzz &z) {
  const nnp_net *net = z.pick(z.live.nets);
  if (!net) {
    z.call(nnp_net_copy, static_cast<nnp_net **>(nullptr), net);
    return;
  }
  new_net(z, [&](nnp_net **out) { return z.call(nnp_net_copy, out, net); });
}

void net_init_copy(Fuzz &z) {
  const nnp_net *net = z.pick(z.live.nets);
  int64_t layers = 0;
  if (net) nnp_net_layers(net, &layers, nullptr);
  const int64_t room = layers + 1 - z.bytes.below(3);
  const auto count = [&](size_t *bytes) {
    const int32_t status = net ? nnp_net_bytes(room, bytes, nullptr) : NNP_E_NULL;
    return status == NNP_OK && room < layers ? NNP_E_NET_FULL : status;
  };
  keep(z, z.live.nets,
       built<NetSlot>(
           z, true, count, [](nnp_net **) { return 0; },
           [&](nnp_net **out, void *memory, size_t bytes) {
             return z.call(nnp_net_init_copy, out, memory, bytes, room, net);
           }));
}

int64_t some_rows(Fuzz &z) {
  constexpr int64_t rows[] = {1, 2, 5, 7, 16, 24, 129, 300};
  const int which = z.bytes.byte();
  return which < 240 ? rows[which % 8 < 6 || which % 32 > 24 ? which % 8 : which % 6]
                     : z.bytes.size();
}

void new_data(Fuzz &z, bool in_place) {
  const int64_t n = some_rows(z), features = z.bytes.size(), outputs = z.bytes.size();
  DataSlot made = built<DataSlot>(
      z, in_place,
      [&](size_t *bytes) { return nnp_data_bytes(n, features, outputs, bytes, nullptr); },
      [&](nnp_data **out) { return z.call(nnp_data_create, out, n, features, outputs); },
      [&](nnp_data **out, void *memory, size_t bytes) {
        return z.call(nnp_data_init, out, memory, bytes, n, features, outputs);
      });
  made.n = n;
  made.features = features;
  made.outputs = outputs;
  keep(z, z.live.data, std::move(made));
}

// Inputs that a sparse or a byte store can take as well.
double *some_inputs(Fuzz &z, int64_t count) {
  const int how = z.bytes.below(4);
  double *x = z.values(count);
  for (int64_t i = 0; x && how > 1 && i < count; ++i) {
    x[i] = std::floor(8 * x[i]) / 8;
    if (how == 3 && i % 8 != 0) x[i] = 0.25;
  }
  return x;
}

nnp_inputs inputs_from(Fuzz &z) {
  nnp_inputs inputs = {};
  inputs.n = some_rows(z);
  inputs.features = 1 + z.bytes.below(24);
  inputs.order = NNP_ROW_MAJOR + z.bytes.below(2);
  inputs.store = z.bytes.rarely(32) ? z.bytes.constant(stores) : NNP_STORE_AUTO + z.bytes.below(6);
  if (inputs.n < 1 || inputs.n > 300) inputs.n = 3;
  inputs.x = some_inputs(z, inputs.n * inputs.features);
  if (z.bytes.rarely(32)) inputs.reserved[z.bytes.below(4)] = z.bytes.size();
  if (z.bytes.rarely(64)) inputs.n = -inputs.n;
  if (z.bytes.rarely(64)) inputs.order = z.bytes.number() | 4;
  return inputs;
}

void new_data_from(Fuzz &z, bool in_place) {
  const nnp_inputs inputs = inputs_from(z);
  const nnp_inputs *given = z.nothing() ? nullptr : &inputs;
  const int64_t outputs = z.bytes.below(4);
  DataSlot made = built<DataSlot>(
      z, in_place,
      [&](size_t *bytes) { return nnp_data_bytes_from(given, outputs, bytes, nullptr); },
      [&](nnp_data **out) { return z.call(nnp_data_create_from, out, given, outputs); },
      [&](nnp_data **out, void *memory, size_t bytes) {
        return z.call(nnp_data_init_from, out, memory, bytes, given, outputs);
      });
  made.n = inputs.n;
  made.features = inputs.features;
  made.outputs = outputs;
  keep(z, z.live.data, std::move(made));
}

// Rows as a rank would have them that is alone, or that has lost the others: see chain_use_comm.
nnp_rows some_part(Fuzz &z) {
  nnp_rows rows = {};
  const int64_t total = some_rows(z),
                blocks = z.bytes.rarely(16) ? z.bytes.size() : z.bytes.below(4);
  nnp_rows_split(nullptr, total, blocks, &rows, nullptr);
  if (z.bytes.rarely(16)) rows.count = z.bytes.size();
  if (z.bytes.rarely(16)) rows.first = z.bytes.size();
  if (z.bytes.rarely(32)) rows.reserved[z.bytes.below(4)] = z.bytes.size();
  return rows;
}

void new_data_rows(Fuzz &z, bool in_place) {
  const nnp_rows rows = some_part(z), *given = z.nothing() ? nullptr : &rows;
  const int64_t features = z.bytes.size(), outputs = z.bytes.size();
  DataSlot made = built<DataSlot>(
      z, in_place,
      [&](size_t *bytes) {
        const int32_t status =
            nnp_data_bytes_rows(given, nullptr, features, outputs, bytes, nullptr);
        // a rank that is alone must have them all
        return status == NNP_OK && rows.count < rows.total ? NNP_E_VALUE : status;
      },
      [&](nnp_data **out) {
        return z.call(nnp_data_create_rows, out, given, static_cast<const nnp_comm *>(nullptr),
                      features, outputs);
      },
      [&](nnp_data **out, void *memory, size_t bytes) {
        return z.call(nnp_data_init_rows, out, memory, bytes, given,
                      static_cast<const nnp_comm *>(nullptr), features, outputs);
      });
  made.n = rows.total;
  made.features = features;
  made.outputs = outputs;
  keep(z, z.live.data, std::move(made));
}

void new_pool(Fuzz &z, bool in_place) {
  const int64_t threads = z.bytes.rarely(16) ? z.bytes.size() : 1 + z.bytes.below(3);
  const auto count = [&](size_t *bytes) { return nnp_pool_bytes(threads, bytes, nullptr); };
  if (threads > 4) return;
  PoolSlot made = built<PoolSlot>(
      z, in_place, count, [&](nnp_pool **out) { return z.call(nnp_pool_create, out, threads); },
      [&](nnp_pool **out, void *memory, size_t bytes) {
        return z.call(nnp_pool_init, out, memory, bytes, threads);
      });
  keep(z, z.live.pools, std::move(made));
}

int32_t posterior_of(Fuzz &z) {
  return z.bytes.rarely(32) ? z.bytes.constant(posteriors) : NNP_INTERMEDIATE + z.bytes.below(2);
}

void new_chain(Fuzz &z, bool in_place) {
  NetSlot &net = z.some(z.live.nets);
  DataSlot &data = z.some(z.live.data);
  const int32_t sampler =
      z.bytes.rarely(32) ? z.bytes.constant(samplers) : NNP_GIBBS + z.bytes.below(4);
  const int32_t posterior = posterior_of(z);
  nnp_net *n = z.nothing() ? nullptr : net.handle;
  ChainSlot made = built<ChainSlot>(
      z, in_place,
      [&](size_t *bytes) {
        return nnp_chain_bytes(n, data.handle, sampler, posterior, bytes, nullptr);
      },
      [&](nnp_chain **out) {
        return z.call(nnp_chain_create, out, n, data.handle, sampler, posterior);
      },
      [&](nnp_chain **out, void *memory, size_t bytes) {
        return z.call(nnp_chain_init, out, memory, bytes, n, data.handle, sampler, posterior);
      });
  if (!made.handle) return;
  made.sizes = sizes_of(n);
  made.n = data.n;
  made.data = z.number_of(data.handle);
  made.sampler = sampler;
  made.posterior = posterior;
  nnp_chain_variables(made.handle, &made.variables, nullptr);
  make_short(made.handle, sampler);
  made.net = copied_to(made.net_block, n);
  keep(z, z.live.chains, std::move(made));
}

void new_predictor(Fuzz &z, bool in_place) {
  const nnp_net *net = z.pick(z.live.nets);
  const int64_t draws = z.bytes.rarely(16) ? z.bytes.size() : z.bytes.below(8);
  PredictorSlot made = built<PredictorSlot>(
      z, in_place, [&](size_t *bytes) { return nnp_predictor_bytes(net, draws, bytes, nullptr); },
      [&](nnp_predictor **out) { return z.call(nnp_predictor_create, out, net, draws); },
      [&](nnp_predictor **out, void *memory, size_t bytes) {
        return z.call(nnp_predictor_init, out, memory, bytes, net, draws);
      });
  if (made.handle) made.sizes = sizes_of(net);
  made.max_draws = draws;
  keep(z, z.live.predictors, std::move(made));
}

void new_teacher(Fuzz &z, bool in_place) {
  const nnp_net *net = z.pick(z.live.nets);
  const int32_t posterior = posterior_of(z);
  const uint64_t seed = z.bytes.byte(), number = z.bytes.byte();
  const auto count = [&](size_t *bytes) {
    const int32_t status = nnp_teacher_bytes(net, bytes, nullptr);
    const bool known = posterior == NNP_INTERMEDIATE || posterior == NNP_CLASSICAL;
    return status == NNP_OK && !known ? NNP_E_ENUM : status;
  };
  TeacherSlot made = built<TeacherSlot>(
      z, in_place, count,
      [&](nnp_teacher **out) {
        return z.call(nnp_teacher_create, out, net, posterior, seed, number);
      },
      [&](nnp_teacher **out, void *memory, size_t bytes) {
        return z.call(nnp_teacher_init, out, memory, bytes, net, posterior, seed, number);
      });
  if (made.handle) made.sizes = sizes_of(net);
  keep(z, z.live.teachers, std::move(made));
}

// Some of the chains, in some order; perhaps one twice, or none.
struct Group {
  nnp_chain *chains[3];
  nnp_chain *const *given;
  int64_t count;
  Sizes sizes;  // the largest
  int64_t rows = 0;
};

Group some_chains(Fuzz &z) {
  Group group = {};
  group.count = 1 + z.bytes.below(3);
  int first = z.bytes.below(3);
  for (int64_t i = 0; i < group.count; ++i) {
    ChainSlot *slot = &z.live.chains[(first + i) % 3];
    for (int k = 0; k < 3 && !slot->handle; ++k) slot = &z.live.chains[++first % 3];
    group.chains[i] = slot->handle;
    group.sizes.parameters = std::max(group.sizes.parameters, slot->sizes.parameters);
    group.rows = std::max(group.rows, slot->n);
    z.also(slot->handle);
  }
  if (z.bytes.rarely(32)) group.chains[group.count - 1] = group.chains[0];
  if (z.bytes.rarely(32)) group.count = z.bytes.size();
  if (group.count > 3) group.count = 3;
  group.given = z.nothing() ? nullptr : group.chains;
  return group;
}

void new_study(Fuzz &z, bool in_place) {
  z.live.drop_groups();
  const Group group = some_chains(z);
  const nnp_data *test = z.bytes.rarely(3) ? nullptr : z.pick(z.live.data);
  const int64_t capacity = z.bytes.rarely(16) ? z.bytes.size() : 512;
  StudySlot made = built<StudySlot>(
      z, in_place,
      [&](size_t *bytes) {
        return nnp_study_bytes(group.given, group.count, test, capacity, bytes, nullptr);
      },
      [&](nnp_study **out) {
        return z.call(nnp_study_create, out, group.given, group.count, test, capacity);
      },
      [&](nnp_study **out, void *memory, size_t bytes) {
        return z.call(nnp_study_init, out, memory, bytes, group.given, group.count, test, capacity);
      });
  made.chains = group.count;
  if (made.handle) nnp_study_set(made.handle, NNP_STUDY_STEPS, 40, nullptr);
  keep(z, z.live.studies, std::move(made));
}

void new_multistart(Fuzz &z, bool in_place) {
  z.live.drop_groups();
  const Group group = some_chains(z);
  MultistartSlot made = built<MultistartSlot>(
      z, in_place,
      [&](size_t *bytes) { return nnp_multistart_bytes(group.given, group.count, bytes, nullptr); },
      [&](nnp_multistart **out) {
        return z.call(nnp_multistart_create, out, group.given, group.count);
      },
      [&](nnp_multistart **out, void *memory, size_t bytes) {
        return z.call(nnp_multistart_init, out, memory, bytes, group.given, group.count);
      });
  made.chains = group.count;
  // as few as attempts need to be judged
  if (made.handle) nnp_multistart_set(made.handle, NNP_MULTISTART_SHARE, 0.97, nullptr);
  if (made.handle) nnp_multistart_set(made.handle, NNP_MULTISTART_STEPS, 200, nullptr);
  keep(z, z.live.multistarts, std::move(made));
}

void new_twin(Fuzz &z, bool in_place) {
  z.live.drop_groups();
  nnp_chain *chain = z.pick(z.live.chains);
  TwinSlot made = built<TwinSlot>(
      z, in_place, [&](size_t *bytes) { return nnp_twin_bytes(chain, bytes, nullptr); },
      [&](nnp_twin **out) { return z.call(nnp_twin_create, out, chain); },
      [&](nnp_twin **out, void *memory, size_t bytes) {
        return z.call(nnp_twin_init, out, memory, bytes, chain);
      });
  keep(z, z.live.twins, std::move(made));
}

void new_exchange(Fuzz &z, bool in_place) {
  z.live.drop_groups();
  const Group group = some_chains(z);
  ExchangeSlot made = built<ExchangeSlot>(
      z, in_place,
      [&](size_t *bytes) { return nnp_exchange_bytes(group.given, group.count, bytes, nullptr); },
      [&](nnp_exchange **out) {
        return z.call(nnp_exchange_create, out, group.given, group.count);
      },
      [&](nnp_exchange **out, void *memory, size_t bytes) {
        return z.call(nnp_exchange_init, out, memory, bytes, group.given, group.count);
      });
  made.chains = group.count;
  made.parameters = group.sizes.parameters;
  if (made.handle) nnp_exchange_set(made.handle, NNP_EXCHANGE_ROUNDS, 2, nullptr);
  if (made.handle) nnp_exchange_set(made.handle, NNP_EXCHANGE_FIRST_ROUND, 4, nullptr);
  keep(z, z.live.exchanges, std::move(made));
}

template <class S, size_t N>
void dropped(Fuzz &z, S (&slots)[N]) {
  z.live.drop(slots[z.bytes.below(N)]);
}

// ---- networks -------------------------------------------------------------------------------------

void net_learn_tied(Fuzz &z) {
  nnp_net *net = z.pick(z.live.nets);
  int64_t layers = 0;
  if (net) nnp_net_layers(net, &layers, nullptr);
  const double *multiples = z.bytes.rarely(2) ? nullptr : z.positive(layers);
  const double shape = z.bytes.real(), mean = z.bytes.real();
  z.call(nnp_net_learn_tied, net, multiples, shape, mean);
}

void net_find_layer(Fuzz &z) {
  constexpr const char *names[] = {"W1",  "b1", "W2",  "b2", "", "W", "W0", "W99999999999999999999",
                                   "W1 ", "x1", "b-1", "W3"};
  const nnp_net *net = z.pick(z.live.nets);
  const char *name = z.nothing() ? nullptr : names[z.bytes.below(12)];
  int64_t *layer = z.room<int64_t>(1);
  z.call(nnp_net_find_layer, net, name, layer);
}

void net_shape(Fuzz &z) {
  const nnp_net *net = z.pick(z.live.nets);
  const int64_t site = z.bytes.size();
  z.call(nnp_net_shape, net, site, z.room<int64_t>(3));
}

// ---- data -----------------------------------------------------------------------------------------

int32_t order_of(Fuzz &z) {
  return z.bytes.rarely(32) ? z.bytes.constant(orders) : NNP_ROW_MAJOR + z.bytes.below(2);
}

void data_set_inputs(Fuzz &z) {
  DataSlot &data = z.some(z.live.data);
  const double *x = some_inputs(z, data.n * data.features);
  z.call(nnp_data_set_inputs, data.handle, x, order_of(z));
}

void data_set_targets(Fuzz &z) {
  DataSlot &data = z.some(z.live.data);
  const double *y = z.values(data.n * data.outputs);
  z.call(nnp_data_set_targets, data.handle, y, order_of(z));
}

void data_set_labels(Fuzz &z) {
  DataSlot &data = z.some(z.live.data);
  int32_t *labels = z.room<int32_t>(data.n);
  const int how = z.bytes.byte();
  for (int64_t i = 0; labels && i < data.n; ++i)
    labels[i] = how % 4 == 0 ? static_cast<int32_t>((i * 7 + how / 4) % 2) * 2 - 1
                             : static_cast<int32_t>((i * 7 + how / 4) % (how % 4 + 1));
  if (labels && data.n > 0 && how > 230) labels[z.bytes.two() % data.n] = z.bytes.number();
  z.call(nnp_data_set_labels, data.handle, static_cast<const int32_t *>(labels));
}

void data_targets(Fuzz &z) {
  DataSlot &data = z.some(z.live.data);
  double *y = z.room<double>(data.n * data.outputs);
  z.call(nnp_data_targets, static_cast<const nnp_data *>(data.handle), y, order_of(z));
}

void data_labels(Fuzz &z) {
  DataSlot &data = z.some(z.live.data);
  z.call(nnp_data_labels, static_cast<const nnp_data *>(data.handle), z.room<int32_t>(data.n));
}

void data_bytes_from(Fuzz &z) {
  const nnp_inputs inputs = inputs_from(z);
  const int64_t outputs = z.bytes.size();
  z.call(nnp_data_bytes_from, &inputs, outputs, z.room<size_t>(1));
}

// ---- chains ---------------------------------------------------------------------------------------

// Options whose values are constants: small numbers are those of their family, mostly.
double constant_value(double value, Family family) {
  return value >= 0 && value < 8 ? static_cast<double>(family) + value : value;
}

// Options that make a step long are held down.
double held(int32_t option, double value) {
  const auto below = [value](double most) {
    return value > most && value <= 1e7 ? std::fmod(value, most) : value;
  };
  switch (option) {
    case NNP_OPTION_SCHEDULE:
      return constant_value(value, schedules);
    case NNP_OPTION_BLAS:
      return constant_value(value, blas_values);
    case NNP_OPTION_LEAPFROGS:
      return below(9);
    case NNP_OPTION_MAX_DEPTH:
      return value > 3 && value <= 12 ? 3 : value;
    case NNP_OPTION_UNIT_MOVES:
    case NNP_OPTION_SCALE_MOVES:
    case NNP_OPTION_UNIT_DRAWS:
    case NNP_OPTION_LAYER_MOVES:
    case NNP_OPTION_NOISE_MOVES:
    case NNP_OPTION_PRECISION_MOVES:
      return below(5);
    default:
      return value;
  }
}

double option_value(Fuzz &z) {
  return z.bytes.rarely(2) ? z.bytes.below(32) : z.bytes.real();
}

void chain_set(Fuzz &z) {
  nnp_chain *chain = z.pick(z.live.chains);
  const int32_t option = z.bytes.constant(options);
  const double value = held(option, option_value(z));
  z.call(nnp_chain_set, chain, option, value);
}

// Draws come after annealing, however long.
void chain_anneal(Fuzz &z) {
  nnp_chain *chain = z.pick(z.live.chains);
  const double from = z.bytes.real();
  const int64_t steps = z.bytes.size();
  z.call(nnp_chain_anneal, chain, from, steps > 20 && steps < INT64_MAX / 2 ? steps % 20 : steps);
}

struct Watching {
  nnp_callback callback;
  void *user;
};

Watching some_callback(Fuzz &z) {
  z.new_manner();
  if (!z.seldom(4)) z.patience = 1 + z.patience % 3;
  if (z.bytes.rarely(3)) return {nullptr, nullptr};
  return {watch_run, &z};
}

// Few, unless a callback ends the call.
int64_t some_steps(Fuzz &z, const Watching &w, int64_t few) {
  const int64_t steps = z.bytes.size();
  const int64_t most = z.seldom(4) ? few : few / 2;
  return w.callback || steps <= most ? steps : most;
}

void check_finite(Fuzz &z, const ChainSlot &slot) {
  if (!slot.handle) return;
  std::vector<double> values(static_cast<size_t>(slot.sizes.parameters) + 1);
  if (nnp_chain_parameters(slot.handle, values.data(), nullptr) != NNP_OK) return;
  for (double value : values)
    if (!std::isfinite(value)) broken("%s left a parameter at %g", z.name, value);
}

void check_finite(Fuzz &z, int32_t status) {
  if (status != NNP_OK && status != NNP_STOPPED) return;
  for (const ChainSlot &slot : z.live.chains) check_finite(z, slot);
}

void chain_start(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  int32_t start = z.bytes.constant(starts_of_chains);
  const uint64_t seed = z.bytes.byte(), number = z.bytes.byte();
  if (start == NNP_START_FIT && (chain.n > 5 || !z.seldom(3) || !z.affords(6)))
    start = NNP_START_PRIOR;
  check_finite(z, z.call(nnp_chain_start, chain.handle, start, seed, number));
}

void chain_start_weights(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  const double *parameters =
      z.bytes.rarely(2) ? z.positive(chain.sizes.parameters) : z.values(chain.sizes.parameters);
  const int32_t noisy = z.bytes.rarely(16) ? z.bytes.number() : z.bytes.below(2);
  const uint64_t seed = z.bytes.byte(), number = z.bytes.byte();
  check_finite(z, z.call(nnp_chain_start_weights, chain.handle, parameters, noisy, seed, number));
}

void chain_start_state(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  const double *parameters =
      z.bytes.rarely(2) ? z.positive(chain.sizes.parameters) : z.values(chain.sizes.parameters);
  const double *sites = z.values(chain.sizes.latents * chain.n);
  const uint64_t seed = z.bytes.byte(), number = z.bytes.byte();
  check_finite(z, z.call(nnp_chain_start_state, chain.handle, parameters, sites, seed, number));
}

void chains_start(Fuzz &z) {
  const Group group = some_chains(z);
  int32_t start = z.bytes.constant(starts_of_chains);
  if (start == NNP_START_FIT && (group.rows > 5 || !z.seldom(3) || !z.affords(6)))
    start = NNP_START_SMALL;
  const Watching w = some_callback(z);
  check_finite(z, z.call(nnp_chains_start, group.given, group.count, start, uint64_t{5}, w.callback,
                         w.user));
}

void chain_descend(Fuzz &z) {
  nnp_chain *chain = z.pick(z.live.chains);
  const Watching w = some_callback(z);
  const int64_t steps = some_steps(z, w, 12);
  check_finite(z, z.call(nnp_chain_descend, chain, w.callback ? steps : std::max(steps, int64_t{1}),
                         w.callback, w.user));
}

void chains_descend(Fuzz &z) {
  const Group group = some_chains(z);
  const Watching w = some_callback(z);
  const int64_t steps = std::max(some_steps(z, w, 12), int64_t{1});
  check_finite(z, z.call(nnp_chains_descend, group.given, group.count, steps, w.callback, w.user));
}

void outlook_tell(Fuzz &z) {
  nnp_outlook outlook = {};
  for (int64_t &steps : outlook.steps) steps = z.bytes.size();
  double seconds = 0;
  for (int32_t phase = NNP_PHASE_START; phase <= NNP_PHASE_SAMPLING; ++phase) {
    seconds += z.bytes.rarely(16) ? z.bytes.real() : 1 + z.bytes.below(9);
    const double before = outlook.share;
    const int64_t done = z.bytes.size();
    if (z.call(nnp_outlook_tell, &outlook, z.bytes.rarely(16) ? z.bytes.constant(phases) : phase,
               done, seconds) == NNP_OK &&
        !(outlook.share >= before && outlook.share <= 1))
      broken("nnp_outlook_tell: a share of %g", outlook.share);
  }
}

void chain_run(Fuzz &z) {
  nnp_chain *chain = z.pick(z.live.chains);
  const Watching w = some_callback(z);
  const int64_t steps = some_steps(z, w, 6);
  check_finite(z, z.call(nnp_chain_run, chain, steps, w.callback, w.user));
}

void chain_sample(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  const Watching w = some_callback(z);
  const int64_t count = z.bytes.size(), thin = some_steps(z, w, 3);
  if (count > 8 && !w.callback) return;
  const int64_t made = std::min(std::max(count, int64_t{0}), int64_t{8});  // the callback stops it
  double *draws = z.room<double>(made * chain.sizes.parameters);
  check_finite(z, z.call(nnp_chain_sample, chain.handle, draws, count, thin, w.callback, w.user));
}

void chains_run(Fuzz &z) {
  const Group group = some_chains(z);
  const Watching w = some_callback(z);
  const int64_t steps = some_steps(z, w, 6);
  check_finite(z, z.call(nnp_chains_run, group.given, group.count, steps, w.callback, w.user));
}

void chains_sample(Fuzz &z) {
  const Group group = some_chains(z);
  const Watching w = some_callback(z);
  const int64_t count = z.bytes.below(5), thin = some_steps(z, w, 3);
  double *draws = z.room<double>(count * group.sizes.parameters * 3);
  check_finite(z, z.call(nnp_chains_sample, group.given, group.count, draws, count, thin,
                         w.callback, w.user));
}

void throttled_run(Fuzz &z) {
  nnp_chain *chain = z.pick(z.live.chains);
  z.new_manner();
  nnp_throttle throttle = {z.bytes.rarely(8) ? nullptr : watch_run, &z, z.bytes.real(), 0};
  nnp_throttle *user = z.nothing() ? nullptr : &throttle;
  check_finite(z, z.call(nnp_chain_run, chain, int64_t{4}, nnp_throttled, user));
}

void chain_parameters(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  z.call(nnp_chain_parameters, static_cast<const nnp_chain *>(chain.handle),
         z.room<double>(chain.sizes.parameters));
}

void chain_site(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  const int64_t site = z.bytes.size();
  int64_t shape[3] = {0, 0, 0};
  if (chain.net) nnp_net_shape(chain.net, site, shape, nullptr);
  int64_t width = shape[0] * shape[1] * shape[2];
  if (site == chain.sizes.layers) width = chain.sizes.targets;
  z.call(nnp_chain_site, static_cast<const nnp_chain *>(chain.handle), site,
         z.room<double>(width * chain.n));
}

void chain_terms(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  double *a = z.room<double>(chain.sizes.layers), *b = z.room<double>(chain.sizes.layers),
         *c = z.room<double>(chain.sizes.layers);
  z.call(nnp_chain_terms, chain.handle, a, b, c);
}

void chain_predict(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  DataSlot &data = z.some(z.live.data);
  z.call(nnp_chain_predict, chain.handle, data.handle,
         z.room<double>(chain.sizes.targets * data.n));
}

void chain_record(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  const int64_t capacity = z.bytes.size();
  if (capacity > 64 || !chain.handle) return;
  std::unique_ptr<double[]> buffer(
      new double[static_cast<size_t>(std::max(capacity, int64_t{0}) * NNP_STEP_STATISTICS + 1)]);
  double *values = z.bytes.rarely(8) ? nullptr : buffer.get();
  if (z.call(nnp_chain_record, chain.handle, values, capacity) == NNP_OK)
    chain.record = std::move(buffer);
}

void chain_set_scales(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  const double *variances = z.bytes.rarely(4) ? nullptr : z.positive(chain.variables);
  z.call(nnp_chain_set_scales, chain.handle, variances);
}

void chain_scales(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  z.call(nnp_chain_scales, static_cast<const nnp_chain *>(chain.handle),
         z.room<double>(chain.variables));
}

std::vector<uint8_t> saved(const nnp_chain *chain) {
  size_t size = 0;
  nnp_chain_save_bytes(chain, &size, nullptr);
  std::vector<uint8_t> block(size);
  if (nnp_chain_save(chain, block.data(), size, nullptr) != NNP_OK) block.clear();
  return block;
}

void chain_save(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  size_t size = 0;
  if (chain.handle) nnp_chain_save_bytes(chain.handle, &size, nullptr);
  if (z.bytes.rarely(8) && size > 0) --size;
  if (size > static_cast<size_t>(Fuzz::longest)) return;
  void *buffer = z.room<char>(static_cast<int64_t>(size));
  z.call(nnp_chain_save, static_cast<const nnp_chain *>(chain.handle), buffer, size);
}

int32_t stop_after_two(const nnp_progress *progress, void *) {
  return progress->step >= 2;
}

// A chain restored from a block goes on bit for bit, without the pool that the other one may have.
// Ranks that are lost to the other one would end its run.
void check_same_draws(Fuzz &z, ChainSlot &chain, const std::vector<uint8_t> &block) {
  nnp_chain *other = nullptr;
  const nnp_data *data = z.live.data[chain.data].handle;
  if (nnp_chain_create(&other, chain.net, data, chain.sampler, chain.posterior, nullptr) != NNP_OK)
    broken("%s: a second chain of the same network cannot be made", z.name);
  nnp_error err;
  if (nnp_chain_restore(other, block.data(), block.size(), &err) != NNP_OK)
    broken("%s: what was saved is refused: %s", z.name, err.message);
  if (saved(other) != block) broken("%s: a restored chain saves another block", z.name);
  if (nnp_chain_use_comm(chain.handle, nullptr, &err) != NNP_OK)
    broken("%s: a chain keeps its ranks: %s", z.name, err.message);
  const int32_t theirs = nnp_chain_run(other, INT64_MAX, stop_after_two, nullptr, nullptr);
  const int32_t ours = nnp_chain_run(chain.handle, INT64_MAX, stop_after_two, nullptr, nullptr);
  if (ours != theirs)
    broken("%s: a restored chain ends with %d, the chain itself with %d", z.name,
           static_cast<int>(theirs), static_cast<int>(ours));
  if (ours == NNP_STOPPED && saved(other) != saved(chain.handle))
    broken("%s: a restored chain draws otherwise", z.name);
  nnp_chain_free(other);
}

// A block of this chain or of another, whole, cut or changed.
void chain_restore(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains), &from = z.some(z.live.chains);
  if (!from.handle) {
    z.call(nnp_chain_restore, chain.handle, static_cast<const void *>(nullptr), size_t{0});
    return;
  }
  std::vector<uint8_t> block = saved(from.handle);
  const int how = z.bytes.byte();
  if (how == 255 && !block.empty()) block.resize(z.bytes.two() % block.size());
  if (how == 254 && !block.empty()) block[z.bytes.two() % block.size()] ^= z.bytes.byte();
  block.shrink_to_fit();
  const int32_t status = z.call(nnp_chain_restore, chain.handle,
                                static_cast<const void *>(block.data()), block.size());
  if (status == NNP_OK && how < 64) check_same_draws(z, chain, block);
}

// The same with two of them, which is for rows that are spread.
void chain_restore_rows(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains), &from = z.some(z.live.chains);
  std::vector<uint8_t> block = from.handle ? saved(from.handle) : std::vector<uint8_t>();
  const int how = z.bytes.byte();
  if (how == 254 && !block.empty()) block[z.bytes.two() % block.size()] ^= z.bytes.byte();
  const nnp_saved both[] = {{block.data(), block.size()}, {block.data(), block.size()}};
  nnp_rows rows = {};
  z.call(nnp_saved_rows, static_cast<const void *>(block.data()), block.size(),
         z.nothing() ? nullptr : &rows);
  z.call(nnp_chain_restore_rows, chain.handle, z.nothing() ? nullptr : both,
         z.bytes.rarely(8) ? z.bytes.size() : 1 + z.bytes.below(2));
}

// Draws of two chains, which may be the same.
void merge_draws(Fuzz &z) {
  ChainSlot &one = z.some(z.live.chains), &two = z.some(z.live.chains);
  std::vector<uint8_t> blocks[2];
  ChainSlot *from[] = {&one, &two};
  int64_t most = 1;
  for (int i = 0; i < 2; ++i) {
    const int64_t count = z.bytes.rarely(16) ? z.bytes.size() : 1 + z.bytes.below(3);
    const double *draws = z.values(from[i]->sizes.parameters * 3);
    size_t bytes = 0;
    if (z.call(nnp_draws_save_bytes, from[i]->handle, count, &bytes) != NNP_OK || count > 3)
      continue;
    blocks[i].resize(bytes);
    most = std::max(most, from[i]->sizes.parameters);
    if (z.call(nnp_draws_save, from[i]->handle, draws, count, static_cast<void *>(blocks[i].data()),
               bytes) != NNP_OK)
      blocks[i].clear();
    if (z.bytes.rarely(16) && !blocks[i].empty())
      blocks[i][z.bytes.two() % blocks[i].size()] ^= z.bytes.byte();
    nnp_saved_draws told = {};
    z.call(nnp_draws_saved, static_cast<const void *>(blocks[i].data()), blocks[i].size(),
           z.nothing() ? nullptr : &told);
  }
  const nnp_saved saves[] = {{blocks[0].data(), blocks[0].size()},
                             {blocks[1].data(), blocks[1].size()}};
  const int64_t each = z.bytes.rarely(16) ? z.bytes.size() : 1 + z.bytes.below(3);
  std::vector<double> out(static_cast<size_t>(most * 3 * 2));
  nnp_saved_draws told[2] = {};
  z.call(nnp_draws_merge, z.nothing() ? nullptr : saves, static_cast<int64_t>(1 + z.bytes.below(2)),
         out.data(), each, z.nothing() ? nullptr : told);
}

// ---- predictions ----------------------------------------------------------------------------------

struct Drawn {
  const double *parameters;
  int64_t draws;
};

Drawn some_draws(Fuzz &z, const Sizes &sizes, const DataSlot &data) {
  const int most = data.n > 24 ? 2 : static_cast<int>(largest_draws) + 1;
  const int64_t count = z.bytes.below(most);
  const double *parameters =
      z.bytes.rarely(2) ? z.positive(count * sizes.parameters) : z.values(count * sizes.parameters);
  const int64_t told = z.bytes.rarely(32) ? -count : count;
  return {parameters, told};
}

void predictor_passes(Fuzz &z) {
  nnp_predictor *predictor = z.pick(z.live.predictors);
  const int64_t passes = z.bytes.size();
  const bool many = passes > 8 && passes <= 1 << 20;
  z.call(nnp_predictor_passes, predictor, many ? passes % 8 : passes);
}

void predictor_levels(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  const int64_t count = z.bytes.rarely(16) ? z.bytes.size() : z.bytes.below(66);
  double *levels = z.room<double>(std::min(std::max(count, int64_t{0}), int64_t{70}));
  if (count > 70 && count < (int64_t{1} << 30)) return;
  for (int64_t i = 0; levels && i < count && i < 70; ++i)
    levels[i] = static_cast<double>(i + 1) / static_cast<double>(count + 1);
  if (levels && count > 0 && count < 70 && z.bytes.rarely(16)) levels[count - 1] = z.bytes.real();
  if (z.call(nnp_predictor_levels, predictor.handle, static_cast<const double *>(levels), count) ==
      NNP_OK)
    predictor.levels = count;
}

void predict(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  DataSlot &data = z.some(z.live.data);
  const int32_t kind =
      z.bytes.rarely(32) ? z.bytes.constant(predictions) : NNP_PREDICT_MEAN + z.bytes.below(6);
  const Drawn drawn = some_draws(z, predictor.sizes, data);
  const int64_t values = predictor.sizes.targets * data.n;
  const int64_t count = kind == NNP_PREDICT_QUANTILES ? predictor.levels * values
                        : kind == NNP_PREDICT_DRAWS   ? std::max(drawn.draws, int64_t{0}) * values
                                                      : values;
  if (count > Fuzz::longest) return;
  double *out = z.room<double>(count);
  z.call(nnp_predict, predictor.handle, data.handle, drawn.parameters, drawn.draws, kind, out);
}

void score(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  DataSlot &data = z.some(z.live.data);
  const int32_t kind =
      z.bytes.rarely(32) ? z.bytes.constant(scores) : NNP_SCORE_MSE + z.bytes.below(3);
  const Drawn drawn = some_draws(z, predictor.sizes, data);
  double *value = z.room<double>(1);
  const int32_t status =
      z.call(nnp_score, predictor.handle, data.handle, drawn.parameters, drawn.draws, kind, value);
  if (status == NNP_OK && !std::isfinite(*value)) broken("nnp_score gave %g", *value);
}

void log_lik(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  DataSlot &data = z.some(z.live.data);
  const Drawn drawn = some_draws(z, predictor.sizes, data);
  double *out = z.room<double>(std::max(drawn.draws, int64_t{0}) * data.n);
  const int32_t status =
      z.call(nnp_log_lik, predictor.handle, data.handle, drawn.parameters, drawn.draws, out);
  for (int64_t i = 0; status == NNP_OK && i < drawn.draws * data.n; ++i)
    if (!std::isfinite(out[i])) broken("nnp_log_lik gave %g", out[i]);
}

void functions(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  DataSlot &data = z.some(z.live.data);
  const int64_t rows = z.bytes.size();
  const Drawn drawn = some_draws(z, predictor.sizes, data);
  int64_t count = 0;
  if (predictor.handle && data.handle)
    nnp_functions_count(predictor.handle, data.handle, rows, &count, nullptr);
  double *out = z.room<double>(std::max(drawn.draws, int64_t{0}) * count);
  z.call(nnp_functions, predictor.handle, data.handle, drawn.parameters, drawn.draws, rows, out);
}

void predictor_weights(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  const int64_t count = z.bytes.below(static_cast<int>(largest_draws) + 3);
  const double *weights = z.bytes.rarely(2) ? z.positive(count) : z.values(count);
  z.call(nnp_predictor_weights, predictor.handle, weights, count);
}

void predictor_units(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  const double *mean = z.values(predictor.sizes.targets);
  const double *sd = z.positive(predictor.sizes.targets);
  const bool none = z.bytes.rarely(4);
  z.call(nnp_predictor_units, predictor.handle, none ? nullptr : mean, none ? nullptr : sd);
}

void predictor_use_pool(Fuzz &z) {
  PredictorSlot &predictor = z.some(z.live.predictors);
  nnp_pool *pool = z.bytes.rarely(4) ? nullptr : z.pick(z.live.pools);
  size_t bytes = 0;
  if (predictor.handle && pool) nnp_predictor_pool_bytes(predictor.handle, pool, &bytes, nullptr);
  Block block(bytes);
  const size_t given = z.bytes.rarely(16) ? bytes / 2 : bytes;
  if (z.call(nnp_predictor_use_pool, predictor.handle, pool, block.memory, given) == NNP_OK)
    predictor.helpers = std::move(block);
}

void predictor_watch(Fuzz &z) {
  nnp_predictor *predictor = z.pick(z.live.predictors);
  const Watching w = some_callback(z);
  z.call(nnp_predictor_watch, predictor, w.callback, w.user);
}

// ---- keeping less than all draws ------------------------------------------------------------------

struct Wish {
  nnp_kept kept[3];
  const nnp_kept *given;
  int64_t count;
};

Wish some_wish(Fuzz &z) {
  Wish wish = {};
  wish.count = z.bytes.rarely(32) ? z.bytes.size() : 1 + z.bytes.below(3);
  if (wish.count > 3 && wish.count <= 16) wish.count = 3;
  for (nnp_kept &kept : wish.kept) {
    kept.what = z.bytes.rarely(32) ? z.bytes.constant(kept_quantities)
                                   : NNP_KEEP_PARAMETERS + z.bytes.below(7);
    kept.moments = z.bytes.rarely(32) ? z.bytes.number() : z.bytes.below(2);
    const bool bare = kept.what <= NNP_KEEP_SCALES && !z.bytes.rarely(16);
    kept.predictor = bare ? nullptr : z.pick(z.live.predictors);
    kept.data = bare ? nullptr : z.pick(z.live.data);
    if (kept.what == NNP_KEEP_FUNCTIONS) kept.rows = z.bytes.below(33);
    if (z.bytes.rarely(32)) kept.rows = z.bytes.size();
    if (z.bytes.rarely(32)) kept.reserved[z.bytes.below(4)] = z.bytes.size();
  }
  wish.given = z.nothing() ? nullptr : wish.kept;
  return wish;
}

struct KeeperSlot : Slot<nnp_keeper> {};

constexpr int64_t kept_draws = 3;

// Places for values, of exactly the size they need; too large ones have none.
void store_kept(Fuzz &z, nnp_keeper *keeper, int64_t index, int64_t chains) {
  int64_t width = 0;
  if (z.call(nnp_keeper_width, keeper, index, z.nothing() ? nullptr : &width) != NNP_OK) return;
  if (width * chains * kept_draws > Fuzz::longest) return;
  double *values = z.room<double>(width * chains * kept_draws);
  // one that is refused, or none
  const int64_t capacity = z.bytes.rarely(32) ? std::min(z.bytes.size(), int64_t{0}) : kept_draws;
  if (!z.bytes.rarely(8)) z.call(nnp_keeper_store, keeper, index, values, capacity);
}

void look_at_kept(Fuzz &z, const nnp_keeper *keeper, int64_t index, int64_t chains) {
  int64_t width = 0, draws = 0;
  nnp_keeper_width(keeper, index, &width, nullptr);
  const int64_t chain = z.bytes.below(static_cast<int>(chains) + 2) - 1;
  if (z.call(nnp_keeper_stored, keeper, index, chain, &draws) == NNP_OK && draws > kept_draws)
    broken("%s kept %lld draws", z.name, static_cast<long long>(draws));
  if (width > Fuzz::longest) return;
  double *mean = z.room<double>(width), *variance = z.room<double>(width);
  double *rhat = chain < 0 ? z.room<double>(width) : nullptr;
  const int32_t status = z.call(nnp_keeper_moments, keeper, index, chain, mean, variance, rhat);
  for (int64_t i = 0; status == NNP_OK && i < width; ++i)
    if (!std::isfinite(mean[i])) broken("nnp_keeper_moments gave a mean of %g", mean[i]);
}

// In a file that lives for one call; now and then where none can be.
void keep_in_file(Fuzz &z, nnp_keeper *keeper, const Group &group, const nnp_net *net) {
  char path[64];
  std::snprintf(path, sizeof path, "/tmp/nnpost_fuzz_%d", static_cast<int>(getpid()));
  const char *place = z.bytes.rarely(8) ? "/dev/null/nnpost" : path;
  nnp_draws_file *file = nullptr;
  z.call(nnp_draws_file_create, z.nothing() ? nullptr : &file, z.nothing() ? nullptr : place,
         keeper, int64_t{0}, z.bytes.rarely(32) ? z.bytes.size() : kept_draws);
  z.call(nnp_keeper_file, keeper, int64_t{0}, z.nothing() ? nullptr : file);
  z.call(nnp_chains_keep, group.given, group.count, keeper, int64_t{2}, int64_t{1}, nullptr,
         nullptr);
  nnp_keeper_store(keeper, 0, nullptr, 0, nullptr);
  nnp_draws_file_free(file);
  file = nullptr;
  if (z.call(nnp_draws_file_open, &file, path, z.nothing() ? nullptr : net) == NNP_OK) {
    nnp_draws view = {};
    nnp_saved_draws told = {};
    int64_t capacity = 0, chains = 0;
    int32_t what = 0;
    size_t bytes = 0;
    z.call(nnp_draws_file_info, file, &what, &capacity, &chains);
    z.call(nnp_draws_file_view, file, z.nothing() ? nullptr : &view);
    const int64_t chain = z.bytes.below(4);
    z.call(nnp_draws_file_chain, file, chain, z.nothing() ? nullptr : &told);
    if (z.call(nnp_draws_file_save_bytes, file, chain, &bytes) == NNP_OK) {
      std::vector<uint8_t> block(bytes);
      z.call(nnp_draws_file_save, file, chain, static_cast<void *>(block.data()),
             z.bytes.rarely(8) ? bytes / 2 : bytes);
    }
  }
  nnp_draws_file_free(file);
  unlink(path);
}

// A keeper lives for one call.
void keeper(Fuzz &z, bool in_place) {
  const nnp_net *net = z.pick(z.live.nets);
  const Wish wish = some_wish(z);
  const Group group = some_chains(z);
  KeeperSlot made = built<KeeperSlot>(
      z, in_place,
      [&](size_t *bytes) {
        return nnp_keeper_bytes(net, wish.given, wish.count, group.count, bytes, nullptr);
      },
      [&](nnp_keeper **out) {
        return z.call(nnp_keeper_create, out, net, wish.given, wish.count, group.count);
      },
      [&](nnp_keeper **out, void *memory, size_t bytes) {
        return z.call(nnp_keeper_init, out, memory, bytes, net, wish.given, wish.count,
                      group.count);
      });
  if (!made.handle) return;
  for (int64_t i = 0; i < wish.count; ++i) store_kept(z, made.handle, i, group.count);
  const Watching w = some_callback(z);
  for (int i = 0; i < 2; ++i)
    check_finite(z, z.call(nnp_chains_keep, group.given, group.count, made.handle,
                           static_cast<int64_t>(z.bytes.below(4)), int64_t{1}, w.callback, w.user));
  for (int64_t i = 0; i < wish.count; ++i) look_at_kept(z, made.handle, i, group.count);
  if (!in_place && z.seldom(3) && z.affords(4)) keep_in_file(z, made.handle, group, net);
  if (!made.owned()) nnp_keeper_free(made.handle);
}

void keeper_bytes(Fuzz &z) {
  const nnp_net *net = z.pick(z.live.nets);
  const Wish wish = some_wish(z);
  size_t bytes = 0;
  z.call(nnp_keeper_bytes, net, wish.given, wish.count, z.bytes.size(),
         z.nothing() ? nullptr : &bytes);
}

void kept_in_place(Fuzz &z) {
  keeper(z, true);
}
void kept_on_heap(Fuzz &z) {
  keeper(z, false);
}

// ---- recommended settings -------------------------------------------------------------------------

nnp_model some_model(Fuzz &z) {
  nnp_model model = {};
  const int32_t head = NNP_GAUSSIAN + z.bytes.below(5);
  const int64_t targets = head == NNP_SIGN_HEAD ? 1 : 2;
  nnp_model_defaults(&model, 1 + z.bytes.below(4), targets, head, z.bytes.byte(), nullptr);
  model.hidden_count = z.bytes.below(3);
  for (int64_t i = 0; i < model.hidden_count; ++i) model.hidden[i] = 1 + z.bytes.below(4);
  model.activation = NNP_IDENTITY + z.bytes.below(9);
  model.posterior = NNP_INTERMEDIATE + z.bytes.below(2);
  model.ard = z.bytes.below(2);
  const int flaw = z.bytes.byte();
  if (flaw == 250) model.reserved[z.bytes.below(4)] = z.bytes.size();
  if (flaw == 251) model.hidden_count = z.bytes.size();
  if (flaw == 252) model.posterior = z.bytes.constant(posteriors);
  if (flaw == 253) model.hidden[0] = z.bytes.size();
  if (flaw == 254) model.activation = z.bytes.constant(activations);
  return model;
}

// Can the network be built at all?
bool is_sound(const nnp_model &model) {
  nnp_net *net = nullptr;
  const bool built = nnp_net_create_model(&net, &model, nullptr) == NNP_OK;
  nnp_net_free(net);
  return built;
}

void net_create_model(Fuzz &z) {
  const nnp_model model = some_model(z);
  nnp_net *made = nullptr;
  if (is_sound(model))
    return new_net(z, [&](nnp_net **out) { return z.call(nnp_net_create_model, out, &model); });
  z.call(nnp_net_create_model, &made, z.nothing() ? nullptr : &model);
}

void net_init_model(Fuzz &z) {
  const nnp_model model = some_model(z);
  if (!is_sound(model)) return;
  keep(z, z.live.nets,
       built<NetSlot>(
           z, true, [](size_t *bytes) { return nnp_net_bytes(few_layers, bytes, nullptr); },
           [](nnp_net **) { return 0; },
           [&](nnp_net **out, void *memory, size_t bytes) {
             return z.call(nnp_net_init_model, out, memory, bytes, few_layers, &model);
           }));
}

void chain_use_recipe(Fuzz &z) {
  nnp_chain *chain = z.pick(z.live.chains);
  nnp_recipe recipe = {};
  recipe.sampler = NNP_GIBBS + z.bytes.below(4);
  recipe.posterior = NNP_INTERMEDIATE + z.bytes.below(2);
  recipe.warmup = z.bytes.below(8);
  recipe.option_count = z.bytes.below(3);
  for (int64_t i = 0; i < recipe.option_count; ++i) {
    recipe.options[i] = options + z.bytes.below(24);
    recipe.values[i] = z.bytes.rarely(4) ? z.bytes.real() : z.bytes.below(4);
    if (recipe.options[i] == NNP_OPTION_SCHEDULE || recipe.options[i] == NNP_OPTION_BLAS)
      recipe.values[i] = held(recipe.options[i], recipe.values[i]);
  }
  const int flaw = z.bytes.byte();
  if (flaw == 250) recipe.reserved[z.bytes.below(4)] = 1;
  if (flaw == 251) recipe.option_count = z.bytes.size();
  if (flaw == 252) recipe.warmup = z.bytes.size();
  z.call(nnp_chain_use_recipe, chain, &recipe);
}

struct Columns {
  int64_t n, count;
  int32_t order;
  double *x, *mean, *sd;
};
Columns some_columns(Fuzz &z) {
  Columns c = {};
  c.n = z.bytes.below(12);
  c.count = z.bytes.below(4);
  c.order = z.bytes.rarely(16) ? z.bytes.constant(orders) : NNP_ROW_MAJOR + z.bytes.below(2);
  c.x = z.values(c.n * c.count);
  c.mean = z.values(c.count);
  c.sd = z.positive(c.count);
  return c;
}

void standard(Fuzz &z) {
  const Columns c = some_columns(z);
  z.call(nnp_standard, c.x, c.n, c.count, c.order, c.mean, c.sd);
}

void standardize(Fuzz &z) {
  const Columns c = some_columns(z);
  z.call(nnp_standardize, c.x, c.n, c.count, c.order, c.mean, c.sd,
         z.bytes.rarely(2) ? c.x : z.room<double>(c.n * c.count));
}

void unstandardize(Fuzz &z) {
  const Columns c = some_columns(z);
  z.call(nnp_unstandardize, c.x, c.n, c.count, c.order, c.mean, c.sd,
         z.bytes.rarely(2) ? c.x : z.room<double>(c.n * c.count));
}

int32_t *some_classes(Fuzz &z, int64_t n) {
  int32_t *labels = z.room<int32_t>(n);
  const int classes = 1 + z.bytes.below(4);
  for (int64_t i = 0; labels && i < n; ++i)
    labels[i] = z.bytes.rarely(32) ? -1 : z.bytes.below(classes);
  return labels;
}

void recommend_transform_bytes(Fuzz &z) {
  const Columns c = some_columns(z);
  z.call(nnp_recommend_transform_bytes, some_classes(z, c.n), c.n, c.count, z.room<size_t>(1));
}

void recommend_transform(Fuzz &z) {
  const Columns c = some_columns(z);
  const int32_t *labels = some_classes(z, c.n);
  size_t bytes = 0;
  if (!labels || nnp_recommend_transform_bytes(labels, c.n, c.count, &bytes, nullptr) != NNP_OK)
    bytes = 0;
  if (z.bytes.rarely(16)) bytes /= 2;
  double *matrix = z.room<double>(static_cast<int64_t>(bytes / sizeof(double)));
  z.call(nnp_recommend_transform, c.x, labels, c.n, c.count, c.order, matrix, bytes);
}

void transform(Fuzz &z) {
  const Columns c = some_columns(z);
  const double *matrix = z.values(c.count * c.count);
  z.call(nnp_transform, c.x, c.n, c.count, c.order, matrix,
         z.bytes.rarely(2) ? c.x : z.room<double>(c.n * c.count));
}

// ---- a table of data ------------------------------------------------------------------------------

// Settings of any kind; then those that make a fit long are held down.
void set_table(Fuzz &z, nnp_table *table) {
  const int count = z.bytes.below(5);
  for (int i = 0; i < count; ++i) {
    const int32_t setting =
        z.bytes.rarely(16) ? z.bytes.constant(table_settings) : NNP_TABLE_SEED + z.bytes.below(14);
    double value = z.bytes.rarely(4) ? z.bytes.real() : z.bytes.below(3);
    if (setting == NNP_TABLE_HEAD) value = constant_value(value, heads);
    if (setting == NNP_TABLE_ACTIVATION) value = constant_value(value, activations);
    if (setting == NNP_TABLE_POSTERIOR) value = constant_value(value, posteriors);
    if (setting == NNP_TABLE_SAMPLER) value = constant_value(value, samplers);
    if (setting == NNP_TABLE_START) value = constant_value(value, starts_of_chains);
    z.call(nnp_table_set, table, setting, value);
    z.call(nnp_table_get, static_cast<const nnp_table *>(table), setting,
           z.nothing() ? nullptr : &value);
  }
  z.call(nnp_table_setting_info, z.bytes.constant(table_settings), z.room<const char *>(1),
         z.room<double>(1), z.room<double>(1), z.room<double>(1));
  nnp_table_set(table, NNP_TABLE_CHAINS, 1 + z.bytes.below(3), nullptr);
  nnp_table_set(table, NNP_TABLE_WARMUP, z.bytes.below(6), nullptr);
  nnp_table_set(table, NNP_TABLE_DRAWS, 1 + z.bytes.below(6), nullptr);
  nnp_table_set(table, NNP_TABLE_THIN, 1 + z.bytes.below(2), nullptr);
  nnp_table_set(table, NNP_TABLE_THREADS, 1 + z.bytes.below(2), nullptr);
  if (!z.seldom(8)) nnp_table_set(table, NNP_TABLE_START, NNP_START_SMALL, nullptr);
  const int64_t layers = z.bytes.rarely(32) ? z.bytes.size() : z.bytes.below(3);
  int64_t widths[16];
  for (int64_t &width : widths) width = z.bytes.rarely(64) ? z.bytes.size() : 1 + z.bytes.below(3);
  for (int64_t &width : widths)
    if (width > 8 && width < int64_t{1} << 40) width = 8;
  z.call(nnp_table_hidden, table, z.nothing() ? nullptr : widths, layers);
  if (z.bytes.rarely(4)) {
    const int32_t option = z.bytes.constant(options);
    z.call(nnp_table_option, table, option, held(option, option_value(z)));
  }
}

// What a fit tells, whatever there is of it.
void look_into_table(Fuzz &z, const nnp_table *table, const Columns &c, const double *y,
                     const int32_t *labels) {
  nnp_inside inside = {};
  nnp_predictor *predictor = nullptr;
  nnp_data *data = nullptr;
  z.call(nnp_table_inside, table, z.nothing() ? nullptr : &inside);
  char *text = z.text();
  const size_t length = z.text_length();
  z.call(nnp_table_text, table, text, length);
  z.call(nnp_table_convergence, table, z.room<nnp_convergence>(1));
  z.call(nnp_table_loo, table, z.room<nnp_loo_summary>(1));
  z.call(nnp_table_recipe, table, z.room<nnp_recipe>(1));
  z.call(nnp_table_predictor, table, z.nothing() ? nullptr : &predictor);
  const bool fits = inside.columns == c.count;  // or it is a fit of other columns
  const int64_t rows = fits ? c.n : 0;
  z.call(nnp_table_data, table, c.x, z.bytes.rarely(2) ? y : nullptr,
         z.bytes.rarely(2) ? labels : nullptr, inside.targets <= 2 ? rows : 0, c.order,
         z.nothing() ? nullptr : &data);
  const int32_t kind =
      z.bytes.rarely(32) ? z.bytes.constant(predictions) : NNP_PREDICT_MEAN + z.bytes.below(6);
  const int64_t wide = 3 * std::max(inside.targets, inside.classes) * rows;
  double *out =
      z.room<double>(kind == NNP_PREDICT_DRAWS ? wide * inside.draw_count * inside.chains : wide);
  z.call(nnp_table_predict, table, c.x, rows, c.count, c.order, kind, out);
  double *ends = z.room<double>(wide);
  const double level = z.bytes.rarely(8) ? z.bytes.real() : 0.9;
  z.call(nnp_table_interval, table, c.x, rows, c.count, c.order, level, ends);
  z.call(nnp_table_classify, table, c.x, rows, c.count, c.order, z.room<int32_t>(rows));
  nnp_data_free(data);
  nnp_predictor_free(predictor);
}

// A block of a table, whole or changed, into another one.
void restore_table(Fuzz &z, const nnp_table *table, nnp_table *other) {
  size_t size = 0;
  z.call(nnp_table_save_bytes, table, z.nothing() ? nullptr : &size);
  std::vector<uint8_t> block(size);
  const size_t given = z.bytes.rarely(16) ? size / 2 : size;
  if (z.call(nnp_table_save, table, static_cast<void *>(block.data()), given) != NNP_OK) return;
  const bool changed = z.bytes.rarely(2);
  if (changed) block[z.bytes.two() % size] ^= static_cast<uint8_t>(z.bytes.byte() | 1);
  const int32_t status = z.call(nnp_table_restore, other, static_cast<const void *>(block.data()),
                                z.bytes.rarely(8) ? size - 1 : size);
  if (changed && status == NNP_OK) broken("%s took a block that was changed", z.name);
}

// Trees of NUTS, which is recommended for labels, are small, mostly.
void hold_trees(Fuzz &z, nnp_table *table, bool with_labels) {
  double value = 0;
  nnp_table_get(table, NNP_TABLE_SAMPLER, &value, nullptr);
  int32_t sampler = static_cast<int32_t>(value);
  if (sampler == NNP_RECOMMENDED && with_labels && !z.seldom(3)) {
    sampler = NNP_NUTS;
    nnp_table_set(table, NNP_TABLE_SAMPLER, sampler, nullptr);
  }
  if (sampler == NNP_NUTS) nnp_table_option(table, NNP_OPTION_MAX_DEPTH, 3, nullptr);
}

// A table lives for one call.
void table(Fuzz &z) {
  if (!z.affords(5)) return;
  nnp_table *made = nullptr, *other = nullptr;
  z.call(nnp_table_create, z.nothing() ? nullptr : &made);
  if (!made || nnp_table_create(&other, nullptr) != NNP_OK) return nnp_table_free(made);
  set_table(z, made);
  const Watching w = some_callback(z);
  z.call(nnp_table_watch, made, w.callback, w.user);
  const Columns c = some_columns(z);
  const int64_t targets = z.bytes.rarely(16) ? -1 : 1 + z.bytes.below(2);
  const double *y = z.values(c.n * 2);
  int32_t *labels = z.room<int32_t>(c.n);
  const int how = z.bytes.byte();
  for (int64_t i = 0; labels && i < c.n; ++i)
    labels[i] = how % 4 == 0 ? static_cast<int32_t>(i % 2) * 2 - 1
                             : static_cast<int32_t>(i % (how % 4 + 1));
  if (labels && c.n > 0 && how > 240) labels[z.bytes.two() % c.n] = z.bytes.number();
  for (int i = z.seldom(4) ? 0 : 1; i < 2; ++i) {
    nnp_inside before = {}, after = {};
    nnp_table_inside(made, &before, nullptr);
    if (z.bytes.rarely(8)) fail_in = 1 + z.bytes.below(40);
    const bool with_labels = !z.bytes.rarely(2);
    hold_trees(z, made, with_labels);
    const int32_t status =
        with_labels ? z.call(nnp_table_fit_labels, made, c.x, static_cast<const int32_t *>(labels),
                             c.n, c.count, c.order)
                    : z.call(nnp_table_fit, made, c.x, y, c.n, c.count, targets, c.order);
    nnp_table_inside(made, &after, nullptr);
    if (status != NNP_OK && status != NNP_STOPPED && before.draws != after.draws)
      broken("%s failed and took the fit before with it", z.name);
    if (status == NNP_OK && !after.draws) broken("%s made no fit", z.name);
  }
  look_into_table(z, made, c, y, labels);
  z.call(nnp_table_weigh, made, z.bytes.rarely(2) ? nullptr : z.positive(3));
  restore_table(z, made, other);
  look_into_table(z, other, c, y, labels);
  nnp_table_free(other);
  nnp_table_free(made);
}

// ---- teachers -------------------------------------------------------------------------------------

void teacher_parameters(Fuzz &z) {
  TeacherSlot &teacher = z.some(z.live.teachers);
  z.call(nnp_teacher_parameters, static_cast<const nnp_teacher *>(teacher.handle),
         z.room<double>(teacher.sizes.parameters));
}

void teacher_set_parameters(Fuzz &z) {
  TeacherSlot &teacher = z.some(z.live.teachers);
  const double *parameters =
      z.bytes.rarely(2) ? z.positive(teacher.sizes.parameters) : z.values(teacher.sizes.parameters);
  z.call(nnp_teacher_set_parameters, teacher.handle, parameters);
}

void teacher_label(Fuzz &z) {
  TeacherSlot &teacher = z.some(z.live.teachers);
  DataSlot &data = z.some(z.live.data);
  const int64_t noise = z.bytes.size();
  double *sites = z.bytes.rarely(2) ? nullptr : z.room<double>(teacher.sizes.latents * data.n);
  z.call(nnp_teacher_label, teacher.handle, data.handle, noise, sites);
}

void chain_start_teacher(Fuzz &z) {
  ChainSlot &chain = z.some(z.live.chains);
  TeacherSlot &teacher = z.some(z.live.teachers);
  const double *sites = z.bytes.rarely(2) ? nullptr : z.values(chain.sizes.latents * chain.n);
  check_finite(z, z.call(nnp_chain_start_teacher, chain.handle, teacher.handle, sites, uint64_t{3},
                         uint64_t{1}));
}

// ---- diagnostics ----------------------------------------------------------------------------------

// Draws where they lie: the library's layout, or strides that stay inside.
nnp_draws some_table(Fuzz &z, int64_t most_draws = 64) {
  nnp_draws draws = {};
  draws.quantities = 1 + z.bytes.below(3);
  draws.draws = z.bytes.byte() % (most_draws + 1);
  draws.chains = 1 + z.bytes.below(4);
  const int64_t count = draws.quantities * draws.draws * draws.chains;
  double *values = z.values(count);
  const int how = z.bytes.byte();
  for (int64_t i = 0; values && how % 4 == 1 && i < count; ++i) values[i] = std::floor(values[i]);
  for (int64_t i = 0; values && how % 8 == 2 && i < count; ++i) values[i] = 1.5;
  draws.values = values;
  draws.quantity_stride = 1;
  draws.draw_stride = draws.quantities;
  draws.chain_stride = draws.quantities * draws.draws;
  if (values && how >= 192 && count > 0) {  // backwards
    draws.values = values + count - 1;
    draws.quantity_stride *= -1;
    draws.draw_stride *= -1;
    draws.chain_stride *= -1;
  }
  if (how == 100) draws.chains = 0;
  if (how == 101) draws.chain_stride = INT64_MAX;
  if (how == 102) draws.reserved[z.bytes.below(4)] = z.bytes.size();
  if (how == 103) draws.quantities = -draws.quantities;
  return draws;
}

nnp_series some_series(Fuzz &z) {
  nnp_series series = {};
  const int how = z.bytes.byte();
  series.count = how % 8 == 0 ? z.bytes.below(20) : 40 + z.bytes.byte();
  double *values = z.values(series.count), *times = z.room<double>(series.count);
  const double level = z.bytes.below(8), fall = z.bytes.below(64);
  for (int64_t i = 0; values && how % 4 != 3 && i < series.count; ++i)
    values[i] =
        std::fabs(0.02 * values[i] + level + std::exp(-static_cast<double>(i) / (fall + 1)));
  for (int64_t i = 0; times && i < series.count; ++i)
    times[i] = how % 2 ? static_cast<double>(i) : std::exp(0.05 * static_cast<double>(i));
  if (values && series.count > 0 && z.bytes.rarely(8))
    values[z.bytes.two() % series.count] = z.bytes.real();
  if (times && series.count > 0 && z.bytes.rarely(16))
    times[z.bytes.two() % series.count] = z.bytes.real();
  series.values = values;
  series.times = z.bytes.rarely(3) ? nullptr : times;
  if (z.bytes.rarely(64)) series.reserved[1] = 1;
  return series;
}

// A workspace of as many bytes, or one byte less, or misaligned.
struct Work {
  void *memory;
  size_t bytes;
};

Work some_work(Fuzz &z, size_t bytes) {
  if (bytes > Fuzz::longest) bytes = Fuzz::longest;
  char *memory = z.room<char>(static_cast<int64_t>(bytes));
  const int flaw = z.bytes.byte();
  if (flaw == 250 && bytes > 0) --bytes;
  if (flaw == 251 && bytes > 8 && memory) return {memory + 1, bytes - 1};
  return {memory, bytes};
}

Work thermalization_work(Fuzz &z) {
  size_t bytes = 0;
  nnp_thermalization_bytes(&bytes, nullptr);
  return some_work(z, bytes);
}

template <class Function, class Found>
void put_into_words(Fuzz &z, Function function, const Found *found) {
  char *text = z.text();
  z.call(function, found, text, z.text_length());
}

void draws_init(Fuzz &z) {
  nnp_draws *draws = z.room<nnp_draws>(1);
  const double *values = z.values(16);
  const int64_t quantities = z.bytes.size(), count = z.bytes.size(), chains = z.bytes.size();
  z.call(nnp_draws_init, draws, values, quantities, count, chains);
}

void statistic_bytes(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  z.call(nnp_statistic_bytes, &draws, z.room<size_t>(1));
}

void statistic(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  size_t bytes = 0;
  nnp_statistic_bytes(&draws, &bytes, nullptr);
  const int32_t which =
      z.bytes.rarely(32) ? z.bytes.constant(statistics) : NNP_STAT_RHAT + z.bytes.below(17);
  const double probability = z.bytes.rarely(8) ? z.bytes.real() : 0.3;
  double *out = z.room<double>(3);
  const Work work = some_work(z, bytes);
  z.call(nnp_statistic, &draws, which, probability, out, work.memory, work.bytes);
}

void nested_rhat(Fuzz &z) {
  const nnp_draws draws = some_table(z, 8);
  size_t bytes = 0;
  nnp_statistic_bytes(&draws, &bytes, nullptr);
  int64_t *groups = z.room<int64_t>(4);
  for (int i = 0; groups && i < 4; ++i) groups[i] = z.bytes.below(3);
  double *out = z.room<double>(3);
  const Work work = some_work(z, bytes);
  z.call(nnp_nested_rhat, &draws, static_cast<const int64_t *>(groups), out, work.memory,
         work.bytes);
}

void convergence_bytes(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  z.call(nnp_convergence_bytes, &draws, z.room<size_t>(1));
}

void convergence_of(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  size_t bytes = 0;
  nnp_convergence_bytes(&draws, &bytes, nullptr);
  nnp_convergence *out = z.room<nnp_convergence>(1);
  const Work work = some_work(z, bytes);
  const int32_t status = z.call(nnp_convergence_of, &draws, out, work.memory, work.bytes);
  if (status == NNP_OK) put_into_words(z, nnp_convergence_text, out);
}

void loo_bytes(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  z.call(nnp_loo_bytes, &draws, z.room<size_t>(1));
}

void loo(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  const int64_t rows = std::max(draws.quantities, int64_t{0});
  size_t bytes = 0;
  nnp_loo_bytes(&draws, &bytes, nullptr);
  const double *efficiency = z.bytes.rarely(2) ? nullptr : z.positive(rows);
  double *elpd = z.room<double>(rows), *k = z.room<double>(rows);
  nnp_loo_summary *out = z.room<nnp_loo_summary>(1);
  const Work work = some_work(z, bytes);
  const int32_t status = z.call(nnp_loo, &draws, efficiency, elpd, k, out, work.memory, work.bytes);
  if (status == NNP_OK && std::isnan(out->elpd)) broken("nnp_loo gave NaN");
}

void stacking(Fuzz &z) {
  const int64_t rows = z.bytes.below(9), models = z.bytes.below(5);
  const double *elpd = z.values(rows * models);
  size_t bytes = 0;
  nnp_stacking_bytes(rows, models, &bytes, nullptr);
  double *weights = z.room<double>(models);
  nnp_stacking_summary *out = z.room<nnp_stacking_summary>(1);
  const Work work = some_work(z, bytes);
  const int32_t status =
      z.call(nnp_stacking, elpd, rows, models, weights, out, work.memory, work.bytes);
  for (int64_t k = 0; status == NNP_OK && k < models; ++k)
    if (!(weights[k] >= 0 && weights[k] <= 1)) broken("nnp_stacking gave %g", weights[k]);
}

void stack_chains_bytes(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  z.call(nnp_stack_chains_bytes, &draws, z.room<size_t>(1));
}

void stack_chains(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  size_t bytes = 0;
  nnp_stack_chains_bytes(&draws, &bytes, nullptr);
  double *weights = z.room<double>(std::max(draws.chains, int64_t{0}));
  nnp_stacking_summary *out = z.room<nnp_stacking_summary>(1);
  const Work work = some_work(z, bytes);
  z.call(nnp_stack_chains, &draws, weights, out, work.memory, work.bytes);
}

void block_rhat_bytes(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  const int64_t length = z.bytes.size();
  int64_t *blocks = z.room<int64_t>(1);
  z.call(nnp_block_rhat_bytes, &draws, length, blocks, z.room<size_t>(1));
}

void block_rhat(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  const int64_t length = z.bytes.size();
  int64_t blocks = 0;
  size_t bytes = 0;
  nnp_block_rhat_bytes(&draws, length, &blocks, &bytes, nullptr);
  double *times = z.room<double>(64);
  for (int i = 0; times && i < 64; ++i) times[i] = i;
  if (times && z.bytes.rarely(8)) times[z.bytes.below(64)] = z.bytes.real();
  double *out = z.room<double>(6 * blocks);
  const Work work = some_work(z, bytes);
  z.call(nnp_block_rhat, &draws, z.bytes.rarely(2) ? nullptr : times, length, out, work.memory,
         work.bytes);
}

// Their defaults, with one changed perhaps; or NULL.
nnp_thermalization_options *some_options(Fuzz &z) {
  nnp_thermalization_options *options = z.room<nnp_thermalization_options>(1);
  if (!options || z.bytes.rarely(3)) return nullptr;
  nnp_thermalization_defaults(options, nullptr);
  double *const fields[] = {
      &options->block_tolerance, &options->block_z,         &options->level_tolerance, &options->z,
      &options->resolution,      &options->merged_fraction, &options->reserved[3]};
  if (z.bytes.rarely(2)) *fields[z.bytes.below(7)] = z.bytes.real();
  if (z.bytes.rarely(2)) options->scale = z.bytes.constant(scales);
  return options;
}

void thermalization(Fuzz &z) {
  const nnp_series informed = some_series(z), others[2] = {some_series(z), some_series(z)};
  const int64_t count = z.bytes.rarely(16) ? -1 : z.bytes.below(3);
  const nnp_thermalization_options *options = some_options(z);
  nnp_verdict *out = z.room<nnp_verdict>(2);
  const Work work = thermalization_work(z);
  const int32_t status =
      z.call(nnp_thermalization, &informed, others, count, options, out, work.memory, work.bytes);
  if (status == NNP_OK) put_into_words(z, nnp_verdict_text, out);
}

void stationarity(Fuzz &z) {
  const nnp_series series = some_series(z);
  const int32_t scale =
      z.bytes.rarely(16) ? z.bytes.constant(scales) : NNP_SCALE_AUTO + z.bytes.below(3);
  nnp_settling *out = z.room<nnp_settling>(1);
  const Work work = thermalization_work(z);
  z.call(nnp_stationarity, &series, scale, out, work.memory, work.bytes);
}

void gradient_settling(Fuzz &z) {
  const nnp_series series = some_series(z);
  nnp_settling *out = z.room<nnp_settling>(1);
  const Work work = thermalization_work(z);
  z.call(nnp_gradient_settling, &series, out, work.memory, work.bytes);
}

void rhat_settling(Fuzz &z) {
  const nnp_series series = some_series(z);
  const double limit = z.bytes.rarely(4) ? z.bytes.real() : 2;
  nnp_settling *out = z.room<nnp_settling>(1);
  const Work work = thermalization_work(z);
  z.call(nnp_rhat_settling, &series, limit, out, work.memory, work.bytes);
}

void criteria(Fuzz &z) {
  nnp_criteria_series all = {some_series(z), some_series(z), some_series(z), some_series(z)};
  if (z.bytes.rarely(3)) all.gradient.count = 0;
  if (z.bytes.rarely(3)) all.rhat.count = 0;
  const nnp_thermalization_options *options = some_options(z);
  const double limit = z.bytes.rarely(4) ? z.bytes.real() : 2;
  nnp_criteria_times *out = z.room<nnp_criteria_times>(1);
  const Work work = thermalization_work(z);
  z.call(nnp_criteria, &all, options, limit, out, work.memory, work.bytes);
}

void sbc_ranks(Fuzz &z) {
  const nnp_draws draws = some_table(z);
  const double *truth = z.values(3);
  double *ties = z.positive(3);
  for (int i = 0; ties && i < 3; ++i) ties[i] /= z.bytes.rarely(16) ? 1 : 4;
  int64_t *ranks = z.room<int64_t>(3);
  z.call(nnp_sbc_ranks, truth, &draws, z.bytes.rarely(2) ? nullptr : ties, ranks);
}

void sbc_histogram(Fuzz &z) {
  const int64_t quantities = 1 + z.bytes.below(3), replications = z.bytes.below(40);
  const int64_t max_rank = z.bytes.size();
  const int64_t bins = z.bytes.rarely(8) ? z.bytes.size() : 2 + z.bytes.below(8);
  int64_t *ranks = z.room<int64_t>(quantities * replications);
  for (int64_t i = 0; ranks && i < quantities * replications; ++i)
    ranks[i] = (i * 7) % (std::max(std::min(max_rank, int64_t{100}), int64_t{0}) + 1);
  if (ranks && replications > 0 && z.bytes.rarely(16)) ranks[0] = z.bytes.size();
  int64_t *counts =
      z.room<int64_t>(quantities * std::max(std::min(bins, int64_t{300}), int64_t{0}));
  double *p = z.bytes.rarely(3) ? nullptr : z.room<double>(quantities);
  if (bins > 300 && max_rank > 300) return;
  z.call(nnp_sbc_histogram, static_cast<const int64_t *>(ranks), quantities, replications, max_rank,
         bins, counts, p);
}

void geweke_bytes(Fuzz &z) {
  const nnp_draws a = some_table(z), b = some_table(z);
  z.call(nnp_geweke_bytes, &a, z.bytes.rarely(2) ? nullptr : &b, z.room<size_t>(1));
}

void geweke_draws(Fuzz &z) {
  const nnp_draws a = some_table(z), b = some_table(z);
  size_t bytes = 0;
  nnp_geweke_bytes(&a, &b, &bytes, nullptr);
  double *scores = z.room<double>(6), *p = z.bytes.rarely(3) ? nullptr : z.room<double>(1);
  const Work work = some_work(z, bytes);
  z.call(nnp_geweke_draws, &a, &b, scores, p, work.memory, work.bytes);
}

void geweke_moments(Fuzz &z) {
  const nnp_draws a = some_table(z);
  size_t bytes = 0;
  nnp_geweke_bytes(&a, nullptr, &bytes, nullptr);
  const double *mean = z.values(3), *second = z.positive(3);
  double *scores = z.room<double>(6), *p = z.bytes.rarely(3) ? nullptr : z.room<double>(1);
  const Work work = some_work(z, bytes);
  z.call(nnp_geweke_moments, &a, mean, second, scores, p, work.memory, work.bytes);
}

// ---- studies, multistarts, twins ------------------------------------------------------------------

void study_bytes(Fuzz &z) {
  const Group group = some_chains(z);
  const nnp_data *test = z.pick(z.live.data);
  const int64_t capacity = z.bytes.size();
  z.call(nnp_study_bytes, group.given, group.count, test, capacity, z.room<size_t>(1));
}

void study_set(Fuzz &z) {
  nnp_study *study = z.pick(z.live.studies);
  const int32_t option = z.bytes.constant(study_options);
  double value = option_value(z);
  if (option == NNP_STUDY_SAMPLING) value = constant_value(value, samplings);
  if (option == NNP_STUDY_FUNCTION && value != 0) value = constant_value(value, scores);
  if (option == NNP_STUDY_STEPS && value > 300 && value < 1e300) value = 300;
  if (option == NNP_STUDY_STEPS && value == 0) value = 1;
  if (option == NNP_STUDY_SECONDS && value > 0.01) value = 0.01;
  z.call(nnp_study_set, study, option, value);
}

void study_thermalization(Fuzz &z) {
  nnp_study *study = z.pick(z.live.studies);
  const nnp_thermalization_options *options = some_options(z);
  z.call(nnp_study_thermalization, study, options);
}

int32_t own_function(nnp_chain *chain, double *value, void *user) {
  const int how = *static_cast<const int *>(user);
  const int32_t status = nnp_chain_log_density(chain, value, nullptr);
  if (how == 1) *value = NAN;
  return how == 2 ? own_status : status;
}

void study_function(Fuzz &z) {
  static const int manners[] = {0, 0, 1, 2};
  nnp_study *study = z.pick(z.live.studies);
  const bool none = z.bytes.rarely(4);
  void *user = const_cast<int *>(&manners[z.bytes.below(4)]);
  z.call(nnp_study_function, study, none ? nullptr : own_function, user);
}

// Steps of many rows are few.
bool many_rows(const Fuzz &z) {
  return std::any_of(std::begin(z.live.chains), std::end(z.live.chains),
                     [](const ChainSlot &slot) { return slot.handle && slot.n > 8; });
}

// Whether a callback looks on; it stops after `often` times its patience.
bool looks_on(Fuzz &z, int often) {
  z.new_manner();
  z.patience *= many_rows(z) || !z.seldom(3) ? 1 : often;
  return !z.bytes.rarely(3) || many_rows(z);
}

void study_run(Fuzz &z) {
  if (!z.seldom(2) || !z.affords(4)) return;
  nnp_study *study = z.pick(z.live.studies);
  const bool watched = looks_on(z, 8);
  check_finite(z, z.call(nnp_study_run, study, watched ? watch_study : nullptr, &z));
}

void multistart_bytes(Fuzz &z) {
  const Group group = some_chains(z);
  z.call(nnp_multistart_bytes, group.given, group.count, z.room<size_t>(1));
}

void multistart_set(Fuzz &z) {
  nnp_multistart *multistart = z.pick(z.live.multistarts);
  const int32_t option = z.bytes.constant(multistart_options);
  double value = option_value(z);
  if (option == NNP_MULTISTART_STEPS && value > 250 && value < 1e300) value = 250;
  z.call(nnp_multistart_set, multistart, option, value);
}

void multistart_run(Fuzz &z) {
  if (!z.seldom(5) || !z.affords(6)) return;
  nnp_multistart *multistart = z.pick(z.live.multistarts);
  const bool watched = looks_on(z, 32);
  const uint64_t seed = z.bytes.byte();
  check_finite(
      z, z.call(nnp_multistart_run, multistart, seed, watched ? watch_multistart : nullptr, &z));
}

void twin_run(Fuzz &z) {
  if (!z.affords(2)) return;
  nnp_twin *twin = z.pick(z.live.twins);
  const bool watched = looks_on(z, 16);
  int64_t steps = z.bytes.size();
  if (steps > 90 && !watched) steps = 90;
  const int32_t noisy = z.bytes.rarely(16) ? z.bytes.number() : z.bytes.below(2);
  const uint64_t seed = z.bytes.byte();
  check_finite(
      z, z.call(nnp_twin_run, twin, steps, noisy, seed, watched ? watch_multistart : nullptr, &z));
}

// ---- replica exchange -----------------------------------------------------------------------------

void exchange_bytes(Fuzz &z) {
  const Group group = some_chains(z);
  z.call(nnp_exchange_bytes, group.given, group.count, z.room<size_t>(1));
}

void exchange_set(Fuzz &z) {
  nnp_exchange *exchange = z.pick(z.live.exchanges);
  const int32_t option = z.bytes.constant(exchange_options);
  double value = option_value(z);
  if (option != NNP_EXCHANGE_REPLICAS && value > 4 && value < 1e300) value = 4;
  z.call(nnp_exchange_set, exchange, option, value);
}

void exchange_set_ladder(Fuzz &z) {
  nnp_exchange *exchange = z.pick(z.live.exchanges);
  const int64_t count = z.bytes.below(5);
  double *powers = z.room<double>(count);
  for (int64_t i = 0; powers && i < count; ++i)
    powers[i] = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 1;
  if (powers && count > 0 && z.bytes.rarely(3)) powers[z.bytes.byte() % count] = z.bytes.real();
  z.call(nnp_exchange_set_ladder, exchange, static_cast<const double *>(powers), count);
}

void exchange_start(Fuzz &z) {
  nnp_exchange *exchange = z.pick(z.live.exchanges);
  const int32_t from = z.bytes.rarely(8) ? z.bytes.constant(exchange_starts)
                                         : NNP_EXCHANGE_FROM_PRIOR + z.bytes.below(2);
  const uint64_t seed = z.bytes.byte();
  check_finite(z, z.call(nnp_exchange_start, exchange, from, seed));
}

void exchange_tune(Fuzz &z) {
  if (!z.affords(2)) return;
  nnp_exchange *exchange = z.pick(z.live.exchanges);
  const bool watched = looks_on(z, 1);
  check_finite(z, z.call(nnp_exchange_tune, exchange, watched ? watch_exchange : nullptr, &z));
}

void exchange_run(Fuzz &z) {
  nnp_exchange *exchange = z.pick(z.live.exchanges);
  const bool watched = looks_on(z, 1);
  int64_t sweeps = z.bytes.size();
  if (sweeps > 8 && !watched) sweeps = 8;
  check_finite(z,
               z.call(nnp_exchange_run, exchange, sweeps, watched ? watch_exchange : nullptr, &z));
}

void exchange_sample(Fuzz &z) {
  ExchangeSlot &exchange = z.some(z.live.exchanges);
  const bool watched = looks_on(z, 1);
  const int64_t count = z.bytes.below(5), thin = z.bytes.below(3);
  double *draws = z.room<double>(count * exchange.parameters);
  check_finite(z, z.call(nnp_exchange_sample, exchange.handle, draws, count, thin,
                         watched ? watch_exchange : nullptr, &z));
}

void exchange_record(Fuzz &z) {
  ExchangeSlot &exchange = z.some(z.live.exchanges);
  const int64_t capacity = z.bytes.size();
  if (capacity > 16 || !exchange.handle) return;
  std::unique_ptr<int32_t[]> buffer(
      new int32_t[static_cast<size_t>(std::max(capacity, int64_t{0}) * exchange.chains + 1)]);
  int32_t *levels = z.bytes.rarely(8) ? nullptr : buffer.get();
  if (z.call(nnp_exchange_record, exchange.handle, levels, capacity) == NNP_OK)
    exchange.record = std::move(buffer);
}

std::vector<uint8_t> saved(const nnp_exchange *exchange) {
  size_t size = 0;
  nnp_exchange_save_bytes(exchange, &size, nullptr);
  std::vector<uint8_t> block(size);
  if (size == 0 || nnp_exchange_save(exchange, block.data(), size, nullptr) != NNP_OK)
    block.clear();
  return block;
}

void exchange_save(Fuzz &z) {
  ExchangeSlot &exchange = z.some(z.live.exchanges);
  size_t size = 0;
  if (exchange.handle) nnp_exchange_save_bytes(exchange.handle, &size, nullptr);
  if (z.bytes.rarely(8) && size > 0) --size;
  if (size > static_cast<size_t>(Fuzz::longest)) return;
  void *buffer = z.room<char>(static_cast<int64_t>(size));
  z.call(nnp_exchange_save, static_cast<const nnp_exchange *>(exchange.handle), buffer, size);
}

// What was saved goes back, perhaps after a few sweeps: the same block comes out again.
void exchange_restore(Fuzz &z) {
  ExchangeSlot &exchange = z.some(z.live.exchanges);
  if (!exchange.handle) {
    z.call(nnp_exchange_restore, exchange.handle, static_cast<const void *>(nullptr), size_t{0});
    return;
  }
  const std::vector<uint8_t> good = saved(exchange.handle);
  std::vector<uint8_t> block = good;
  const int how = z.bytes.byte();
  if (how % 2) nnp_exchange_run(exchange.handle, 2, nullptr, nullptr, nullptr);
  if (how >= 254 && !block.empty()) block.resize(z.bytes.two() % block.size());
  if (how >= 240 && !block.empty()) block[z.bytes.two() % block.size()] ^= z.bytes.byte();
  block.shrink_to_fit();
  const int32_t status = z.call(nnp_exchange_restore, exchange.handle,
                                static_cast<const void *>(block.data()), block.size());
  if (how < 240 && !good.empty() && status != NNP_OK)
    broken("an exchange as it was saved is refused (%d)", static_cast<int>(status));
  if (status == NNP_OK && block == good && saved(exchange.handle) != good)
    broken("a restored exchange saves another block");
}

// ---- ranks ------------------------------------------------------------------------------------------

// Functions of a communicator that all fail: a call that ranks would share out ends at once, and
// changes nothing.
int32_t lost_allgather(const void *, void *, int64_t, void *) {
  return 5;
}
int32_t lost_broadcast(void *, int64_t, int32_t, void *) {
  return 5;
}
int32_t lost_exchange(const void *, void *, int64_t, int32_t, void *) {
  return 5;
}

// Ranks are slow: one play in four is performed, chosen by a hash of its bytes, so that most of the
// inputs made from one that plays are quick.
bool is_chosen(const Bytes &bytes) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < bytes.left(); ++i) hash = (hash ^ bytes.rest()[i]) * 16777619u;
  return bytes.left() > 0 && (hash ^ hash >> 16) % 4 == 0;
}

void team_comm(Fuzz &z) {
  z.call(nnp_team_comm, nullptr, z.bytes.size(), nullptr);
  if (z.seldom(5) && z.affords(8) && is_chosen(z.bytes)) play_team(z.bytes);
}

void chain_use_comm(Fuzz &z) {
  nnp_comm comm = {};
  comm.size = z.bytes.rarely(4) ? 2 : 1;
  comm.allgather = z.bytes.rarely(8) ? nullptr : lost_allgather;
  comm.broadcast = lost_broadcast;
  comm.exchange = lost_exchange;
  comm.checked = z.bytes.rarely(8) ? z.bytes.number() : 0;
  if (z.bytes.rarely(16)) comm.rank = z.bytes.number();
  if (z.bytes.rarely(16)) comm.reserved[z.bytes.below(4)] = z.bytes.size();
  const nnp_comm *given = z.nothing() ? nullptr : &comm;
  z.call(nnp_chain_use_comm, z.pick(z.live.chains), given);
}

// A team lives for one call.
void team(Fuzz &z, bool in_place) {
  const int64_t ranks = z.bytes.rarely(16) ? z.bytes.size() : 1 + z.bytes.below(4);
  Block block(8192);
  nnp_team *made = nullptr;
  const int32_t status = in_place ? z.call(nnp_team_init, &made, block.memory, size_t{8192}, ranks)
                                  : z.call(nnp_team_create, z.nothing() ? nullptr : &made, ranks);
  if ((status == NNP_OK) != (made != nullptr)) broken("a team of status %d", status);
  if (!made) return;
  nnp_comm comm = {};
  const int64_t rank = z.bytes.below(5);
  if ((nnp_team_comm(made, rank, &comm, nullptr) == NNP_OK) != (rank < ranks))
    broken("a team of %d gave rank %d", static_cast<int>(ranks), static_cast<int>(rank));
  in_place ? nnp_team_close(made) : nnp_team_free(made);
}

// Where no folder can be.
void folder(Fuzz &z, bool in_place) {
  const char *path = z.nothing() ? nullptr : "/dev/null/nnpost";
  const int64_t size = z.bytes.rarely(16) ? z.bytes.size() : 1 + z.bytes.below(4);
  const int64_t rank = z.bytes.below(4);
  const double patience = z.bytes.rarely(8) ? z.bytes.real() : 1;
  Block block(8192);
  nnp_folder *made = nullptr;
  if (in_place)
    z.call(nnp_folder_init, &made, block.memory, size_t{8192}, path, rank, size, patience);
  else
    z.call(nnp_folder_create, &made, path, rank, size, patience);
  if (made) broken("%s", "a folder where none can be");
}

// ---- the table ------------------------------------------------------------------------------------

struct Row {
  const char *name;
  int flags;
  void (*call)(Fuzz &z);
};

#define GENERIC(function)                                   \
  {                                                         \
#function, plain, [](Fuzz & z) { z.generic(function); } \
  }
#define GENERIC_OF(function, ...)                                          \
  {                                                                        \
#function, plain, [](Fuzz & z) { z.generic(function, {__VA_ARGS__}); } \
  }
#define GENERIC_THAT(flags, function)                       \
  {                                                         \
#function, flags, [](Fuzz & z) { z.generic(function); } \
  }
#define BY_HAND(function, how) \
  { #function, plain, how }
#define THAT(flags, function, how) \
  { #function, flags, how }
#define BUILT(object, how)                                                \
  THAT(allocates, nnp_##object##_create, [](Fuzz &z) { how(z, false); }), \
      BY_HAND(nnp_##object##_init, [](Fuzz &z) { how(z, true); })
#define FREED(object, slots) \
  THAT(allocates, nnp_##object##_free, [](Fuzz &z) { dropped(z, z.live.slots); })

const Row rows[] = {
    BY_HAND(nnp_status_name,
            [](Fuzz &z) {
              if (!nnp_status_name(z.bytes.number())) broken("nnp_status_name gave NULL");
            }),
    BY_HAND(nnp_version,
            [](Fuzz &) {
              if (std::strcmp(nnp_version(), NNP_VERSION) != 0) broken("nnp_version gave another");
            }),
    BY_HAND(nnp_abi_version,
            [](Fuzz &) {
              if (nnp_abi_version() != NNP_ABI_VERSION) broken("nnp_abi_version gave another");
            }),
    GENERIC(nnp_build_info),
    GENERIC_OF(nnp_head_info, heads),

    THAT(allocates, nnp_net_create, net_create),
    THAT(allocates, nnp_net_create_image, net_create_image),
    FREED(net, nets),
    GENERIC(nnp_net_bytes),
    BY_HAND(nnp_net_init, net_init),
    THAT(allocates, nnp_net_copy, net_copy),
    BY_HAND(nnp_net_init_copy, net_init_copy),
    GENERIC(nnp_net_dense),
    GENERIC_OF(nnp_net_activation, activations),
    GENERIC(nnp_net_conv2d),
    GENERIC(nnp_net_avgpool),
    GENERIC(nnp_net_maxpool),
    GENERIC(nnp_net_image),
    GENERIC_OF(nnp_net_head, heads),
    GENERIC_OF(nnp_net_set, properties),
    GENERIC_OF(nnp_net_get, properties),
    GENERIC_OF(nnp_net_learn, properties),
    BY_HAND(nnp_net_learn_tied, net_learn_tied),
    GENERIC_OF(nnp_net_fix, properties),
    GENERIC_OF(nnp_net_learned, properties),
    GENERIC(nnp_net_temperature),
    GENERIC(nnp_net_layers),
    GENERIC(nnp_net_parameters),
    GENERIC(nnp_net_outputs),
    GENERIC(nnp_net_targets),
    GENERIC(nnp_net_latents),
    GENERIC(nnp_net_layer),
    BY_HAND(nnp_net_find_layer, net_find_layer),
    BY_HAND(nnp_net_shape, net_shape),
    GENERIC(nnp_net_parameter_name),
    GENERIC(nnp_net_print),

    BUILT(data, new_data),
    FREED(data, data),
    GENERIC(nnp_data_bytes),
    BY_HAND(nnp_data_set_inputs, data_set_inputs),
    BY_HAND(nnp_data_set_targets, data_set_targets),
    THAT(allocates, nnp_data_create_from, [](Fuzz &z) { new_data_from(z, false); }),
    BY_HAND(nnp_data_init_from, [](Fuzz &z) { new_data_from(z, true); }),
    BY_HAND(nnp_data_bytes_from, data_bytes_from),
    THAT(allocates, nnp_data_create_rows, [](Fuzz &z) { new_data_rows(z, false); }),
    BY_HAND(nnp_data_init_rows, [](Fuzz &z) { new_data_rows(z, true); }),
    BY_HAND(nnp_data_bytes_rows,
            [](Fuzz &z) {
              const nnp_rows part = some_part(z);
              size_t bytes = 0;
              z.call(nnp_data_bytes_rows, z.nothing() ? nullptr : &part,
                     static_cast<const nnp_comm *>(nullptr), z.bytes.size(), z.bytes.size(),
                     z.nothing() ? nullptr : &bytes);
            }),
    BY_HAND(nnp_rows_split,
            [](Fuzz &z) {
              nnp_rows part = {};
              z.call(nnp_rows_split, static_cast<const nnp_comm *>(nullptr), z.bytes.size(),
                     z.bytes.size(), z.nothing() ? nullptr : &part);
            }),
    GENERIC(nnp_rows_of_block),
    GENERIC(nnp_data_store),
    BY_HAND(nnp_data_set_labels, data_set_labels),
    BY_HAND(nnp_data_targets, data_targets),
    BY_HAND(nnp_data_labels, data_labels),

    BUILT(pool, new_pool),
    FREED(pool, pools),
    GENERIC(nnp_pool_bytes),
    THAT(allocates, nnp_pool_close, [](Fuzz &z) { dropped(z, z.live.pools); }),

    BUILT(team, team),
    GENERIC(nnp_team_bytes),
    THAT(allocates, nnp_team_free, [](Fuzz &) { nnp_team_free(nullptr); }),
    BY_HAND(nnp_team_close, [](Fuzz &) { nnp_team_close(nullptr); }),
    BY_HAND(nnp_team_comm, team_comm),
    BUILT(folder, folder),
    GENERIC(nnp_folder_bytes),
    THAT(allocates, nnp_folder_free, [](Fuzz &) { nnp_folder_free(nullptr); }),
    BY_HAND(nnp_folder_comm, [](Fuzz &z) { z.call(nnp_folder_comm, nullptr, nullptr); }),

    THAT(runs, nnp_throttled, throttled_run),
    BUILT(chain, new_chain),
    FREED(chain, chains),
    GENERIC_OF(nnp_chain_bytes, samplers, posteriors),
    BY_HAND(nnp_chain_set, chain_set),
    GENERIC_OF(nnp_chain_get, options),
    GENERIC_OF(nnp_option_info, options),
    GENERIC(nnp_chain_use_pool),
    BY_HAND(nnp_chain_use_comm, chain_use_comm),
    THAT(starts, nnp_chain_start, chain_start),
    THAT(starts, nnp_chain_start_weights, chain_start_weights),
    THAT(starts, nnp_chain_start_state, chain_start_state),
    THAT(starts | runs, nnp_chains_start, chains_start),
    THAT(runs, nnp_chain_descend, chain_descend),
    THAT(runs, nnp_chains_descend, chains_descend),
    GENERIC(nnp_chain_descent),
    BY_HAND(nnp_chain_anneal, chain_anneal),
    GENERIC(nnp_chain_annealing),
    BY_HAND(nnp_outlook_tell, outlook_tell),
    THAT(runs, nnp_chain_run, chain_run),
    THAT(runs, nnp_chain_sample, chain_sample),
    THAT(runs, nnp_chains_run, chains_run),
    THAT(runs, nnp_chains_sample, chains_sample),
    GENERIC(nnp_chain_steps),
    GENERIC(nnp_chain_draws),
    BY_HAND(nnp_chain_parameters, chain_parameters),
    BY_HAND(nnp_chain_site, chain_site),
    GENERIC(nnp_chain_log_density),
    BY_HAND(nnp_chain_terms, chain_terms),
    GENERIC(nnp_chain_gradient_statistic),
    GENERIC_OF(nnp_chain_moves, moves),
    GENERIC(nnp_chain_print),
    GENERIC(nnp_chain_probit_draws),
    BY_HAND(nnp_chain_predict, chain_predict),
    GENERIC_OF(nnp_chain_score, scores),
    GENERIC_OF(nnp_chain_statistic, step_statistics),
    BY_HAND(nnp_chain_record, chain_record),
    GENERIC(nnp_chain_recorded),
    GENERIC(nnp_chain_variables),
    BY_HAND(nnp_chain_set_scales, chain_set_scales),
    BY_HAND(nnp_chain_scales, chain_scales),
    GENERIC(nnp_chain_save_bytes),
    BY_HAND(nnp_chain_save, chain_save),
    BY_HAND(nnp_chain_restore, chain_restore),
    BY_HAND(nnp_chain_restore_rows, chain_restore_rows),
    BY_HAND(nnp_saved_rows, chain_restore_rows),
    BY_HAND(nnp_draws_save_bytes, merge_draws),
    BY_HAND(nnp_draws_save, merge_draws),
    BY_HAND(nnp_draws_saved, merge_draws),
    BY_HAND(nnp_draws_merge, merge_draws),

    BUILT(predictor, new_predictor),
    FREED(predictor, predictors),
    GENERIC(nnp_predictor_bytes),
    GENERIC_OF(nnp_predictor_noise, noises),
    BY_HAND(nnp_predictor_passes, predictor_passes),
    GENERIC_OF(nnp_predictor_set, options),
    GENERIC_OF(nnp_predictor_posterior, posteriors),
    BY_HAND(nnp_predictor_levels, predictor_levels),
    BY_HAND(nnp_predictor_weights, predictor_weights),
    BY_HAND(nnp_predictor_units, predictor_units),
    GENERIC(nnp_predictor_pool_bytes),
    BY_HAND(nnp_predictor_use_pool, predictor_use_pool),
    BY_HAND(nnp_predictor_watch, predictor_watch),
    BY_HAND(nnp_predict, predict),
    BY_HAND(nnp_score, score),
    BY_HAND(nnp_log_lik, log_lik),

    GENERIC_OF(nnp_model_choose, activations, posteriors),
    GENERIC_OF(nnp_recommend_head, activations, posteriors),
    GENERIC_OF(nnp_model_defaults, heads),
    THAT(allocates, nnp_net_create_model, net_create_model),
    BY_HAND(nnp_net_init_model, net_init_model),
    GENERIC_OF(nnp_recommend, posteriors),
    BY_HAND(nnp_chain_use_recipe, chain_use_recipe),
    BY_HAND(nnp_standard, standard),
    BY_HAND(nnp_standardize, standardize),
    BY_HAND(nnp_unstandardize, unstandardize),
    BY_HAND(nnp_recommend_transform_bytes, recommend_transform_bytes),
    BY_HAND(nnp_recommend_transform, recommend_transform),
    BY_HAND(nnp_transform, transform),

    THAT(allocates | runs, nnp_table_create, table),
    THAT(allocates | runs, nnp_table_free, table),
    THAT(allocates | runs, nnp_table_set, table),
    THAT(allocates | runs, nnp_table_get, table),
    THAT(allocates | runs, nnp_table_setting_info, table),
    THAT(allocates | runs, nnp_table_hidden, table),
    THAT(allocates | runs, nnp_table_option, table),
    THAT(allocates | runs, nnp_table_watch, table),
    THAT(allocates | runs, nnp_table_fit, table),
    THAT(allocates | runs, nnp_table_fit_labels, table),
    THAT(allocates | runs, nnp_table_predict, table),
    THAT(allocates | runs, nnp_table_interval, table),
    THAT(allocates | runs, nnp_table_classify, table),
    THAT(allocates | runs, nnp_table_text, table),
    THAT(allocates | runs, nnp_table_convergence, table),
    THAT(allocates | runs, nnp_table_loo, table),
    THAT(allocates | runs, nnp_table_inside, table),
    THAT(allocates | runs, nnp_table_recipe, table),
    THAT(allocates | runs, nnp_table_weigh, table),
    THAT(allocates | runs, nnp_table_predictor, table),
    THAT(allocates | runs, nnp_table_data, table),
    THAT(allocates | runs, nnp_table_save_bytes, table),
    THAT(allocates | runs, nnp_table_save, table),
    THAT(allocates | runs, nnp_table_restore, table),

    BUILT(teacher, new_teacher),
    FREED(teacher, teachers),
    GENERIC(nnp_teacher_bytes),
    BY_HAND(nnp_teacher_parameters, teacher_parameters),
    BY_HAND(nnp_teacher_set_parameters, teacher_set_parameters),
    BY_HAND(nnp_teacher_label, teacher_label),
    THAT(starts, nnp_chain_start_teacher, chain_start_teacher),

    GENERIC(nnp_draws_advice),
    THAT(allocates | runs, nnp_keeper_create, kept_on_heap),
    THAT(runs, nnp_keeper_init, kept_in_place),
    THAT(allocates | runs, nnp_keeper_free, kept_on_heap),
    BY_HAND(nnp_keeper_bytes, keeper_bytes),
    THAT(runs, nnp_keeper_width, kept_in_place),
    THAT(runs, nnp_keeper_store, kept_in_place),
    THAT(runs, nnp_keeper_stored, kept_in_place),
    THAT(runs, nnp_keeper_moments, kept_in_place),
    THAT(runs, nnp_chains_keep, kept_in_place),
    THAT(allocates | runs, nnp_keeper_file, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_create, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_open, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_free, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_info, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_chain, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_view, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_save_bytes, kept_on_heap),
    THAT(allocates | runs, nnp_draws_file_save, kept_on_heap),

    BY_HAND(nnp_draws_init, draws_init),
    BY_HAND(nnp_statistic_name,
            [](Fuzz &z) {
              if (!nnp_statistic_name(z.bytes.constant(statistics)))
                broken("nnp_statistic_name gave NULL");
            }),
    BY_HAND(nnp_statistic_bytes, statistic_bytes),
    BY_HAND(nnp_statistic, statistic),
    BY_HAND(nnp_nested_rhat, nested_rhat),
    GENERIC(nnp_functions_count),
    BY_HAND(nnp_functions, functions),
    GENERIC(nnp_function_name),
    BY_HAND(nnp_convergence_bytes, convergence_bytes),
    BY_HAND(nnp_convergence_of, convergence_of),
    GENERIC(nnp_convergence_text),
    BY_HAND(nnp_loo_bytes, loo_bytes),
    BY_HAND(nnp_loo, loo),
    GENERIC(nnp_stacking_bytes),
    BY_HAND(nnp_stacking, stacking),
    BY_HAND(nnp_stack_chains_bytes, stack_chains_bytes),
    BY_HAND(nnp_stack_chains, stack_chains),
    BY_HAND(nnp_block_rhat_bytes, block_rhat_bytes),
    BY_HAND(nnp_block_rhat, block_rhat),
    GENERIC(nnp_thermalization_bytes),
    GENERIC(nnp_thermalization_defaults),
    BY_HAND(nnp_thermalization, thermalization),
    GENERIC(nnp_verdict_text),
    BY_HAND(nnp_stationarity, stationarity),
    BY_HAND(nnp_gradient_settling, gradient_settling),
    BY_HAND(nnp_rhat_settling, rhat_settling),
    BY_HAND(nnp_criteria, criteria),

    BUILT(study, new_study),
    FREED(study, studies),
    BY_HAND(nnp_study_bytes, study_bytes),
    BY_HAND(nnp_study_set, study_set),
    GENERIC_OF(nnp_study_get, study_options),
    GENERIC_OF(nnp_study_option_info, study_options),
    BY_HAND(nnp_study_thermalization, study_thermalization),
    GENERIC(nnp_study_partner),
    BY_HAND(nnp_study_function, study_function),
    THAT(runs, nnp_study_run, study_run),
    GENERIC(nnp_study_state),
    GENERIC(nnp_study_report),
    GENERIC_OF(nnp_study_series, study_series),
    GENERIC(nnp_study_print),

    BUILT(multistart, new_multistart),
    FREED(multistart, multistarts),
    BY_HAND(nnp_multistart_bytes, multistart_bytes),
    BY_HAND(nnp_multistart_set, multistart_set),
    GENERIC_OF(nnp_multistart_get, multistart_options),
    THAT(runs, nnp_multistart_run, multistart_run),
    GENERIC(nnp_multistart_report),
    GENERIC(nnp_multistart_best),
    GENERIC(nnp_multistart_print),

    BUILT(twin, new_twin),
    FREED(twin, twins),
    GENERIC(nnp_twin_bytes),
    THAT(runs, nnp_twin_run, twin_run),
    GENERIC(nnp_twin_report),
    GENERIC(nnp_twin_text),
    GENERIC(nnp_twin_series),

    BUILT(exchange, new_exchange),
    FREED(exchange, exchanges),
    BY_HAND(nnp_exchange_bytes, exchange_bytes),
    BY_HAND(nnp_exchange_set, exchange_set),
    GENERIC_OF(nnp_exchange_get, exchange_options),
    BY_HAND(nnp_exchange_set_ladder, exchange_set_ladder),
    THAT(starts, nnp_exchange_start, exchange_start),
    THAT(runs, nnp_exchange_tune, exchange_tune),
    THAT(runs, nnp_exchange_run, exchange_run),
    THAT(runs, nnp_exchange_sample, exchange_sample),
    BY_HAND(nnp_exchange_record, exchange_record),
    GENERIC(nnp_exchange_recorded),
    GENERIC(nnp_exchange_report),
    GENERIC(nnp_exchange_text),
    GENERIC(nnp_exchange_level),
    GENERIC(nnp_exchange_save_bytes),
    BY_HAND(nnp_exchange_save, exchange_save),
    BY_HAND(nnp_exchange_restore, exchange_restore),

    BY_HAND(nnp_sbc_ranks, sbc_ranks),
    BY_HAND(nnp_sbc_histogram, sbc_histogram),
    BY_HAND(nnp_geweke_bytes, geweke_bytes),
    BY_HAND(nnp_geweke_draws, geweke_draws),
    BY_HAND(nnp_geweke_moments, geweke_moments),
};
constexpr size_t beginning = 1 + recipe_bytes + 1;
constexpr size_t row_count = sizeof rows / sizeof *rows;

// So that inputs keep their meaning when rows are added.
uint16_t hash_of(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; ++name) hash = (hash ^ static_cast<uint8_t>(*name)) * 16777619u;
  return static_cast<uint16_t>(hash ^ hash >> 16);
}

const Row &row_of(uint16_t number) {
  static const std::vector<int16_t> known = [] {
    std::vector<int16_t> made(1 << 16, -1);
    for (size_t i = 0; i < row_count; ++i) made[hash_of(rows[i].name)] = static_cast<int16_t>(i);
    return made;
  }();
  return rows[known[number] >= 0 ? static_cast<size_t>(known[number]) : number % row_count];
}

// ---- what a sequence begins with ------------------------------------------------------------------

// A network, data, two or three chains of it, a predictor and a teacher, or nothing.
void prepare(Fuzz &z) {
  if (z.bytes.byte() == 0) return;
  const Recipe recipe = some_recipe(z.bytes);
  NetSlot &net = z.live.nets[0];
  DataSlot &data = z.live.data[0];
  net.block = Block(net_bytes(few_layers));
  net.bytes = net.block.bytes;
  nnp_net_init(&net.handle, net.block.memory, net.bytes, few_layers, inputs_of(recipe), nullptr);
  complete(recipe, net.handle);
  const Sizes sizes = sizes_of(net.handle);
  data.n = rows_of(recipe);
  data.features = features_of(net.handle);
  data.outputs = sizes.targets;
  data.handle = data_of(recipe, net.handle);
  const int count = 1 + z.bytes.below(3);
  for (int c = 0; c < count; ++c) {
    ChainSlot &chain = z.live.chains[c];
    chain.sampler = recipe.sampler;
    chain.posterior = recipe.posterior;
    chain.handle = chain_of(recipe, net.handle, data.handle);
    if (!chain.handle) continue;
    chain.sizes = sizes;
    chain.n = data.n;
    nnp_chain_variables(chain.handle, &chain.variables, nullptr);
    chain.net = copied_to(chain.net_block, net.handle);
    nnp_chain_start(chain.handle, NNP_START_PRIOR, 1, static_cast<uint64_t>(c), nullptr);
  }
  z.live.due.net = copied_to(z.live.due.block, net.handle);
  z.live.due.posterior = recipe.posterior;
  z.live.due.predictor = z.live.due.teacher = true;
}

}  // namespace

void list_rows() {
  for (const Row &row : rows) std::puts(row.name);
}

namespace {

// What a user would do: rows, and the bytes of their arguments; all others are 0. (A size of 0 … 7 is
// itself, more are 200 and a byte; callbacks have patience 8.)
constexpr const char *stories[] = {
    "nnp_pool_create 0 2 nnp_chain_use_pool nnp_chains_run 2 0 0 0 0 7 0 2 4 nnp_chain_run "
    "0 0 7 1 0 5 nnp_chain_log_density nnp_chain_restore 0 1 0",
    "nnp_study_create 2 0 0 0 0 0 0 0 0 nnp_study_set 0 0 6 1 1 2 nnp_study_set 0 0 11 1 4 "
    "nnp_study_set 0 0 10 1 2 nnp_study_run 0 0 7 1 2 nnp_study_report 0 0 1 "
    "nnp_study_print nnp_study_series 0 0 1 4 nnp_study_run 0 0 7 1 0",
    "nnp_multistart_create 2 0 nnp_multistart_run 0 0 7 0 2 9 nnp_multistart_best "
    "nnp_multistart_print nnp_multistart_report 0 0 1",
    "nnp_twin_create nnp_twin_run 0 0 7 0 2 200 90 0 1 5 nnp_twin_report nnp_twin_text "
    "nnp_twin_series 0 0 1 nnp_twin_run 0 0 7 0 0 200 80 0 0 5 nnp_twin_text",
    "nnp_teacher_label 0 0 1 0 nnp_chain_start_teacher 0 0 1 nnp_chain_run 0 0 7 1 2 6 "
    "nnp_chain_terms nnp_chain_gradient_statistic 0 0 1 nnp_chain_print",
    "nnp_chain_set 0 0 20 1 2 nnp_chain_run 0 0 7 1 2 6 nnp_chain_set 0 0 3 1 1 "
    "nnp_chain_run 0 0 7 1 2 6 nnp_chain_descend 0 0 7 0 0 7 nnp_chain_predict",
    "nnp_chain_set 0 0 3 1 2 nnp_chain_set 0 0 2 1 2 nnp_chain_anneal 0 0 8 5 "
    "nnp_chain_sample 0 7 0 2 3 2 nnp_chain_set 0 0 2 1 3 nnp_chain_run 0 0 7 1 2 6",
    "nnp_predictor_levels 0 0 5 nnp_predict 0 0 0 0 4 nnp_predict 0 0 0 1 4 nnp_predict 0 "
    "0 0 2 4 nnp_predict 0 0 0 3 4 nnp_predict 0 0 0 4 4 nnp_predict 0 0 0 5 4 nnp_score 0 "
    "0 0 2 4 nnp_log_lik 0 0 4 nnp_functions 0 0 0 4 nnp_predictor_posterior 0 0 3 "
    "nnp_log_lik 0 0 4",
    "nnp_chain_start 0 5 nnp_chain_run 0 0 7 1 2 6 nnp_chain_moves 0 0 3 nnp_chains_start "
    "2 0 0 0 0 4 7 nnp_chains_sample 2 0 0 0 0 7 0 2 3 2",
    "nnp_exchange_create 2 0 nnp_exchange_start 0 0 0 0 7 nnp_exchange_tune 0 0 7 0 2 "
    "nnp_exchange_run 0 0 7 0 2 6 nnp_exchange_report nnp_exchange_text nnp_exchange_level 0 0 1 "
    "nnp_exchange_sample 0 7 0 2 4 1 nnp_exchange_save nnp_exchange_restore 0 1 "
    "nnp_exchange_set_ladder 0 0 3 nnp_exchange_start 0 0 0 1 3 nnp_exchange_run 0 0 7 0 0 4",
    // ranks: a size, whether there is an error; shape, activation, head, scales, rows, width,
    // sampler, posterior, store; how many, by rows, checked, odd, start; zeros, and a number that
    // makes is_chosen true
    "nnp_team_comm 0 0 1 0 0 0 0 2 0 0 0 0 1 0 0 0 0 0 0 0 0",
    "nnp_team_comm 0 0 1 0 0 3 0 2 1 0 0 1 1 0 0 3 0 0 0 0 3",
    "nnp_team_comm 0 0 1 0 1 0 0 2 0 0 0 1 1 3 0 1 0 0 0 0 3",
    "nnp_team_comm 0 0 1 0 0 0 0 2 2 1 0 0 1 0 0 2 0 0 0 0 1",
    "nnp_team_comm 0 0 1 0 0 0 0 2 0 0 0 0 0 0 0 3 0 0 0 0 1",
    "nnp_team_comm 0 0 1 0 2 0 0 2 3 1 0 1 0 3 0 0 0 0 0 0 0",
    "nnp_team_comm 0 0 1 0 0 0 0 2 0 0 0 0 0 0 3 1 1 0 0 0 3",
    "nnp_team_comm 0 0 1 0 0 0 0 2 0 0 0 0 1 0 3 1 4 0 0 0 3",
    "nnp_team_comm 0 0 1 0 0 0 0 2 0 0 0 0 1 0 3 1 3 0 0 0 3",
    "nnp_team_comm 0 0 2 0 0 5 0 2 0 0 0 0 1 0 3 0 0 0 0 0 3",
};
constexpr int64_t story_count = sizeof stories / sizeof *stories;

}  // namespace

// What a user would do with chains of every kind; then every row among calls at random.
bool seed_input(int64_t number, std::vector<uint8_t> &bytes) {
  constexpr int64_t rounds = 12, kinds = 200;
  const int64_t told = kinds * story_count;
  if (number >= told + rounds * static_cast<int64_t>(row_count)) return false;
  uint64_t state = 0x9e3779b97f4a7c15u * static_cast<uint64_t>(number + 1);
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint8_t>(state >> 56);
  };
  const auto add_name = [&](const char *name, size_t length) {
    bytes.push_back(static_cast<uint8_t>(hash_of(name)));
    bytes.push_back(static_cast<uint8_t>(hash_of(name) >> 8));
    bytes.push_back(static_cast<uint8_t>(length));
  };
  const auto add_row = [&](const char *name) {
    const size_t length = next() % 16;
    add_name(name, length);
    for (size_t i = 0; i < length; ++i)
      bytes.push_back(static_cast<uint8_t>(next() % 4 ? next() % 64 : next()));
  };
  bytes.assign(1, number % 16 == 15 ? 0 : 1);
  for (size_t i = 0; i < recipe_bytes; ++i) bytes.push_back(next());
  bytes.push_back(2);  // three chains
  if (number < told) {
    std::istringstream words(stories[number % story_count]);
    size_t length_at = 0;
    for (std::string word; words >> word;)
      if (word[0] == 'n') {
        add_name(word.c_str(), 0);
        length_at = bytes.size() - 1;
      } else {
        bytes.push_back(static_cast<uint8_t>(std::stoi(word)));
        ++bytes[length_at];
      }
    return true;
  }
  for (int i = 0; i < 3; ++i) add_row(i % 2 ? "nnp_chain_run" : rows[next() % row_count].name);
  add_row(rows[number % static_cast<int64_t>(row_count)].name);
  for (int i = next() % 8; i > 0; --i) add_row(rows[next() % row_count].name);
  return true;
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz::Deadline deadline;
  constexpr int most_calls = 64;
  fuzz::Bytes bytes(data, size);
  fuzz::Fuzz z;
  z.bytes = bytes.part(fuzz::beginning);
  fuzz::prepare(z);
  for (int i = 0; i < most_calls && !bytes.done(); ++i) {
    const fuzz::Row &row = fuzz::row_of(bytes.two());
    z.begin(bytes.part(bytes.byte() % 64));
    z.name = row.name;
    z.flags = row.flags;
    row.call(z);
    z.forget();
  }
  return 0;
}
