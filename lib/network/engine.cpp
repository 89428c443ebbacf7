#include "lib/network/engine.hpp"

namespace nnp {

Engine engine_of(Simd level, Provider provider) {
  return {resolved(level), provider, kernels_of(level, provider), draws_of(level)};
}

Engine default_engine() {
  return engine_of(Simd::best, provider_for(Blas::automatic, Simd::best));
}

Status engine_check(const Engine &engine, Error *err) {
  if (engine.provider != Provider::whole || blas_threads() == 1) return Status::ok;
  return fail(err, Status::unsupported,
              "blas = whole: such calls need OpenBLAS with one thread, it has %d; set "
              "OPENBLAS_NUM_THREADS=1 or call openblas_set_num_threads(1)",
              blas_threads());
}

Status engine_choose(Engine &engine, Simd level, Blas blas, Error *err) {
  if (!simd_runs(level))
    return fail(err, Status::unsupported,
                "simd = %d: this machine or this build does not have that level",
                static_cast<int>(level));
  const Engine chosen = engine_of(level, provider_for(blas, level));
  if (!chosen.kernels)
    return fail(err, Status::unsupported, "blas = %s: this build has no BLAS (-Dblas=none)",
                blas == Blas::whole ? "whole" : "all");
  const Status status = engine_check(chosen, err);
  if (status == Status::ok) engine = chosen;
  return status;
}

}  // namespace nnp
