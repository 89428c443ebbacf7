// A saved exchange: its ladder, counts and positions of replicas, then every chain as a separate
// block (sampler/save.hpp).
#include <cstring>

#include "lib/sampler/block.hpp"
#include "lib/sampler/save.hpp"
#include "lib/study/exchange.hpp"
#include "lib/study/ladder.hpp"

namespace nnp {

namespace {

constexpr char magic[8] = {'n', 'n', 'p', 'x', 'c', 'h', 'n', 'g'};
constexpr uint32_t format_version = 1;

struct ExchangeHeader {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t size;
  int64_t count, replicas;
  uint64_t seed;
  int64_t swept, sweeps, batch_length, restarts, round_trips;
  double barrier;
  int32_t tuned, ladder_set;
  double options[8];  // by number
  uint64_t checksum;  // of the header with this field 0, then of all that follows it
};
static_assert(exchange_option_count < 8, "options outgrow the format of saves");
static_assert(sizeof(ExchangeHeader) == 176, "a header must not contain padding");

// The pieces between the header and the chains, in order.
template <class Piece>
void for_each_piece(const Exchange &e, Piece piece) {
  const size_t count = static_cast<size_t>(e.count);
  piece(e.powers, count * sizeof(double));
  piece(e.pairs, count * sizeof(ExchangePair));
  piece(e.replica, count * sizeof(int64_t));
  piece(e.journeys, count * sizeof(Journey));
}

size_t own_size(const Exchange &exchange) {
  size_t size = sizeof(ExchangeHeader);
  for_each_piece(exchange, [&](const void *, size_t bytes) { size += bytes; });
  return size;
}

ExchangeHeader header_of(const Exchange &e) {
  ExchangeHeader header = {};
  std::memcpy(header.magic, magic, sizeof magic);
  header.version = format_version;
  header.byte_order = block_byte_order;
  header.size = exchange_save_size(e);
  header.count = e.count;
  header.replicas = e.replicas;
  header.seed = e.seed;
  header.swept = e.swept;
  header.sweeps = e.sweeps;
  header.batch_length = e.batch_length;
  header.restarts = e.restarts;
  header.round_trips = e.round_trips;
  header.barrier = e.barrier;
  header.tuned = e.tuned;
  header.ladder_set = e.ladder_set;
  std::memcpy(header.options, e.options, sizeof e.options);
  return header;
}

bool options_are_possible(const ExchangeHeader &found) {
  for (int32_t i = 1; i <= exchange_option_count; ++i)
    if (option_value_check(*exchange_option_row(static_cast<ExchangeOption>(i)), found.options[i],
                           nullptr) != Status::ok)
      return false;
  return true;
}

Status check_header(const Exchange &mine, const ExchangeHeader &found, Error *err) {
  if (found.count != mine.count || found.size != exchange_save_size(mine))
    return fail(err, Status::save_other_network,
                "buffer: saved from an exchange of %lld chains (%llu bytes), expected %lld (%zu)",
                ll(found.count), static_cast<unsigned long long>(found.size), ll(mine.count),
                exchange_save_size(mine));
  const bool counts = found.swept >= 0 && found.swept <= max_steps && found.sweeps >= 0 &&
                      found.sweeps <= found.swept && found.restarts >= 0 &&
                      found.round_trips >= 0 && found.batch_length >= 1 &&
                      found.sweeps <= evidence_batches * found.batch_length;
  if (found.replicas >= 2 && found.replicas <= found.count && counts && found.barrier >= 0 &&
      options_are_possible(found))
    return Status::ok;
  return fail(err, Status::save_corrupted,
              "buffer: it has %lld replicas, %lld sweeps or options that no exchange has",
              ll(found.replicas), ll(found.sweeps));
}

// Checks that every replica is at exactly one level, and that journeys are valid.
Status check_places(const Exchange &e, int64_t replicas, const unsigned char *in, Error *err) {
  const size_t count = static_cast<size_t>(e.count);
  const unsigned char *pairs = in + count * sizeof(double);
  const unsigned char *places = pairs + count * sizeof(ExchangePair);
  for (int64_t l = 0; l < replicas; ++l) {
    int64_t times = 0, place = 0;
    for (int64_t other = 0; other < replicas; ++other) {
      std::memcpy(&place, places + static_cast<size_t>(other) * sizeof place, sizeof place);
      times += place == l;
    }
    Journey journey;
    std::memcpy(&journey,
                places + count * sizeof(int64_t) + static_cast<size_t>(l) * sizeof journey,
                sizeof journey);
    const int32_t number = static_cast<int32_t>(journey);
    if (times != 1 || number < 0 || number > 2)
      return fail(err, Status::save_corrupted,
                  "buffer: replica %lld is at %lld levels with journey %d, expected 1 level and a "
                  "journey from 0 to 2",
                  ll(l), ll(times), static_cast<int>(number));
  }
  return Status::ok;
}

Status check_ladder(const Exchange &e, int64_t replicas, const unsigned char *in, Error *err) {
  std::memcpy(e.scratch_ladder, in, static_cast<size_t>(replicas) * sizeof(double));
  const Status status = ladder_check(e.scratch_ladder, replicas, err);
  return status == Status::ok ? status : Status::save_corrupted;
}

void take_header(Exchange &e, const ExchangeHeader &found) {
  e.replicas = found.replicas;
  e.seed = found.seed;
  e.swept = found.swept;
  e.sweeps = found.sweeps;
  e.batch_length = found.batch_length;
  e.restarts = found.restarts;
  e.round_trips = found.round_trips;
  e.barrier = found.barrier;
  e.tuned = found.tuned != 0;
  e.ladder_set = found.ladder_set != 0;
  std::memcpy(e.options, found.options, sizeof e.options);
  e.round = 0;
  e.started = true;
}

}  // namespace

size_t exchange_save_size(const Exchange &exchange) {
  size_t size = own_size(exchange);
  for (int64_t c = 0; c < exchange.count; ++c) size += save_size(*exchange.chains[c]);
  return size;
}

Status exchange_save(const Exchange &exchange, void *buffer, Error *err) {
  unsigned char *start = static_cast<unsigned char *>(buffer),
                *out = start + sizeof(ExchangeHeader);
  for_each_piece(exchange, [&](const void *piece, size_t bytes) {
    std::memcpy(out, piece, bytes);
    out += bytes;
  });
  for (int64_t c = 0; c < exchange.count; ++c) {
    const Status status = save_chain(*exchange.chains[c], out, err);
    if (status != Status::ok) return status;
    out += save_size(*exchange.chains[c]);
  }
  seal_block(header_of(exchange), start);
  return Status::ok;
}

Status exchange_restore(Exchange &exchange, const void *buffer, size_t size, Error *err) {
  const unsigned char *start = static_cast<const unsigned char *>(buffer);
  ExchangeHeader header = {};
  const unsigned char *in = start + sizeof header;
  ChainHold hold(exchange.count, [&](int64_t c) -> Chain & { return *exchange.chains[c]; });
  Status status = read_block({"exchange", magic, format_version}, start, size, &header, err);
  if (status == Status::ok) status = check_header(exchange, header, err);
  if (status == Status::ok) status = check_ladder(exchange, header.replicas, in, err);
  if (status == Status::ok) status = check_places(exchange, header.replicas, in, err);
  if (status == Status::ok) status = hold.take(err);
  if (status != Status::ok) return status;
  const unsigned char *block = start + own_size(exchange);
  for (int64_t c = 0; c < exchange.count && status == Status::ok; ++c) {
    const size_t bytes = save_size(*exchange.chains[c]);
    status = restore_chain(*exchange.chains[c], block, bytes, err);
    block += bytes;
  }
  if (status != Status::ok) return status;
  for_each_piece(exchange, [&](const void *piece, size_t bytes) {
    std::memcpy(const_cast<void *>(piece), in, bytes);
    in += bytes;
  });
  take_header(exchange, header);
  return Status::ok;
}

}  // namespace nnp
