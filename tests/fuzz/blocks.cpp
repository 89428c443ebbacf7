// Saved chains with words changed and a right checksum: each is refused and leaves the chain as it
// was, or it is a chain that runs to finite values or a status.
//
// An input: a byte for the kind of chain, one for the number of changes, then for each two bytes for the word, one for the
// manner and what that decodes.
#include <array>
#include <memory>
#include <string>

#include "tests/fuzz/contract.hpp"
#include "tests/fuzz/recipe.hpp"
#include "tests/fuzz/target.hpp"

namespace fuzz {

namespace {

using Saved = std::vector<uint8_t>;

// ---- the layout of a block (lib/sampler/save.cpp) -------------------------------------------------

constexpr size_t size_at = 16, checksum_at = 72, header_size = 80;

void add_to_checksum(uint64_t &hash, const uint8_t *p, size_t size) {
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  for (; size > 0; ++p, --size) hash = (hash ^ *p) * 0x100000001b3u;
}

void make_checksum_right(Saved &block) {
  uint64_t hash = 0xcbf29ce484222325u, said = 0;
  std::memset(block.data() + checksum_at, 0, 8);
  std::memcpy(&said, block.data() + size_at, 8);
  const size_t size = said >= header_size && said <= block.size() ? said : block.size();
  add_to_checksum(hash, block.data(), header_size);
  add_to_checksum(hash, block.data() + header_size, size - header_size);
  std::memcpy(block.data() + checksum_at, &hash, 8);
}

// ---- chains ---------------------------------------------------------------------------------------

constexpr int kind_count = 64;

Saved saved(const nnp_chain *chain) {
  size_t size = 0;
  nnp_chain_save_bytes(chain, &size, nullptr);
  Saved block(size);
  nnp_error err;
  if (nnp_chain_save(chain, block.data(), size, &err) != NNP_OK)
    broken("a chain cannot be saved: %s", err.message);
  return block;
}

int32_t stop_at(const nnp_progress *progress, void *user) {
  return progress->step >= *static_cast<const int64_t *>(user);
}

struct Kind {
  nnp_net *net = nullptr;
  nnp_data *data = nullptr;
  nnp_chain *chain = nullptr;
  int64_t parameters = 0;
  Saved good;
};

// Chains that have run for a while: those of gradient samplers within their warm-up, or behind it.
void make(int number, Kind &kind) {
  uint64_t state = 0x9e3779b97f4a7c15u * static_cast<uint64_t>(number + 1);
  for (int attempt = 0; !kind.chain; ++attempt) {
    uint8_t wanted[recipe_bytes];
    for (uint8_t &byte : wanted) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<uint8_t>((state >> 56) % 200);
    }
    wanted[6] = static_cast<uint8_t>(number);  // every sampler
    Bytes bytes(wanted, sizeof wanted);
    const Recipe recipe = some_recipe(bytes);
    nnp_data_free(kind.data);
    nnp_net_free(kind.net);
    kind.net = net_of(recipe);
    kind.data = data_of(recipe, kind.net);
    kind.chain = chain_of(recipe, kind.net, kind.data);
    if (!kind.chain) continue;
    int64_t steps = 30;
    nnp_chain_set(kind.chain, NNP_OPTION_WARMUP, number % 3 == 0 ? 60 : 20, nullptr);
    nnp_chain_set(kind.chain, NNP_OPTION_SINGLE_GRADIENTS, number / 4 % 2, nullptr);
    nnp_chain_start(kind.chain, NNP_START_PRIOR, 5, 2, nullptr);
    if (number % 5 == 4) nnp_chain_anneal(kind.chain, 50, number % 2 ? 100 : 10, nullptr);
    if (nnp_chain_run(kind.chain, INT64_MAX, stop_at, &steps, nullptr) == NNP_STOPPED) continue;
    nnp_chain_free(kind.chain);
    kind.chain = nullptr;
  }
  nnp_net_parameters(kind.net, &kind.parameters, nullptr);
  kind.good = saved(kind.chain);
}

Kind &kind_of(int number) {
  static std::array<Kind, kind_count> kinds;
  if (!kinds[static_cast<size_t>(number)].chain) make(number, kinds[static_cast<size_t>(number)]);
  return kinds[static_cast<size_t>(number)];
}

// ---- changes --------------------------------------------------------------------------------------

void change(Bytes &bytes, Saved &block) {
  constexpr int64_t integers[] = {0, 1, 2, 3, -1, 1000, INT64_MAX, INT64_MIN, int64_t{1} << 40, 13};
  const size_t place = bytes.two();
  const int manner = bytes.byte();
  // as often one of the header and options as one of the long pieces
  const size_t words = manner < 128 ? block.size() / 8 : std::min(block.size() / 8, size_t{120});
  uint8_t *at = block.data() + place % words * 8;
  uint64_t word = 0;
  std::memcpy(&word, at, 8);
  if (manner % 6 == 0) word = bytes.word();
  if (manner % 6 == 1) word ^= uint64_t{1} << bytes.below(64);
  if (manner % 6 == 2) {
    const double value = bytes.real();
    std::memcpy(&word, &value, 8);
  }
  if (manner % 6 == 3) word = static_cast<uint64_t>(integers[bytes.below(10)]);
  if (manner % 6 == 4) {
    const int32_t value = bytes.number();
    std::memcpy(reinterpret_cast<uint8_t *>(&word) + 4 * bytes.below(2), &value, 4);
  }
  if (manner % 6 == 5) std::memcpy(&word, block.data() + bytes.two() % (block.size() / 8) * 8, 8);
  std::memcpy(at, &word, 8);
}

bool is_refusal(int32_t status) {
  return status == NNP_E_SAVE_CORRUPTED || status == NNP_E_SAVE_TRUNCATED ||
         status == NNP_E_SAVE_VERSION || status == NNP_E_SAVE_NETWORK ||
         status == NNP_E_SAVE_DATA || status == NNP_E_UNSUPPORTED;
}

// Steps that are allowed, and long.
bool is_long(const nnp_chain *chain) {
  for (int32_t option :
       {NNP_OPTION_LEAPFROGS, NNP_OPTION_UNIT_MOVES, NNP_OPTION_SCALE_MOVES, NNP_OPTION_UNIT_DRAWS,
        NNP_OPTION_LAYER_MOVES, NNP_OPTION_NOISE_MOVES, NNP_OPTION_PRECISION_MOVES}) {
    double value = 0;
    if (nnp_chain_get(chain, option, &value, nullptr) == NNP_OK && value > 8) return true;
  }
  double depth = 0;
  return nnp_chain_get(chain, NNP_OPTION_MAX_DEPTH, &depth, nullptr) == NNP_OK && depth > 4;
}

void expect_sane_run(const Kind &kind) {
  int64_t steps = 3;
  nnp_error err;
  const int32_t status = nnp_chain_run(kind.chain, INT64_MAX, stop_at, &steps, &err);
  if (status == NNP_E_NUMERIC || status == NNP_E_NOT_FINITE) return;
  if (status != NNP_STOPPED && status != NNP_OK)
    broken("a restored chain ends with %d: %s", static_cast<int>(status), err.message);
  std::vector<double> parameters(static_cast<size_t>(kind.parameters) + 1);
  nnp_chain_parameters(kind.chain, parameters.data(), nullptr);
  for (double value : parameters)
    if (!std::isfinite(value)) broken("a restored chain has a parameter %g", value);
  double value = 0;
  nnp_chain_log_density(kind.chain, &value, nullptr);
  saved(kind.chain);
}

void restore_good(const Kind &kind) {
  nnp_error err;
  if (nnp_chain_restore(kind.chain, kind.good.data(), kind.good.size(), &err) != NNP_OK)
    broken("a block as it was saved is refused: %s", err.message);
  if (saved(kind.chain) != kind.good) broken("a restored chain saves another block");
}

void try_block(const Kind &kind, const Saved &block) {
  nnp_error err;
  std::memset(&err, 0x5A, sizeof err);
  const int64_t before = allocations;
  const int32_t status = nnp_chain_restore(kind.chain, block.data(), block.size(), &err);
  if (allocations != before) broken("restoring allocates");
  if (err.status != status || (err.message[0] == 0) != (status == NNP_OK))
    broken("restoring returned %d with status %d and '%s'", static_cast<int>(status),
           static_cast<int>(err.status), err.message);
  if (status != NNP_OK && !is_refusal(status))
    broken("restoring returned %d: %s", static_cast<int>(status), err.message);
  if (status != NNP_OK && saved(kind.chain) != kind.good)
    broken("a block that was refused changed the chain: %s", err.message);
  if (status != NNP_OK) return;
  if (!is_long(kind.chain)) expect_sane_run(kind);
  restore_good(kind);
}

}  // namespace

void list_rows() {}

bool seed_input(int64_t number, std::vector<uint8_t> &bytes) {
  if (number >= 8 * kind_count) return false;
  bytes = {static_cast<uint8_t>(number % kind_count)};
  uint64_t state = 0x9e3779b97f4a7c15u * static_cast<uint64_t>(number + 1);
  for (int i = 0; i < 12 * (1 + number % 3); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bytes.push_back(static_cast<uint8_t>(state >> 56));
  }
  return true;
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz::Deadline deadline;
  fuzz::Bytes bytes(data, size);
  const fuzz::Kind &kind = fuzz::kind_of(bytes.byte() % fuzz::kind_count);
  fuzz::Saved block = kind.good;
  for (int i = bytes.byte() % 16 / 4; i >= 0; --i) fuzz::change(bytes, block);
  fuzz::make_checksum_right(block);
  fuzz::try_block(kind, block);
  return 0;
}
