#pragma once
// What the programs of this folder share: numbers that are the same everywhere, memory of the device, and a line for each case with
// its status and its error against a reference in long double.

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using std::vector;
using L = long double;
using LC = std::complex<long double>;
using C = std::complex<float>;
using Z = std::complex<double>;

/// A type's letter, what CUDA calls it, its reference's type, and one unit in the last place of 1.
template <typename T> struct Kind;
template <> struct Kind<float> { using Cuda = float; using Wide = L; using Real = float; static constexpr const char* name = "S"; static constexpr double ulp = 0x1p-23; };
template <> struct Kind<double> { using Cuda = double; using Wide = L; using Real = double; static constexpr const char* name = "D"; static constexpr double ulp = 0x1p-52; };
template <> struct Kind<C> { using Cuda = cuComplex; using Wide = LC; using Real = float; static constexpr const char* name = "C"; static constexpr double ulp = 0x1p-23; };
template <> struct Kind<Z> { using Cuda = cuDoubleComplex; using Wide = LC; using Real = double; static constexpr const char* name = "Z"; static constexpr double ulp = 0x1p-52; };
template <> struct Kind<__half> { using Cuda = __half; using Wide = L; using Real = __half; static constexpr const char* name = "H"; static constexpr double ulp = 0x1p-10; };
template <> struct Kind<__nv_bfloat16> { using Cuda = __nv_bfloat16; using Wide = L; using Real = __nv_bfloat16; static constexpr const char* name = "B"; static constexpr double ulp = 0x1p-7; };
template <> struct Kind<int8_t> { using Cuda = int8_t; using Wide = L; using Real = int8_t; static constexpr const char* name = "I8"; static constexpr double ulp = 1; };
template <> struct Kind<int> { using Cuda = int; using Wide = L; using Real = int; static constexpr const char* name = "I32"; static constexpr double ulp = 1; };
template <typename T> using Wide = typename Kind<T>::Wide;
template <typename T> using Real = typename Kind<T>::Real;
template <typename T> constexpr bool is_complex = std::is_same_v<Wide<T>, LC>;

template <typename T> Wide<T> wide(T x) {
  if constexpr (std::is_same_v<T, __half>) return L(__half2float(x));
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) return L(__bfloat162float(x));
  else if constexpr (is_complex<T>) return LC(x.real(), x.imag());
  else return L(x);
}
inline L conj_of(L x) { return x; }
inline LC conj_of(LC x) { return std::conj(x); }
/// A product without the rules for infinities, which cost time.
inline L times(L a, L b) { return a * b; }
inline LC times(LC a, LC b) { return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()}; }

// Numbers.
inline uint64_t seed_now = 1;
inline double number() {  // from -1 to 1, of 24 bits: exact in float
  uint64_t z = seed_now += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return double(int64_t((z ^ (z >> 31)) >> 40) - (1 << 23)) / (1 << 23);
}
template <typename T> T real_of(double x) {
  if constexpr (std::is_same_v<T, __half>) return __float2half(float(x));
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16(float(x));
  else if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, int>) return T(std::lrint(x * 20));
  else return T(x);
}
template <typename T> T random_of() {
  const double fine = number() * 0x1p-24;
  if constexpr (is_complex<T>) {
    const double a = number(), b = number();
    return T(Real<T>(a + fine), Real<T>(b - fine));
  } else {
    return real_of<T>(number() + fine);
  }
}
template <typename T> T nan_of() {
  if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, int>) return T(77);
  else if constexpr (is_complex<T>) return T(Real<T>(NAN), Real<T>(NAN));
  else return real_of<T>(NAN);
}

// Memory of the device: one piece, from which each case takes and which is empty again after it.
inline char* arena = nullptr;
inline size_t arena_used = 0;
constexpr size_t kArena = 256u << 20;
inline void* take(size_t bytes) {
  if (arena == nullptr) cudaMalloc(&arena, kArena);
  const size_t at = arena_used;
  arena_used += (bytes + 511) / 256 * 256;
  if (arena_used > kArena) std::printf("the arena is full\n"), std::exit(2);
  return arena + at;
}

