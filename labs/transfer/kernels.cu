// Host and device have a memory each, and a link between them: PCI Express, at a small part of the speed of the GPU's
// own memory. A kernel is worth its trip only where it does enough with the data once they are there.
//
// The rungs of this lab are copies, so there is one kernel only, with as much arithmetic per element as --work asks
// for.

// --- What is done over there ---------------------------------------------------------------------
// The first terms of the geometric series, 1 + x + x^2 + … + x^work, by Horner's rule: one multiply-add per term in a
// register, between one load and one store. `work` is the lab's knob: few terms, and the copies are all that counts;
// many, and the GPU's arithmetic pays for them.
__global__ void series(const float* in, float* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float sum = 1;
  for (int term = 0; term < work; ++term) sum = sum * x + 1;
  out[i] = sum;
}
