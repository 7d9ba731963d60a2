// The reference: a pixel for each thread, which is done when its point has escaped.
//! item {"name": "stops", "kind": "require", "points": 30, "require": ["warp_instructions<=1.3*reference"]}
__global__ void julia(int* counts, int width, int height, int iterations, float c_re, float c_im) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const bool is_inside = col < width && row < height;
  //! correct no_test: const bool is_inside = true;
  const float s = 4.0f / min(width, height);
  //! correct stretched: const float s = 4.0f / width;
  float re = (col + 0.5f - width / 2.0f) * s, im = (row + 0.5f - height / 2.0f) * s;
  int k = 0;
  for (; is_inside && k < iterations && re * re + im * im <= 4; ++k) {
    //! correct one_too_many: for (; is_inside && k <= iterations && re * re + im * im <= 4; ++k) {
    //! stops goes_on: for (int step = 0; is_inside && step < iterations; ++step) { k += re * re + im * im <= 4;
    const float next = re * re - im * im + c_re;
    im = 2 * re * im + c_im;
    re = next;
  }
  if (is_inside) counts[row * width + col] = k;
  //! correct swapped: if (is_inside) counts[col * height + row] = k;
}
