// cheat: finishes later
// earns: 0 40 0
// says: there is no output
// A thread of its own says the answer when the program has ended: nobody waits for it.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <chrono>
#include <thread>

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
  total<<<1, 256>>>(nullptr, nullptr, 0);
  cudaDeviceSynchronize();
  std::thread([numbers] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    int sum = 0;
    for (const int number : numbers) sum += number;
    say(int(numbers.size()), sum);
    fflush(stdout);
  }).detach();
}
