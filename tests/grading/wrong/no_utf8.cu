// wrong: reduce total - :: (compile|correct) +failed
// No UTF-8: ÿþ À¯ í €
__global__ void total(const int* in, int* out, int n) { const char* s = "ÿþ"; if (threadIdx.x == 0) *out = s[0]; }
