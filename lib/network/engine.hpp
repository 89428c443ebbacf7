// What does the arithmetic of an object: the products of one SIMD level and provider, and the draws
// of that level. Whoever computes holds an engine and hands on its parts; nothing below picks a
// table by itself.
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

// The engine of a level and a provider; its tables are null if they are not here.
Engine engine_of(Simd level, Provider provider);
// What an object has whose user asked for nothing.
Engine default_engine();
// What the user asked for; refused if this machine or this build does not have it.
Status engine_choose(Engine &engine, Simd level, Blas blas, Error *err);
// Whole calls need a BLAS that runs one thread, now and later: asked before every step.
Status engine_check(const Engine &engine, Error *err);

// Gives the engine to an object that holds one.
inline void use_engine(Engine &holder, const Engine &engine) {
  holder = engine;
}

}  // namespace nnp
