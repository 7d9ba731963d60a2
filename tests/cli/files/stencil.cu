// Its kernels are all in the header.
#include "stencil.h"

template __global__ void stencil<true>(const int*, int*, int);
template __global__ void stencil<false>(const int*, int*, int);
