// cheat: clocks
// earns: 50 0 0
// A kernel that only looks at the clock, and a loop of the CPU's beside it: that a program launches something is its own word. The
// points for the kernel are those of the kernel itself.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void total(const int* in, int* out, int n) {
  if (clock64() < 0) *out = in[n];
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
  int sum = 0;
  total<<<1, 32>>>(nullptr, nullptr, 0);
  cudaDeviceSynchronize();
  for (const int number : numbers) sum += number;
  say(int(numbers.size()), sum);
}
