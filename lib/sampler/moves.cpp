// Decides which extra moves a Gibbs chain makes, and how often by default: all moves that apply to
// its network, at rates derived from counts of multiplications. Nothing is timed and nothing
// adapts, so a chain depends on its seed alone and is exact from the first step.
#include "lib/sampler/moves.hpp"

#include <cmath>

#include "lib/base/functions.hpp"
#include "lib/sampler/unit.hpp"

namespace nnp {

const MoveOps *const extra_moves[extra_move_count] = {
    &expansion_move, &scale_move,     &unit_draw_move, &unit_ellipse_move,
    &layer_move,     &precision_move, &noise_move,
};

namespace {

// Found by experiments on the paper's synthetic problem.
constexpr double relax_strength = -0.98;
constexpr double relax_period = 5;
constexpr double relax_below = 0.01;  // applies below this noise, relative to sites of size about 1

// Means, sums and draws of the input of each layer, including random variates.
double work_of_step(const State &state) {
  double work = 0;
  for (int64_t k = 1; k <= state.net.depth; ++k) work += 3 * products_of(state.net.layer(k));
  return work + variate * as_double(state.net.latent_width());
}

// The rate that gives a move this share of all work, to two digits.
double rate_for(double share, double step, double move) {
  const double rate = share * step / move;
  const double digit = fn::pow(10.0, std::floor(fn::log10(rate)) - 1);
  return std::fmin(std::fmax(std::round(rate / digit) * digit, 0.01), 100);
}

double share_of(const MoveOps &move, const State &state) {
  return move.worth ? move.share * move.worth(state) : move.share;
}

double least_noise(const Net &net) {
  double least = INFINITY;
  for (int64_t k = 1; k <= net.depth; ++k) least = std::fmin(least, net.layer(k).final_noise);
  return least;
}

bool has_use_for(const MoveOps &move, const Net &net) {
  return move.check(net, 1, nullptr) == Status::ok;
}

void set(Chain &chain, Option option, double value) {
  chain.options.values[static_cast<int32_t>(option)] = value;
}

void set_relaxation(Chain &chain, bool on) {
  const bool relaxed = on && least_noise(chain.state.net) <= relax_below;
  set(chain, Option::relax, relaxed ? relax_strength : 0);
  set(chain, Option::plain_every,
      relaxed ? relax_period : option_row(Option::plain_every)->initial);
}

}  // namespace

const char *move_name(Move kind) {
  if (kind == Move::plain_step) return "plain steps";
  if (kind == Move::relaxed_step) return "over-relaxed steps";
  for (const MoveOps *move : extra_moves)
    for (int i = 0; i < MoveOps::most_kinds; ++i)
      if (move->names[i] && move->kinds[i] == kind) return move->names[i];
  return "unknown";
}

Status check_move_option(const Net &net, PosteriorKind, Option option, double value, Error *err) {
  if (value == 0) return Status::ok;
  for (const MoveOps *move : extra_moves)
    if (move->option == option) return move->check(net, value, err);
  return Status::ok;
}

void **moves_layout(Arena &arena, const State &state) {
  void **own = arena.take<void *>(extra_move_count);
  for (int i = 0; i < extra_move_count; ++i) {
    void *memory = extra_moves[i]->layout ? extra_moves[i]->layout(arena, state) : nullptr;
    if (own) own[i] = memory;
  }
  return own;
}

Status extra_moves_of_step(Chain &chain, Error *err) {
  Status status = Status::ok;
  for (int i = 0; i < extra_move_count; ++i) {
    const int64_t due = due_at_step(chain.options[extra_moves[i]->option], chain.steps);
    for (int64_t n = 0; n < due && status == Status::ok; ++n)
      status = extra_moves[i]->make(chain, gibbs_of(chain).moves[i], err);
  }
  return status;
}

void set_moves(Chain &chain, Moves moves) {
  const State &state = chain.state;
  const bool on = moves == Moves::automatic;
  set_relaxation(chain, on);
  double step = work_of_step(state), step_share = 1;
  for (const MoveOps *move : extra_moves) {
    const bool used = on && has_use_for(*move, state.net);
    set(chain, move->option, used ? 1 : 0);
    if (!used) continue;
    step_share -= share_of(*move, state);
    if (move->share == 0 && move->work) step += move->work(state);
  }
  const double all = step / step_share;
  for (const MoveOps *move : extra_moves)
    if (chain.options[move->option] == 1 && move->share > 0)
      set(chain, move->option, rate_for(share_of(*move, state), all, move->work(state)));
}

}  // namespace nnp
