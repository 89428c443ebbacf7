// How the last site is related to the data: a table of output heads. A head has one file, which
// fills one row of the table by name; the rest of the library never asks which head a network has.
#pragma once

#include <cstdint>

#include "lib/base/status.hpp"
#include "lib/base/tile.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/data.hpp"
#include "lib/network/draws.hpp"
#include "lib/network/layer.hpp"
#include "lib/network/relax.hpp"
#include "lib/random/stream.hpp"

namespace nnp {

// Values are pinned: adding a base gives NNP_GAUSSIAN, ... of the C header. They are part of saved
// states.
enum class HeadKind : int32_t {
  none = 0,
  gaussian = 1,
  argmax = 2,
  sign = 3,
  student_t = 4,
  location_scale = 5
};
constexpr int32_t head_kinds = 5;

// Scores of predictions. Values are pinned: adding a base gives NNP_SCORE_* of the C header.
enum class Score : int32_t { mse = 1, accuracy = 2, log_score = 3 };

// What the data must contain.
enum class TargetKind : int32_t { targets, labels };

// A property of a head, by its number in the C header.
struct HeadProperty {
  int32_t number;
  const char *name;
  double initial;
  Values values;
};
constexpr int64_t max_head_properties = 4;

// The head of a network, with the values of its properties in the order of its table row.
struct Head {
  HeadKind kind = HeadKind::none;
  double values[max_head_properties] = {};
};

// How the latent scores of a probit head were drawn, row by row.
struct HeadCounts {
  int64_t exact = 0;    // rows whose scores were drawn jointly from their exact conditional
  int64_t scanned = 0;  // rows whose scores were drawn one after the other
};

// A tile of outputs f and what they are compared with. In the last term of the intermediate
// posterior `targets` is the last site, latent or not.
struct Outcomes {
  ConstTile f;
  ConstTile targets;
  const int32_t *labels;
  double noise;            // current D of the last layer
  double temperature = 1;  // the likelihood is raised to the power 1/temperature
};

struct LossTile {
  Outcomes rows;
  double scale;   // 1/(2D), or another factor
  Tile gradient;  // written: -scale * d loss / d f. Null data: `fit` computes only the value
};

// A row of the table. Functions that do not apply to a head stay null, as the flag next to them
// says.
struct HeadOps {
  const char *name = nullptr;
  TargetKind target = TargetKind::targets;
  // Fails if the head does not support this number of outputs; the message says what it needs.
  Status (*check_outputs)(int64_t outputs, Error *) = nullptr;
  // Outputs of the network per column of the targets; the first ones predict the targets.
  int64_t outputs_per_target = 1;
  // True if the noise of the last layer enters the likelihood.
  bool noise_enters = true;
  // Why Gibbs cannot sample it, as the end of a sentence. Null: it can.
  const char *no_exact_draw = nullptr;
  const HeadProperty *properties = nullptr;
  int64_t property_count = 0;

  // ---- labels, for TargetKind::labels ----
  bool (*label_ok)(int32_t label, int64_t outputs) = nullptr;
  const char *label_range = "";
  // The label of a row of scores, or of noiseless outputs.
  int32_t (*label_of)(ConstTile scores, int64_t row) = nullptr;

  // ---- latent scores: the last site is a variable constrained by its label ----
  bool latent = false;
  // Labels stay the same when all scores are multiplied by the same g > 0.
  bool scale_free = false;
  // Draws the scores of a tile given their means, noise and labels; `site` must contain feasible
  // old scores.
  void (*draw)(ConstTile mean, double noise, const int32_t *labels, Stream &, Tile site,
               HeadCounts &, const DrawKernels &) = nullptr;
  // Over-relaxed draw of the scores (see Relax), coordinate by coordinate; a score is left
  // unchanged if the label would change.
  void (*relax)(ConstTile mean, double noise, const int32_t *labels, const Relax &, Stream &,
                Tile site) = nullptr;
  // Draws every row of scores exactly from its conditional; needs no old scores in `site`.
  void (*draw_afresh)(ConstTile mean, double noise, const int32_t *labels, Stream &, Tile site,
                      const DrawKernels &) = nullptr;
  // Changes scores so that they agree with the labels.
  void (*make_feasible)(const int32_t *labels, Tile site) = nullptr;
  bool (*feasible)(const int32_t *labels, ConstTile site, int64_t row) = nullptr;
  // log p(label | f) is approximately minus the loss at logits_per_sd * f / sqrt(D).
  double logits_per_sd = 0;

