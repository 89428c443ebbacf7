// What does the arithmetic of an object: one SIMD level's products and draws. Whoever computes holds
// an engine and hands on its parts; nothing below picks a table by itself.
#pragma once

#include "lib/base/simd.hpp"
#include "lib/base/status.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/draws.hpp"

namespace nnp {

struct Engine {
  Simd level = Simd::portable;  // never Simd::best
  const Kernels *kernels = nullptr;
  const DrawKernels *draws = nullptr;
};

// The engine of a level that runs here (see simd_runs).
Engine engine_of(Simd level);
// The same for a level the user asked for: refused if this machine or this build does not have it.
Status engine_choose(Engine &engine, Simd level, Error *err);

// Gives the engine to an object that holds one.
inline void use_engine(Engine &holder, const Engine &engine) {
  holder = engine;
}

}  // namespace nnp