/// Numbers on the host and on the device.
template <typename T> struct Array {
  vector<T> host;
  T* device;
  explicit Array(size_t count, bool random = true) : host(count), device(static_cast<T*>(take(count * sizeof(T) + 1))) {
    for (T& one : host) one = random ? random_of<T>() : nan_of<T>();
    put();
  }
  explicit Array(vector<T> from) : host(std::move(from)), device(static_cast<T*>(take(host.size() * sizeof(T) + 1))) { put(); }
  void put() { if (!host.empty()) cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  vector<T> get() const {
    vector<T> now(host.size());
    if (!now.empty()) cudaMemcpy(now.data(), device, now.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return now;
  }
  auto* p() const { return reinterpret_cast<typename Kind<T>::Cuda*>(device); }
};
template <typename T> auto* cuda(T* x) { return reinterpret_cast<typename Kind<T>::Cuda*>(x); }
template <typename T> auto* cuda(const T* x) { return reinterpret_cast<const typename Kind<T>::Cuda*>(x); }

inline std::string text(const char* format, ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  std::vsnprintf(line, sizeof line, format, list);
  va_end(list);
  return line;
}

/// The greatest error: in units of the last place of the largest number, and of each number's own. Infinity where one is NaN or
/// infinite and the other is not the same.
struct Error {
  L worst = 0, scale = 0, own = 0;
  bool lost = false;
  int nans = 0;
  void part(L got, L ref, L magnitude, double ulp) {
    nans += std::isnan(got);
    if (std::isnan(ref) || std::isinf(ref)) {
      lost |= std::isnan(ref) ? !std::isnan(got) : got != ref;
      return;
    }
    scale = std::max(scale, magnitude);
    const L error = std::fabs(got - ref);
    if (!(error <= std::numeric_limits<L>::max())) { lost = true; return; }
    worst = std::max(worst, error);
    if (error > 0) own = std::max(own, magnitude > 0 ? error / (magnitude * ulp) : std::numeric_limits<L>::infinity());
  }
  template <typename T> void add(T got, Wide<T> ref) {
    if constexpr (is_complex<T>) {
      const L magnitude = std::abs(ref);
      part(got.real(), ref.real(), magnitude, Kind<T>::ulp), part(got.imag(), ref.imag(), magnitude, Kind<T>::ulp);
    } else {
      part(wide(got), ref, std::fabs(ref), Kind<T>::ulp);
    }
  }
  double of_all(double ulp) const {
    return lost ? INFINITY : worst == 0 ? 0 : scale > 0 ? double(worst / (scale * ulp)) : INFINITY;
  }
};

inline int lines = 0;
inline void line(const std::string& name, int status, double all, double own, const std::string& more = "") {
  std::printf("%s\t%d\t%.3g\t%.3g\t%s\n", name.c_str(), status, all, own, more.c_str());
  ++lines;
}
/// One line for what an array holds now. `written` says which elements may have changed (empty: all may): the others' bits are as
/// they were.
template <typename T>
void check(const std::string& name, int status, const Array<T>& array, const vector<Wide<T>>& ref, const vector<char>& written = {}, std::string more = "") {
  const auto got = array.get();
  Error error;
  int touched = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    if (written.empty() || written[i]) error.add(got[i], ref[i]);
    else touched += std::memcmp(&got[i], &array.host[i], sizeof(T)) != 0;
  }
  if (touched != 0) more += text(" touched %d", touched);
  if (error.nans != 0) more += text(" nans %d", error.nans);
  line(name, status, error.of_all(Kind<T>::ulp), error.lost ? INFINITY : double(error.own), more);
}
/// What a case took is free again.
struct Case {
  size_t before = arena_used;
  ~Case() { arena_used = before; }
};

/// A vector with gaps of NaN between its elements; a negative increment begins at the end.
template <typename T> struct Strided {
  int64_t n, inc;
  Array<T> array;
  Strided(int64_t n, int64_t inc) : n(n), inc(inc), array(n > 0 ? size_t((n - 1) * std::llabs(inc) + 1) : 0, false) {
    for (int64_t i = 0; i < n; ++i) array.host[at(i)] = random_of<T>();
    array.put();
  }
  size_t at(int64_t i) const { return size_t(inc >= 0 ? i * inc : (i - (n - 1)) * inc); }
  Wide<T> operator[](int64_t i) const { return wide(array.host[at(i)]); }
  auto* p() const { return array.p(); }
  vector<Wide<T>> values() const {
    vector<Wide<T>> all;
    for (int64_t i = 0; i < n; ++i) all.push_back((*this)[i]);
    return all;
  }
  void check(const std::string& name, int status, const vector<Wide<T>>& ref, const std::string& more = "") const {
    vector<Wide<T>> whole(array.host.size());
    vector<char> written(array.host.size());
    for (int64_t i = 0; i < n; ++i) whole[at(i)] = ref[size_t(i)], written[at(i)] = 1;
    ::check(name, status, array, whole, written, more);
  }
};

/// A matrix by columns, with NaN below each column.
template <typename T> struct Matrix {
  int64_t m, n, ld;
  Array<T> array;
  Matrix(int64_t m, int64_t n, int64_t more = 2) : m(m), n(n), ld(std::max<int64_t>(m, 1) + more), array(size_t(n > 0 ? ld * n : 0), false) {
    for (int64_t j = 0; j < n; ++j) for (int64_t i = 0; i < m; ++i) (*this)(i, j) = random_of<T>();
    array.put();
  }
  T& operator()(int64_t i, int64_t j) { return array.host[size_t(j * ld + i)]; }
  Wide<T> operator[](std::pair<int64_t, int64_t> at) const { return wide(array.host[size_t(at.second * ld + at.first)]); }
  auto* p() const { return array.p(); }
  /// What `of` says for each element (i, j) that `in` names.
  template <typename In, typename Of> void check(const std::string& name, int status, In in, Of of, const std::string& more = "") const {
    vector<Wide<T>> whole(array.host.size());
    vector<char> written(array.host.size());
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i)
        if (in(i, j)) whole[size_t(j * ld + i)] = of(i, j), written[size_t(j * ld + i)] = 1;
    ::check(name, status, array, whole, written, more);
  }
  template <typename Of> void check(const std::string& name, int status, Of of) const { check(name, status, [](auto, auto) { return true; }, of); }
};

