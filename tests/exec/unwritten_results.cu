// Copies to the host that take what no thread wrote, and such that may: initcheck says why, where the launch's shape tells.
// case: -- floor :: 0
// err: ^gpulab: unwritten_results on a simulated h200: exit code 0\n\n
// case: --sanitize initcheck -- floor :: 1
// err: error: initcheck: cudaMemcpy takes 928 bytes of 'cudaMalloc #1' that nothing has written, the first at byte 3072 of 4000; fill, launched at unwritten_results\.cu:\d+, has 3 x 256 threads for 1000 elements: let the grid have \(n \+ block - 1\) / block blocks, or each thread take several elements \(called by unwritten_results\.cu:\d+\)
// case: --sanitize initcheck -- one_block :: 1
// err: has 1 x 256 threads for 1000 elements
// case: --sanitize initcheck -- rows :: 1
// err: takes \d+ bytes .*; matrix, .* has 3 x 16 threads in y for 50 rows: round up, \(rows \+ block\.y - 1\) / block\.y blocks in y
// case: --sanitize initcheck -- columns :: 1
// err: matrix, .* has 2 x 16 threads in x for 40 columns: round up, \(columns \+ block\.x - 1\) / block\.x blocks in x
// case: --sanitize initcheck -- nothing :: 1
// err: error: initcheck: cudaMemcpy takes 400 bytes of 'cudaMalloc #1' that nothing has written; fill, launched at unwritten_results\.cu:\d+, had its address and stored nothing there: look at the conditions of its stores, and at its index
// case: --sanitize initcheck -- list :: 0
// err: note: initcheck: cudaMemcpy takes \d+ bytes of 'cudaMalloc #1' that nothing has written, .*; some, launched at unwritten_results\.cu:\d+, had its address: if the host uses them, its stores leave them out
// case: --sanitize all -- whole :: 0
// err: ^gpulab: unwritten_results on a simulated h200: exit code 0\n\n
// case: --sanitize all -- filled :: 0
// err: ^gpulab: unwritten_results on a simulated h200: exit code 0\n\n
// case: --sanitize all -- untouched :: 0
// err: ^gpulab: unwritten_results on a simulated h200: exit code 0\n\n
// case: --sanitize all -- padding :: 0
// err: ^gpulab: unwritten_results on a simulated h200: exit code 0\n\n
// case: --sanitize all -- pitched :: 0
// err: ^gpulab: unwritten_results on a simulated h200: exit code 0\n\n
#include <cstring>
#include <vector>

struct Padded {
  char small;
  double large;
};
__global__ void fill(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}
__global__ void matrix(int* x, int width, int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) x[row * width + column] = row;
}
__global__ void some(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n && i % 10 < 5) x[i / 10 * 5 + i % 10] = i;
}
__global__ void pads(Padded* x) {
  x[threadIdx.x].small = 1;
  x[threadIdx.x].large = 2;
}

int main(int, char** argv) {
  const char* what = argv[1];
  const auto is = [&](const char* word) { return std::strcmp(what, word) == 0; };
  std::vector<char> home(16384);
  char* x = nullptr;
  std::size_t pitch = 0;
  if (is("pitched"))
    cudaMallocPitch(&x, &pitch, 100, 4);
  else
    cudaMalloc(&x, 4000);
  int* const numbers = reinterpret_cast<int*>(x);
  std::size_t bytes = 4000;
  if (is("floor")) fill<<<1000 / 256, 256>>>(numbers, 1000);
  if (is("one_block")) fill<<<1, 256>>>(numbers, 1000);
  if (is("rows")) matrix<<<dim3(1, 50 / 16), dim3(16, 16)>>>(numbers, 10, 50), bytes = 2000;
  if (is("columns")) matrix<<<dim3(40 / 16, 2), dim3(16, 16)>>>(numbers, 40, 25);
  if (is("nothing")) fill<<<1, 64>>>(numbers, 0), bytes = 400;
  if (is("list")) some<<<1, 100>>>(numbers, 100), bytes = 400;
  if (is("whole")) fill<<<4, 256>>>(numbers, 1000);
  if (is("filled")) cudaMemset(x, 0, 4000), fill<<<3, 256>>>(numbers, 1000);
  if (is("padding")) pads<<<1, 100>>>(reinterpret_cast<Padded*>(x)), bytes = 1600;
  if (is("untouched")) fill<<<1, 32>>>(nullptr, 0);
  if (is("pitched")) {
    for (int row = 0; row < 4; ++row) fill<<<1, 32>>>(reinterpret_cast<int*>(x + row * pitch), 25);
    cudaMemcpy2D(home.data(), 100, x, pitch, 100, 4, cudaMemcpyDeviceToHost);
  } else {
    cudaMemcpy(home.data(), x, bytes, cudaMemcpyDeviceToHost);
  }
  cudaFree(x);
}
