// cheat: own stream
// earns: 50 40 0
// Events of the default stream see nothing of the work. Nobody asks the program for a time: it earns what it is worth.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void total(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

std::vector<int> numbers_of(int argc, char** argv) {
  FILE* file = argc > 1 ? fopen(argv[1], "r") : stdin;
  std::vector<int> numbers;
  for (int number; file != nullptr && fscanf(file, "%d", &number) == 1;) numbers.push_back(number);
  return numbers;
}

void say(int n, int sum) { printf("numbers %d\nsum %d\nmean %.6f\n", n, sum, n == 0 ? 0.0 : double(sum) / n); }

int main(int argc, char** argv) {
  const auto numbers = numbers_of(argc, argv);
  const int n = int(numbers.size());
  int *in, *out, sum = 0;
  cudaMalloc(&in, (n + 1) * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(int));
  cudaStream_t aside;
  cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaDeviceSynchronize();
  cudaEventRecord(start);
  total<<<n / 256 + 1, 256, 0, aside>>>(in, out, n);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, end);
  fprintf(stderr, "%.3f ms\n", ms);
  cudaStreamSynchronize(aside);
  cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
  say(n, sum);
}
