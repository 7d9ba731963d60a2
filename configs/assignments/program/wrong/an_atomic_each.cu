// Each thread adds to the one sum by itself.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t error = (call);                                                    \
    if (error != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));     \
      exit(1);                                                                           \
    }                                                                                    \
  } while (false)

__global__ void total(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

int main(int argc, char** argv) {
  FILE* file = argc > 1 ? fopen(argv[1], "r") : stdin;
  if (file == nullptr) {
    fprintf(stderr, "there is no file %s\n", argv[1]);
    return 1;
  }
  std::vector<int> numbers;
  for (int number; fscanf(file, "%d", &number) == 1;) numbers.push_back(number);
  const int n = static_cast<int>(numbers.size());

  int *in = nullptr, *out = nullptr, sum = 0;
  CHECK(cudaMalloc(&in, (n + 1) * sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  CHECK(cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, sizeof(int)));
  total<<<(n + 255) / 256 + 1, 256>>>(in, out, n);  // no grid is empty, and surplus blocks do nothing
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));

  printf("numbers %d\nsum %d\nmean %.6f\n", n, sum, n == 0 ? 0.0 : double(sum) / n);
}
