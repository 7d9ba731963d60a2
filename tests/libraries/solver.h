#pragma once
// What the programs of cuSOLVER share: a function by its type's letter, matrices as they are now, errors against references.

#include <cusolverDn.h>

#include <csetjmp>
#include <csignal>

#include "blas.h"

static cusolverDnHandle_t solver;
#define SOLVE(s, d, c, z, ...)                                                                   \
  [&] {                                                                                          \
    if constexpr (std::is_same_v<T, float>) return int(cusolverDn##s(solver, __VA_ARGS__));      \
    else if constexpr (std::is_same_v<T, double>) return int(cusolverDn##d(solver, __VA_ARGS__)); \
    else if constexpr (std::is_same_v<T, C>) return int(cusolverDn##c(solver, __VA_ARGS__));     \
    else return int(cusolverDn##z(solver, __VA_ARGS__));                                         \
  }()
#define SDCZ(name, ...) SOLVE(S##name, D##name, C##name, Z##name, __VA_ARGS__)

template <typename T> Dense<Wide<T>> now_of(const Matrix<T>& a) {
  Matrix<T> now = a;
  now.array.host = a.array.get();
  return dense_of(now);
}
template <typename W> Dense<W> unit_of(int64_t n) {
  Dense<W> one(n, n);
  for (int64_t i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}
/// The greatest difference, in units of the last place of the greatest element; elements above (below) the diagonal alone if `part`.
template <typename T> void tell(const std::string& name, int status, const Dense<Wide<T>>& got, const Dense<Wide<T>>& ref, const std::string& more = "", int part = 0) {
  Error error;
  for (int64_t j = 0; j < ref.n; ++j)
    for (int64_t i = 0; i < ref.m; ++i) {
      if ((part < 0 && i < j) || (part > 0 && i > j)) continue;
      error.scale = std::max<L>(error.scale, std::abs(ref(i, j)));
      error.worst = std::max<L>(error.worst, std::abs(got(i, j) - ref(i, j)));
      error.lost |= !(std::abs(got(i, j)) < 1e300L);
    }
  const double all = ref.all.empty() || status != 0 ? 0 : error.of_all(Kind<T>::ulp);
  line(name, status, all, all, more);
}
/// Singular values in falling order, by rotations of columns.
template <typename W> vector<L> singular_values(Dense<W> a) {
  if (a.m < a.n) a = op_of(a, 2);
  for (int sweep = 0; sweep < 60; ++sweep) {
    L off = 0;
    for (int64_t p = 0; p < a.n; ++p)
      for (int64_t q = p + 1; q < a.n; ++q) {
        L pp = 0, qq = 0;
        W pq = 0;
        for (int64_t i = 0; i < a.m; ++i) pp += std::norm(a(i, p)), qq += std::norm(a(i, q)), pq += times(conj_of(a(i, p)), a(i, q));
        const L size = std::abs(pq);
        if (size <= 1e-19L * std::sqrt(pp * qq) || size == 0) continue;
        off = std::max(off, size / std::sqrt(pp * qq));
        const L zeta = (qq - pp) / (2 * size), t = (zeta >= 0 ? 1 : -1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta)), c = 1 / std::sqrt(1 + t * t), s = c * t;
        const W phase = pq / size;
        for (int64_t i = 0; i < a.m; ++i) {
          const W x = a(i, p), y = times(conj_of(phase), a(i, q));
          a(i, p) = c * x - s * y, a(i, q) = s * x + c * y;
        }
      }
    if (off < 1e-18L) break;
  }
  vector<L> all;
  for (int64_t j = 0; j < a.n; ++j) {
    L sum = 0;
    for (int64_t i = 0; i < a.m; ++i) sum += std::norm(a(i, j));
    all.push_back(std::sqrt(sum));
  }
  std::sort(all.rbegin(), all.rend());
  return all;
}

struct Work {
  Array<int> info = Array<int>(vector<int>{-777}), pivots;
  explicit Work(int n) : pivots(vector<int>(size_t(n + 1), -777)) {}
  std::string told() const { return text("info %d", info.get()[0]); }
};
template <typename T> T* room(int size) { return static_cast<T*>(take(size_t(std::max(size, 1)) * sizeof(T))); }

template <typename T> void tell_values(const std::string& name, int status, const Array<Real<T>>& got, const vector<L>& ref, const std::string& more) {
  using R = Real<T>;
  Dense<L> a(int64_t(ref.size()), 1), b = a;
  const auto now = got.get();
  for (size_t i = 0; i < ref.size(); ++i) a.all[i] = now[i], b.all[i] = ref[i];
  tell<R>(name, status, a, b, more);
}

template <typename T> constexpr cudaDataType type_of = std::is_same_v<T, float> ? CUDA_R_32F : std::is_same_v<T, double> ? CUDA_R_64F : std::is_same_v<T, C> ? CUDA_C_32F : CUDA_C_64F;
template <typename T> T real_number(double x) { return T(Real<T>(x)); }
static const auto kVector = CUSOLVER_EIG_MODE_VECTOR;

template <typename W> Dense<W> columns_of(const Dense<W>& a, int64_t count) {
  Dense<W> part(a.m, count);
  for (int64_t j = 0; j < count; ++j) for (int64_t i = 0; i < a.m; ++i) part(i, j) = a(i, j);
  return part;
}
template <typename W, typename R> Dense<W> scaled(Dense<W> a, const vector<R>& by) {
  for (int64_t j = 0; j < a.n; ++j) for (int64_t i = 0; i < a.m; ++i) a(i, j) *= L(by[size_t(j)]);
  return a;
}

/// What a call returns; -99 where the library faults in it: NVIDIA's reads by some pointers that are null.
constexpr int kFault = -99;
inline sigjmp_buf after_fault;
template <typename Call> int guarded(Call call) {
  struct sigaction ours = {}, before;
  ours.sa_handler = [](int) { siglongjmp(after_fault, 1); };
  sigaction(SIGSEGV, &ours, &before);
  const int status = sigsetjmp(after_fault, 1) == 0 ? call() : kFault;
  sigaction(SIGSEGV, &before, nullptr);
  return status;
}
