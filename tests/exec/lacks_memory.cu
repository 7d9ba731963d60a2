// What tools keep of each access may be more than there is memory for: here the program itself takes it from them.
// long
// case: --sanitize all -- sparse :: 0
// out: ^right\n$
// case: --sanitize all -- dense :: 0
// out: ^right\n$
// err: warning: racecheck: .*mark.*: not checked to its end, for racecheck found no more memory for what it keeps of each access; the launch ran on without it: choose a smaller problem
// case: --sanitize racecheck -- dense race :: 1
// out: ^right\n$
// err: error: racecheck: .*smooth.*: race in shared memory
// err: warning: racecheck: .*mark.*: not checked to its end
// case: --sanitize racecheck --format json -- dense :: 0
// out: right
// case: -- refused :: 0
// err: exit code 0\nwarning: api: cudaMalloc: this machine has too little memory, not the GPU: .* \(called by lacks_memory.cu:@cudaMalloc(&refused@\)\n(\n|$)
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>

__global__ void mark(unsigned char* bytes, size_t step, size_t n) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i * step < n) bytes[i * step] = 1 + i % 100;
}

__global__ void smooth(int* x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  s[t] = s[(t + 1) % 64];
  x[t] = s[t];
}

void set_limit(size_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::puts("no limit");
}

/// So many bytes more than now, which is asked by trying: there is no /proc here.
void limit_address_space(size_t more) {
  size_t less = 0, enough = size_t{1} << 46;
  while (enough - less > size_t{1} << 20) {
    const size_t tried = less + (enough - less) / 2;
    set_limit(tried);
    void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) munmap(page, 4096);
    (page != MAP_FAILED ? enough : less) = tried;
  }
  set_limit(enough + more);
}

/// What comes of a call that would have been right on a GPU is no fault of the program's.
int copy_into_what_was_refused() {
  int *refused = nullptr, x = 1;
  limit_address_space(size_t{64} << 20);
  cudaMalloc(&refused, size_t{4} << 30);
  cudaMemcpy(refused, &x, sizeof x, cudaMemcpyHostToDevice);
  return 0;
}

int main(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "refused") return copy_into_what_was_refused();
  const bool dense = count > 1 && std::string(words[1]) == "dense";
  const size_t n = size_t{dense ? 96u : 640u} << 20, step = dense ? 2048 : n / 50, marks = (n + step - 1) / step;
  unsigned char* bytes = nullptr;
  int* x = nullptr;
  cudaMalloc(&x, 256);
  cudaMalloc(&bytes, n);
  cudaMemset(bytes, 0, n);
  limit_address_space(size_t{1} << 30);
  mark<<<(marks + 255) / 256, 256>>>(bytes, step, n);
  bool right = cudaDeviceSynchronize() == cudaSuccess;
  for (size_t i = 0; i < marks; i += dense ? 1001 : 1) {
    unsigned char got[2];
    cudaMemcpy(got, bytes + i * step, 2, cudaMemcpyDeviceToHost);
    right = right && got[0] == 1 + i % 100 && got[1] == 0;
  }
  if (count > 2) smooth<<<1, 64>>>(x);
  right = right && cudaDeviceSynchronize() == cudaSuccess;
  std::puts(right ? "right" : "wrong");
  cudaFree(x);
  cudaFree(bytes);
}
