// What an object computes with: the products of one SIMD level and provider, and the draws of that
// level. Code that computes holds an engine and passes its parts on; nothing below selects a table.
#pragma once

#include "lib/base/simd.hpp"
#include "lib/base/status.hpp"
#include "lib/linalg/choice.hpp"
#include "lib/linalg/kernels.hpp"
#include "lib/network/draws.hpp"

namespace nnp {

struct Engine {
  Simd level = Simd::portable;  // never Simd::best
  Provider provider = Provider::own;
  const Kernels *kernels = nullptr;
  const DrawKernels *draws = nullptr;
};

// The engine of a level and a provider; its tables are null if they are not available.
Engine engine_of(Simd level, Provider provider);
// The engine of an object whose user requested none.
Engine default_engine();
// Sets the engine that the user requested; fails if this machine or build does not have it.
Status engine_choose(Engine &engine, Simd level, Blas blas, Error *err);
// Fails unless BLAS runs one thread, if whole calls use it. Called before every step, since the
// number may change.
Status engine_check(const Engine &engine, Error *err);

// Sets the engine of an object that holds one.
inline void use_engine(Engine &holder, const Engine &engine) {
  holder = engine;
}

}  // namespace nnp
