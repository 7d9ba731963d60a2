// Host code that does not compile beside a kernel that does: a header that is not there, names that nobody declared.
#include <vector>

#include "not_here.h"

NotHere nothing;

__global__ void twice(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

struct Timer {
  void start() { start_of(clock_of_nobody); }
};

int main() {
  std::vector<int> x(8);
  x.no_such_member();
  twice<<<1, 32>>>(undeclared, 8);
  return 0;
}
