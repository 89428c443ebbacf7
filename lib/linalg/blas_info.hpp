// What the BLAS that happens to be linked says about itself, whichever it is.
#pragma once

namespace nnp {

// The core OpenBLAS took this machine for ("Prescott" on a new machine means it runs slow), or
// "unknown" if the BLAS is another one.
const char *blas_core_name();

// Keeps OpenBLAS at one thread; does nothing for another BLAS. This is state of the whole process,
// shared with every other user of the same BLAS: call it on the user's word only.
void blas_single_thread();

}  // namespace nnp
