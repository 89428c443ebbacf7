// Ranks that are threads: each makes the same calls on its own objects, over a team or a folder. Contract:
// a call fails on all of them or on none, and they end with the same parameters.
#pragma once

#include <thread>

#include "tests/fuzz/contract.hpp"
#include "tests/fuzz/recipe.hpp"

namespace fuzz {

constexpr int most_ranks = 3;

struct Play {
  Recipe recipe;
  int ranks = 2;
  bool by_rows = false, checked = false;
  int odd_rank = -1, oddity = 0;  // what one rank does otherwise
  int32_t start = NNP_START_PRIOR;
  std::vector<uint8_t> saves[most_ranks];
};

inline Play some_play(Bytes &bytes) {
  Play play;
  play.recipe = some_recipe(bytes);
  play.recipe.rows = 0;
  play.recipe.width %= 8;
  play.ranks = 2 + bytes.below(2);
  play.by_rows = bytes.below(2) == 1;
  play.checked = bytes.below(4) == 3;
  if (bytes.rarely(4)) play.odd_rank = bytes.below(2), play.oddity = bytes.below(5);
  const int32_t starts[] = {NNP_START_PRIOR, NNP_START_ZERO, NNP_START_SMALL, NNP_START_FIT};
  play.start = starts[bytes.below(4)];
  // Thousands of gradients, or of messages, if every gradient is a sum over ranks.
  if (play.start == NNP_START_FIT && (play.by_rows || play.ranks > 2)) play.start = NNP_START_SMALL;
  return play;
}

// One rank's part.
class Rank {
 public:
  Rank(Play &play, int number, const nnp_comm &comm) : play_(play), number_(number), comm_(comm) {
    comm_.checked = play.checked;
  }
  Rank(const Rank &) = delete;
  ~Rank() {
    for (nnp_chain *chain : chains_) nnp_chain_free(chain);
    nnp_data_free(data_);
    nnp_net_free(net_);
  }

  void act() {
    net_ = net_of(play_.recipe);
    play_.by_rows ? spread_rows() : all_rows();
    for (nnp_chain *&chain : chains_) {
      if (ok()) chain = chain_of(play_.recipe, net_, data_);
      if (!chain) return;  // on all ranks
      nnp_chain_set(chain, NNP_OPTION_WARMUP, 2, nullptr);
      if (is_odd(0)) nnp_chain_set(chain, NNP_OPTION_SIMD, 1, nullptr);
    }
    if (!play_.by_rows) tell(nnp_chain_use_comm(chains_[0], &comm_, &err_));
    sample();
    if (ok()) play_.by_rows ? go_on() : exchange();
  }

  int32_t status() const { return status_; }
  const nnp_error &failure() const { return failure_; }
  const std::vector<double> &draws() const { return draws_; }

 private:
  bool ok() const { return status_ == NNP_OK; }
  bool is_odd(int oddity) const { return number_ == play_.odd_rank && play_.oddity == oddity; }
  void tell(int32_t status) {
    if (!ok()) return;
    status_ = status;
    failure_ = err_;
  }

  void all_rows() { data_ = data_of(play_.recipe, net_); }

  // Three blocks of rows, of which each rank has one or two.
  void spread_rows() {
    constexpr int64_t total = 300;
    nnp_rows rows;
    int64_t targets = 0;
    const int64_t features = features_of(net_);
    nnp_net_targets(net_, &targets, nullptr);
    tell(nnp_rows_split(&comm_, total, 3, &rows, &err_));
    if (ok()) tell(nnp_data_create_rows(&data_, &rows, &comm_, features, targets, &err_));
    if (!ok()) return;
    std::vector<double> x(static_cast<size_t>(rows.count * features)),
        y(static_cast<size_t>(rows.count * targets));
    std::vector<int32_t> labels(static_cast<size_t>(rows.count));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = std::sin(static_cast<double>(rows.first * features) + static_cast<double>(i));
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = std::cos(static_cast<double>(rows.first * targets) + static_cast<double>(i));
    for (size_t i = 0; i < labels.size(); ++i)
      labels[i] =
          play_.recipe.head == NNP_SIGN_HEAD ? (i % 2 ? 1 : -1) : static_cast<int32_t>(i % 2);
    tell(nnp_data_set_inputs(data_, x.data(), NNP_ROW_MAJOR, &err_));
    if (ok()) tell(nnp_data_set_targets(data_, y.data(), NNP_ROW_MAJOR, &err_));
    if (ok()) tell(nnp_data_set_labels(data_, labels.data(), &err_));
  }