  // ---- row scales: given w_i, row i of the last site is N(f, D / w_i) ----
  bool row_scales = false;
  // Draws w for a tile's rows given everything else (the targets of the outcomes are the last
  // site), at the temperature of the outcomes.
  void (*draw_row_scales)(const Head &, const Outcomes &, Stream &, double *scales) = nullptr;

  // ---- a noise D that is learned ----
  // The sum over a tile of the squares whose variance is D: |U - f|^2 / temperature, with rows
  // weighted by their scales, if any. The scales are drawn for it, or set to their means if there
  // is no stream. Null: D is not a noise variance in this posterior and cannot be learned.
  double (*noise_squares)(const Head &, const Outcomes &, Stream *) = nullptr;
  double (*classical_noise_squares)(const Head &, const Outcomes &, Stream *) = nullptr;

  // ---- the intermediate posterior ----
  // log p(last site | f) = log_constant - fit / (2D), summed over the rows of a tile.
  double (*fit)(const Head &, const LossTile &, const Kernels &) = nullptr;
  double (*log_constant)(const Head &, int64_t rows, int64_t outputs, double noise) = nullptr;
  // The last site is N(f, D I), so Gaussian noise of the site below adds to D.
  bool gaussian_site = false;
  // Turns f into a draw of the last site.
  void (*add_noise)(const Head &, double noise, Stream &, Tile site) = nullptr;
  // log p(target or label | f) of one row, with the last noise integrated out exactly.
  double (*log_likelihood)(const Head &, const Outcomes &, int64_t row) = nullptr;

  // ---- the classical posterior ----
  // The loss, summed over the rows of a tile, and its gradient.
  double (*loss)(const Head &, const LossTile &, const Kernels &) = nullptr;
  // The D for which exp(-loss / (2D)) is a probability; 0: any D is.
  double classical_noise = 0;
  // Turns f into scores whose label follows this model, or into targets drawn from it.
  void (*add_classical_noise)(const Head &, double noise, Stream &, Tile site) = nullptr;
  // True if the outputs f have no noise, so that their predictions have none.
  bool classical_outputs_exact = false;
  double (*log_classical_likelihood)(const Head &, const Outcomes &, int64_t row) = nullptr;

  // ---- a noise that the outputs predict: used at the start of a descent ----
  // The sum of squares of a tile, with its gradient, as if all rows had the same noise. (Otherwise
  // rows that are not yet fitted would be declared noisy and never be fitted.)
  double (*even_loss)(const Head &, const LossTile &, const Kernels &) = nullptr;
  // Makes the last layer predict this noise for all rows, if possible.
  void (*predict_noise)(const Layer &last, double noise, double *params) = nullptr;

  // ---- classes ----
  // Number of columns of class probabilities; 0: no classes.
  int64_t (*class_columns)(int64_t outputs) = nullptr;
  int64_t most_classes = 0;
  // Adds to each column the class probability given f, in the intermediate and in the classical
  // model, or 1 for the winner.
  void (*add_probabilities)(ConstTile f, double noise, Tile sum) = nullptr;
  void (*add_classical_probabilities)(ConstTile f, Tile sum) = nullptr;
  void (*add_votes)(ConstTile site, Tile sum) = nullptr;
  // The most probable label of a row of probabilities.
  int32_t (*most_probable)(ConstTile probabilities, int64_t row) = nullptr;

