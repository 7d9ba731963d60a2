// wrong: reduce total - :: compile failed
template <int A, int B>
struct Bomb {
  static constexpr int value = Bomb<A - 1, B>::value + Bomb<A - 1, B + 1>::value;
};
__global__ void total(const int* in, int* out, int n) { *out = Bomb<100000, 0>::value; }
