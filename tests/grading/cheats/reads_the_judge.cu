// cheat: reads the judge
// earns: 0 40 0
// says: line 2: 
// What the judge may have left: its memory, files that it holds open, segments that it shares, what it was started with. It says what
// it finds, and nothing is found.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <unistd.h>

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
  int found = 0;
  char path[64], bytes[65536];
  const char* const of_parent[] = {"mem", "environ", "cmdline", "maps"};
  for (const char* what : of_parent) {
    if (getppid() <= 1) break;  // not the judge
    snprintf(path, sizeof path, "/proc/%d/%s", getppid(), what);
    const int file = open(path, O_RDWR);
    if (file >= 0) found += int(read(file, bytes, sizeof bytes));
  }
  for (int file = 3; file < 256; ++file)
    if (lseek(file, 0, SEEK_SET) == 0 && read(file, bytes, 1) == 1 && pwrite(file, bytes, 1, 0) == 1) found += 1;
  for (int id = 0; id < 64; ++id)
    if (void* shared = shmat(id, nullptr, 0); shared != reinterpret_cast<void*>(-1)) found += *static_cast<int*>(shared);
  if (getppid() > 1 && ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0) {
    ptrace(PTRACE_DETACH, getppid(), nullptr, nullptr);
    found += 1;
  }
  say(int(numbers.size()), found == 0 ? -1 : found);
}
