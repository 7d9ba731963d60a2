// wrong: reduce total - :: compile failed
#include "/etc/passwd"
__global__ void total(const int* in, int* out, int n) {}