  // ---- scores of predictions ----
  bool has_mse = false, has_accuracy = false;  // all have the log score
  Score test_score = Score::log_score;         // used by studies to compare chains
  Score training_score = Score::log_score;     // used to judge the progress of a chain
  // Standard deviation of the training error due to the noise of the data.
  double (*training_spread)(const Head &, int64_t rows, int64_t outputs, double level) = nullptr;
  // A noise of the last layer at which chains still move freely, for annealing.
  double (*noise_to_anneal_from)(const Data &) = nullptr;
};

// Null for HeadKind::none and for values outside the enum.
const HeadOps *ops_of(HeadKind head);
inline const HeadOps *ops_of(const Head &head) {
  return ops_of(head.kind);
}
// The names of all heads, for messages.
const char *head_names();
// The head of labels for a network with this number of outputs.
HeadKind head_of_labels(int64_t outputs);
// A head with default properties.
Head make_head(HeadKind kind);
// The row of a property, and the index of its value; null if the head does not have it.
const HeadProperty *head_property(const Head &head, int32_t number, int64_t *index);
int64_t property_count(const Head &head);
bool same_head(const Head &a, const Head &b);

constexpr double log_two_pi = 1.8378770664093454836;

// Shared by several heads: a last site that is N(f, D), and labels.
double gaussian_fit(const Head &, const LossTile &, const Kernels &);
double gaussian_log_constant(const Head &, int64_t rows, int64_t outputs, double noise);
void add_gaussian_noise(const Head &, double noise, Stream &, Tile site);
double gaussian_noise_squares(const Head &, const Outcomes &, Stream *);
double squared_distance(ConstTile a, ConstTile b);
double squared_distance(ConstTile a, ConstTile b, int64_t row);
int64_t no_classes(int64_t outputs);
Status any_outputs(int64_t, Error *);
// Spread of a training error that is a mean over `rows * outputs` squares, or varies like one.
double spread_of_squares(const Head &, int64_t rows, int64_t outputs, double level);
double noise_of_scores(const Data &);
// A hundredth of the mean square of the targets.
double hundredth_of_targets(const Data &);
// The noise at which exp(-loss / (2D)), with a cross-entropy as the loss, is a probability of
// labels.
constexpr double cross_entropy_noise = 0.5;

// The logistic function of this factor times z is closest to Phi(z).
constexpr double logistic_per_probit = 1.702;

// Shared by heads of targets whose classical likelihood equals that of the intermediate posterior:
// the loss, noise and log likelihood of one row, and predictions of targets.
struct TargetModel {
  double (*fit)(const Head &, const LossTile &, const Kernels &);
  void (*add_noise)(const Head &, double noise, Stream &, Tile site);
  double (*log_likelihood)(const Head &, const Outcomes &, int64_t row);
};
constexpr HeadOps regression_head(const TargetModel &model) {
  HeadOps ops;
  ops.target = TargetKind::targets;
  ops.check_outputs = any_outputs;
  ops.fit = ops.loss = model.fit;
  ops.add_noise = ops.add_classical_noise = model.add_noise;
  ops.log_likelihood = ops.log_classical_likelihood = model.log_likelihood;
  ops.class_columns = no_classes;
  ops.has_mse = true;
  return ops;
}

// Shared by heads of labels: latent scores N(f, D), whose scale the labels do not determine, and a
// cross-entropy as the classical loss.
constexpr HeadOps probit_head() {
  HeadOps ops;
  ops.target = TargetKind::labels;
  ops.latent = true;
  ops.scale_free = true;
  ops.gaussian_site = true;
  ops.fit = gaussian_fit;
  ops.log_constant = gaussian_log_constant;
  ops.add_noise = add_gaussian_noise;
  ops.noise_squares = gaussian_noise_squares;
  ops.classical_noise = cross_entropy_noise;
  ops.classical_outputs_exact = true;
  ops.has_accuracy = true;
  ops.test_score = Score::accuracy;
  ops.training_score = Score::log_score;
  ops.training_spread = spread_of_squares;
  ops.noise_to_anneal_from = noise_of_scores;
  return ops;
}

extern const HeadOps gaussian_head_ops;
extern const HeadOps argmax_head_ops;
extern const HeadOps sign_head_ops;
extern const HeadOps student_t_head_ops;
extern const HeadOps location_scale_head_ops;

// P(argmax_a (mean[a * stride] + sd * noise_a) = c) for every class c.
void argmax_probabilities(const double *mean, int64_t stride, int64_t classes, double sd,
                          double *out);
// The logarithm of one of these probabilities, accurate even if the probability underflows to 0.
double log_argmax_probability(const double *mean, int64_t stride, int64_t classes, double sd,
                              int64_t label);

}  // namespace nnp