  void sample() {
    int64_t parameters = 0;
    nnp_net_parameters(net_, &parameters, nullptr);
    draws_.resize(static_cast<size_t>(2 * parameters));
    if (ok())
      tell(nnp_chains_start(chains_, 2, play_.start, is_odd(1) ? 8 : 7, nullptr, nullptr, &err_));
    if (ok()) tell(nnp_chains_run(chains_, 2, is_odd(2) ? 2 : 1, stop(), this, &err_));
    if (ok()) tell(nnp_chains_sample(chains_, 2, draws_.data(), 1, 1, nullptr, nullptr, &err_));
  }

  nnp_callback stop() const {
    if (!is_odd(3)) return nullptr;
    return [](const nnp_progress *, void *) { return 1; };
  }

  // The saves of all ranks, back.
  void go_on() {
    size_t size = 0;
    std::vector<uint8_t> &own = play_.saves[number_];
    tell(nnp_chain_save_bytes(chains_[0], &size, &err_));
    own.resize(size);
    if (ok()) tell(nnp_chain_save(chains_[0], own.data(), size, &err_));
    if (is_odd(4) && size > 0) own[size / 2] ^= 1;
    uint8_t here = 1, all[most_ranks];
    if (comm_.allgather(&here, all, 1, comm_.user) != 0) return;  // all have saved
    nnp_saved saves[most_ranks];
    for (int r = 0; r < play_.ranks; ++r) saves[r] = {play_.saves[r].data(), play_.saves[r].size()};
    if (ok()) tell(nnp_chain_restore_rows(chains_[0], saves, play_.ranks, &err_));
    if (ok()) tell(nnp_chain_run(chains_[0], 1, nullptr, nullptr, &err_));
  }

  void exchange() {
    nnp_exchange *exchange = nullptr;
    if (nnp_exchange_create(&exchange, chains_, 2, nullptr) != NNP_OK) return;  // on all ranks
    nnp_exchange_set(exchange, NNP_EXCHANGE_ROUNDS, 1, nullptr);
    nnp_exchange_set(exchange, NNP_EXCHANGE_FIRST_ROUND, 2, nullptr);
    tell(nnp_exchange_start(exchange, NNP_EXCHANGE_FROM_PRIOR, 3, &err_));
    if (ok()) tell(nnp_exchange_tune(exchange, nullptr, nullptr, &err_));
    if (ok()) tell(nnp_exchange_run(exchange, is_odd(4) ? 3 : 2, nullptr, nullptr, &err_));
    nnp_exchange_free(exchange);
  }

  Play &play_;
  int number_;
  nnp_comm comm_;
  nnp_net *net_ = nullptr;
  nnp_data *data_ = nullptr;
  nnp_chain *chains_[2] = {nullptr, nullptr};
  std::vector<double> draws_;
  int32_t status_ = NNP_OK;
  nnp_error failure_ = {}, err_ = {};
};

inline void check_ranks(const std::vector<std::unique_ptr<Rank>> &ranks) {
  for (const auto &rank : ranks) {
    if ((rank->status() == NNP_OK) != (ranks[0]->status() == NNP_OK))
      broken("ranks end with %d (%s) and %d (%s)", static_cast<int>(ranks[0]->status()),
             ranks[0]->failure().message, static_cast<int>(rank->status()),
             rank->failure().message);
    if (rank->status() != NNP_OK && rank->failure().message[0] == 0)
      broken("a rank ends with %d and no sentence", static_cast<int>(rank->status()));
    if (rank->status() == NNP_OK && rank->draws() != ranks[0]->draws())
      broken("ranks have other draws");
  }
}

// comm(rank, out) fills a communicator.
template <class Comm>
void perform(Play &play, Comm comm) {
  std::vector<std::unique_ptr<Rank>> ranks;
  std::vector<std::thread> threads;
  for (int r = 0; r < play.ranks; ++r) {
    nnp_comm own = {};
    comm(r, &own);
    ranks.push_back(std::make_unique<Rank>(play, r, own));
  }
  for (auto &rank : ranks) threads.emplace_back([&rank] { rank->act(); });
  for (std::thread &thread : threads) thread.join();
  check_ranks(ranks);
}

inline void play_team(Bytes &bytes) {
  Play play = some_play(bytes);
  nnp_team *team = nullptr;
  if (nnp_team_create(&team, play.ranks, nullptr) != NNP_OK) return;
  perform(play, [team](int rank, nnp_comm *out) { nnp_team_comm(team, rank, out, nullptr); });
  nnp_team_free(team);
}

}  // namespace fuzz
