// A submission is compiled alone: what lies beside it is not seen.
// wrong: reduce total - :: compile failed .*reduce.cu: No such file
#include "reduce.cu"
__global__ void total(const int* in, int* out, int n) { beside_it::forger(in, out, n); }