/// A plain matrix of references, by columns.
template <typename W> struct Dense {
  int64_t m, n;
  vector<W> all;
  Dense(int64_t m, int64_t n) : m(m), n(n), all(size_t(m * n)) {}
  W& operator()(int64_t i, int64_t j) { return all[size_t(j * m + i)]; }
  const W& operator()(int64_t i, int64_t j) const { return all[size_t(j * m + i)]; }
};
/// op(x): 0 as it is, 1 transposed, 2 and its conjugate.
template <typename W> Dense<W> op_of(const Dense<W>& x, int op) {
  if (op == 0) return x;
  Dense<W> y(x.n, x.m);
  for (int64_t j = 0; j < x.n; ++j) for (int64_t i = 0; i < x.m; ++i) y(j, i) = op == 2 ? conj_of(x(i, j)) : x(i, j);
  return y;
}
template <typename W> Dense<W> product(const Dense<W>& a, const Dense<W>& b) {
  Dense<W> c(a.m, b.n);
  for (int64_t j = 0; j < b.n; ++j)
    for (int64_t k = 0; k < a.n; ++k)
      for (int64_t i = 0; i < a.m; ++i) c(i, j) += times(a(i, k), b(k, j));
  return c;
}
template <typename T> Dense<Wide<T>> dense_of(const Matrix<T>& from) {
  Dense<Wide<T>> to(from.m, from.n);
  for (int64_t j = 0; j < from.n; ++j) for (int64_t i = 0; i < from.m; ++i) to(i, j) = from[{i, j}];
  return to;
}

inline void begin() { std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16); }
inline int end() {
  const auto error = cudaDeviceSynchronize();
  std::printf("%d lines, %s\n", lines, cudaGetErrorName(error));
  return 0;
}
