// A Julia set: every pixel stands for a number z of the complex plane, and the question is how often z = z * z + c can
// be repeated before |z| exceeds 2. From there on it grows without end; what never gets there belongs to the set.
// Pixels are independent, one thread each: nothing to share, nothing to wait for, and still lanes of a warp get into
// each other's way, because neighbours take different numbers of iterations.
//
// Products that are added to something are written as fmaf, multiplied and added with one rounding: the compiler would
// fuse them anyway, but into which of two possible fmas is its choice. Written out, the CPU computes the same bits, and
// every pixel can be compared exactly; one bit is enough to send a pixel near the set's edge another way.
//
// The picture shows the square from -2 to 2 in its smaller direction. A pixel's number is that of its centre.

// --- 1: all iterations for all -------------------------------------------------------------------
// Every thread iterates to the end, and only the counting stops when |z| has exceeded 2. No branch depends on the
// pixel, no lane is ever idle: a warp execution efficiency of 100% (in a grid without surplus threads). And nearly all
// of this perfect work is for nothing.
__global__ void julia_fixed(int* counts, int width, int height, int iterations, float c_re, float c_im) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  const float pixel = 4.0f / min(width, height);
  float re = (col + 0.5f - 0.5f * width) * pixel, im = (row + 0.5f - 0.5f * height) * pixel;

  int count = 0;
  bool inside = true;  // beyond 2 it grows to infinity, and becomes NaN, which no comparison holds for
  for (int i = 0; i < iterations; ++i) {
    inside &= fmaf(re, re, im * im) <= 4.0f;
    count += inside;
    const float next_re = fmaf(re, re, fmaf(-im, im, c_re));
    im = fmaf(2.0f * re, im, c_im);
    re = next_re;
  }
  counts[long(row) * width + col] = count;
}

// --- 2: leave early ------------------------------------------------------------------------------
// A pixel is done when |z| has exceeded 2: most need a few iterations of 256. But a warp goes on as long as one of its
// lanes does; the others wait, masked out. Less work in all, done less efficiently: the lecture's example of divergence
// in practice. The waste is the difference between neighbours, so the shape of a warp's pixels matters: 32 x 1 pixels
// of a row (blocks 256x1, 32x8) lie further apart than 16 x 2 (16x16) or 8 x 4 (8x4).
__global__ void julia_early_exit(int* counts, int width, int height, int iterations, float c_re, float c_im) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  const float pixel = 4.0f / min(width, height);
  float re = (col + 0.5f - 0.5f * width) * pixel, im = (row + 0.5f - 0.5f * height) * pixel;

  int count = 0;
  while (count < iterations && fmaf(re, re, im * im) <= 4.0f) {
    const float next_re = fmaf(re, re, fmaf(-im, im, c_re));
    im = fmaf(2.0f * re, im, c_im);
    re = next_re;
    ++count;
  }
  counts[long(row) * width + col] = count;
}
