// A teacher: a network whose parameters are a draw from the prior, and the labels it gives to rows
// of inputs. Labels made with the model's noise turn the teacher (and the sites that made them)
// into a draw from the posterior of those labels.
#pragma once

#include <cstdint>

#include "lib/network/engine.hpp"
#include "lib/network/net.hpp"

namespace nnp {

struct Teacher : Engine {
  Net net;
  Net sampled;  // the same, with those sites integrated out that chains do not have
  // Noise in every layer (intermediate noise posterior), or in the last one only (classical).
  bool noise_in_all = true;
  uint64_t seed = 0, number = 0;
  double *params = nullptr;
  double *sites[2] = {nullptr, nullptr};  // tiles, ld x (widest site)
};

Teacher *teacher_layout(Arena &arena, const Net &net);
// Parameters from the prior, by (seed, number): learned scales, then weights given them. They share
// no random number with any chain.
void teacher_draw(Teacher &teacher, uint64_t seed, uint64_t number);
// All parameters as given.
void teacher_set(Teacher &teacher, const double *params);
// The teacher's parameters as those of a student that passes teacher_check_student: its learned
// scales have the teacher's values (where layers of the student share a noise, that of the last).
void teacher_tell(const Teacher &teacher, const Net &student, double *params);

constexpr int64_t max_noise_number = int64_t{1} << 20;
// Targets or labels for all rows, without noise (noise = 0) or with noise number 1, 2, 3 ...
// `sites` is null or receives the latent sites that made them and that chains have, one behind the
// other, each [feature, row].
Status teacher_label(const Teacher &teacher, Data &data, int64_t noise, double *sites, Error *err);

// Does the student have the teacher's layers (and its sites, if they are to be its start)? Noises
// and priors may differ.
Status teacher_check_student(const Teacher &teacher, const Net &student, bool with_sites,
                             Error *err);

}  // namespace nnp
