// A teacher: a network whose parameters are a draw from the prior, and the labels it gives to rows
// of inputs. If labels are made with the model's noise, the teacher (with the sites that made them)
// is a draw from the posterior of those labels.
#pragma once

#include <cstdint>

#include "lib/network/engine.hpp"
#include "lib/network/net.hpp"

namespace nnp {

struct Teacher : Engine {
  Net net;
  Net sampled;  // the same network, without the sites that chains integrate out
  // Noise in every layer (intermediate noise posterior), or in the last one only (classical).
  bool noise_in_all = true;
  uint64_t seed = 0, number = 0;
  double *params = nullptr;
  double *sites[2] = {nullptr, nullptr};  // tiles, ld x (widest site)
};

Teacher *teacher_layout(Arena &arena, const Net &net);
// Draws the parameters from the prior, using (seed, number): learned scales, then weights given
// them. No chain uses the same random numbers.
void teacher_draw(Teacher &teacher, uint64_t seed, uint64_t number);
// Sets all parameters.
void teacher_set(Teacher &teacher, const double *params);
// Copies the teacher's parameters to those of a student that passes teacher_check_student: its
// learned scales get the teacher's values (if layers of the student share a noise, that of the
// last).
void teacher_tell(const Teacher &teacher, const Net &student, double *params);

constexpr int64_t max_noise_number = int64_t{1} << 20;
// Makes targets or labels for all rows, without noise (noise = 0) or with noise number 1, 2, 3 ...
// `sites` is null or receives those latent sites that chains have, one after the other, each
// [feature, row].
Status teacher_label(const Teacher &teacher, Data &data, int64_t noise, double *sites, Error *err);

// Fails unless the student has the teacher's layers (and its sites, if they are to be its start).
// Noises and priors may differ.
Status teacher_check_student(const Teacher &teacher, const Net &student, bool with_sites,
                             Error *err);

}  // namespace nnp
