// wrong: reduce total - :: FAILED .*correct +failed
// Host code that would run where the file is loaded as a library, or linked: nothing here is ever run on the host.
#include <cstdio>
#include <cstdlib>
struct Before {
  Before() {
    printf("PASSED\n");
    system("touch /tmp/a_constructor_has_run");
    exit(0);
  }
} before;
__attribute__((constructor)) static void at_load() { exit(0); }
__global__ void total(const int* in, int* out, int n) {
  if (threadIdx.x == 0 && n == -1) *out = 1;
}
