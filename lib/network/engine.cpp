#include "lib/network/engine.hpp"

namespace nnp {

Engine engine_of(Simd level) {
  return {resolved(level), kernels_of(level), draws_of(level)};
}

Status engine_choose(Engine &engine, Simd level, Error *err) {
  if (!simd_runs(level))
    return fail(err, Status::unsupported,
                "simd = %d: this machine or this build does not have that level",
                static_cast<int>(level));
  engine = engine_of(level);
  return Status::ok;
}

}  // namespace nnp
