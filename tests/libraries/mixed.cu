// cuBLAS's products of several types and of many matrices, factors of many matrices, and cuBLASLt's products with epilogues.
#include <cublasLt.h>
#include <cublas_v2.h>

#include "blas.h"

struct Sizes { int m, n, k; };
template <typename T> std::string named(const char* what, const std::string& more) { return text("%s<%s> %s", what, Kind<T>::name, more.c_str()); }
template <typename W> W put_together(W alpha, W p, W beta, W c) { return (alpha == W(0) ? W(0) : times(alpha, p)) + (beta == W(0) ? W(0) : times(beta, c)); }

/// Matrices at a stride, and the addresses of each.
template <typename T> struct Many {
  vector<Matrix<T>> all;
  int64_t stride = 0;
  T** pointers = nullptr;
  Many(int64_t m, int64_t n, int batch, int64_t more = 1) {
    for (int i = 0; i < batch; ++i) {
      all.emplace_back(m, n, more);
      if (i == 1) stride = all[1].array.device - all[0].array.device;
    }
    vector<T*> where;
    for (auto& one : all) where.push_back(one.array.device);
    pointers = static_cast<T**>(take(where.size() * sizeof(T*) + 8));
    if (batch > 0) cudaMemcpy(pointers, where.data(), where.size() * sizeof(T*), cudaMemcpyHostToDevice);
  }
  auto** list() const { return reinterpret_cast<typename Kind<T>::Cuda**>(pointers); }
  auto** reads() const { return const_cast<const typename Kind<T>::Cuda**>(list()); }
  auto* p() const { return all.empty() ? nullptr : all[0].p(); }
};

template <typename A, typename To, typename S> void ex(const char* types, cudaDataType at, cudaDataType ct, cublasComputeType_t compute, bool supported = true) {
  using W = Wide<To>;
  for (const auto& [m, n, k] : vector<Sizes>{{1, 1, 1}, {4, 4, 4}, {5, 3, 7}, {0, 4, 2}, {3, 2, 0}, {33, 17, 65}, {64, 64, 64}, {8, 8, 512}, {7, 5, 1030}})
    for (const auto opa : {CUBLAS_OP_N, CUBLAS_OP_T})
      for (const auto opb : {CUBLAS_OP_N, CUBLAS_OP_T})
        for (const auto& s : {std::pair(1, 0), std::pair(2, 2), std::pair(0, 1)}) {
          if (!supported && (m != 4 || s.first != 1)) continue;
          Case one;
          const int na = opa == CUBLAS_OP_N ? k : m, nb = opb == CUBLAS_OP_N ? n : k;
          const auto round = [](int v) { return int64_t((v + 3) / 4 * 4 - v); };  // int8 wants leading dimensions of four's multiples
          Many<A> a(opa == CUBLAS_OP_N ? m : k, na, 2, round(std::max(1, opa == CUBLAS_OP_N ? m : k))), b(opb == CUBLAS_OP_N ? k : n, nb, 2, round(std::max(1, opb == CUBLAS_OP_N ? k : n)));
          Many<To> c(m, n, 2, round(std::max(1, m)));
          if (s.second == 0)
            for (auto& each : c.all) { for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) each(i, j) = nan_of<To>(); each.array.put(); }
          const auto value = [](int which) {
            if constexpr (std::is_same_v<S, int>) return which == 2 ? 3 : which;
            else return which == 2 ? real_of<S>(-1.25) : real_of<S>(which);
          };
          const S alpha = value(s.first), beta = value(s.second);
          const std::string tail = text("%s %d x %d x %d ops %d %d scalars %d %d", types, m, n, k, opa, opb, s.first, s.second);
          const int lda = int(a.all[0].ld), ldb = int(b.all[0].ld), ldc = int(c.all[0].ld);
          const auto tell = [&](const char* name, int status, int count) {
            for (int i = 0; i < count; ++i) {
              const auto x = dense_of(a.all[size_t(i)]), y = dense_of(b.all[size_t(i)]);
              const auto p = product(op_of(x, opa), op_of(y, opb));
              auto& to = c.all[size_t(i)];
              to.check(text("%s %s [%d]", name, tail.c_str(), i), status, [&](int64_t r, int64_t q) { return put_together<W>(W(wide(alpha)), p(r, q), W(wide(beta)), to[{r, q}]); });
              to.array.put();
            }
          };
          const auto N = CUBLAS_GEMM_DEFAULT;
          tell("GemmEx", cublasGemmEx(handle, opa, opb, m, n, k, &alpha, a.p(), at, lda, b.p(), at, ldb, &beta, c.p(), ct, ldc, compute, N), 1);
          tell("GemmStridedBatchedEx", cublasGemmStridedBatchedEx(handle, opa, opb, m, n, k, &alpha, a.p(), at, lda, a.stride, b.p(), at, ldb, b.stride, &beta, c.p(), ct, ldc, c.stride, 2, compute, N), 2);
          tell("GemmBatchedEx", cublasGemmBatchedEx(handle, opa, opb, m, n, k, &alpha, (const void**)a.pointers, at, lda, (const void**)b.pointers, at, ldb, &beta, (void**)c.pointers, ct, ldc, 2, compute, N), 2);
        }
}

template <typename T> void batched() {
  using W = Wide<T>;
  for (const auto& [m, n, k] : vector<Sizes>{{1, 1, 1}, {5, 3, 7}, {0, 4, 2}, {3, 2, 0}, {33, 17, 65}})
    for (const auto opa : kOps)
      for (const auto opb : kOps)
        for (const int batch : {0, 1, 3}) {
          Case one;
          Many<T> a(opa == CUBLAS_OP_N ? m : k, opa == CUBLAS_OP_N ? k : m, batch), b(opb == CUBLAS_OP_N ? k : n, opb == CUBLAS_OP_N ? n : k, batch), c(m, n, batch, 2);
          const int lda = int(std::max(1, opa == CUBLAS_OP_N ? m : k)) + 1, ldb = int(std::max(1, opb == CUBLAS_OP_N ? k : n)) + 1, ldc = std::max(1, m) + 2;
          T alpha, beta;
          if constexpr (std::is_same_v<T, __half>) alpha = real_of<T>(0.5), beta = real_of<T>(-1.25);
          else alpha = scalar<T>(2), beta = scalar<T>(2);
          const auto tell = [&](const char* name, int status) {
            if (batch == 0) line(named<T>(name, text("%d x %d x %d none", m, n, k)), status, 0, 0);
            for (auto& to : c.all) {
              const size_t i = size_t(&to - c.all.data());
              const auto p = product(op_of(dense_of(a.all[i]), opa), op_of(dense_of(b.all[i]), opb));
              to.check(named<T>(name, text("%d x %d x %d ops %d %d [%d of %d]", m, n, k, opa, opb, int(i), batch)), status,
                       [&](int64_t r, int64_t q) { return put_together<W>(wide(alpha), p(r, q), wide(beta), to[{r, q}]); });
              to.array.put();
            }
          };
          if constexpr (std::is_same_v<T, __half>) {
            tell("gemmStridedBatched", cublasHgemmStridedBatched(handle, opa, opb, m, n, k, &alpha, a.p(), lda, a.stride, b.p(), ldb, b.stride, &beta, c.p(), ldc, c.stride, batch));
            tell("gemmBatched", cublasHgemmBatched(handle, opa, opb, m, n, k, &alpha, a.reads(), lda, b.reads(), ldb, &beta, c.list(), ldc, batch));
            if (batch == 1) tell("gemm", cublasHgemm(handle, opa, opb, m, n, k, &alpha, a.p(), lda, b.p(), ldb, &beta, c.p(), ldc));
          } else {
            tell("gemmStridedBatched", BLAS(gemmStridedBatched, opa, opb, m, n, k, cuda(&alpha), a.p(), lda, a.stride, b.p(), ldb, b.stride, cuda(&beta), c.p(), ldc, c.stride, batch));
            tell("gemmBatched", BLAS(gemmBatched, opa, opb, m, n, k, cuda(&alpha), a.reads(), lda, b.reads(), ldb, cuda(&beta), c.list(), ldc, batch));
            if (batch != 1) continue;
            if constexpr (std::is_same_v<T, float>)
              tell("SgemmEx", cublasSgemmEx(handle, opa, opb, m, n, k, &alpha, a.p(), CUDA_R_32F, lda, b.p(), CUDA_R_32F, ldb, &beta, c.p(), CUDA_R_32F, ldc));
            if constexpr (std::is_same_v<T, C>)
              tell("CgemmEx", cublasCgemmEx(handle, opa, opb, m, n, k, cuda(&alpha), a.p(), CUDA_C_32F, lda, b.p(), CUDA_C_32F, ldb, cuda(&beta), c.p(), CUDA_C_32F, ldc));
          }
        }
}

template <typename T> void groups() {
  Case one;
  const cublasOperation_t opa[] = {CUBLAS_OP_N, CUBLAS_OP_T}, opb[] = {CUBLAS_OP_T, CUBLAS_OP_N};
  const int m[] = {5, 9}, n[] = {3, 2}, k[] = {7, 33}, sizes[] = {2, 1};
  const T alpha[] = {T(1), T(-0.5)}, beta[] = {T(0), T(2)};
  Many<T> a0(5, 7, 2), b0(3, 7, 2), c0(5, 3, 2), a1(33, 9, 1), b1(33, 2, 1), c1(9, 2, 1);
  const int lda[] = {6, 34}, ldb[] = {4, 34}, ldc[] = {6, 10};
  vector<T*> la{a0.all[0].array.device, a0.all[1].array.device, a1.all[0].array.device}, lb{b0.all[0].array.device, b0.all[1].array.device, b1.all[0].array.device}, lc{c0.all[0].array.device, c0.all[1].array.device, c1.all[0].array.device};
  T **da = (T**)take(24), **db = (T**)take(24), **dc = (T**)take(24);
  cudaMemcpy(da, la.data(), 24, cudaMemcpyHostToDevice), cudaMemcpy(db, lb.data(), 24, cudaMemcpyHostToDevice), cudaMemcpy(dc, lc.data(), 24, cudaMemcpyHostToDevice);
  const auto tell = [&](const char* name, int status) {
    for (int i = 0; i < 3; ++i) {
      auto& c = i < 2 ? c0.all[size_t(i)] : c1.all[0];
      const auto p = i < 2 ? product(dense_of(a0.all[size_t(i)]), op_of(dense_of(b0.all[size_t(i)]), 1)) : product(op_of(dense_of(a1.all[0]), 1), dense_of(b1.all[0]));
      c.check(named<T>(name, text("[%d]", i)), status, [&](int64_t r, int64_t q) { return put_together<L>(alpha[i / 2], p(r, q), beta[i / 2], c[{r, q}]); });
      c.array.put();
    }
  };
  const cudaDataType t = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  if constexpr (sizeof(T) == 4) tell("gemmGroupedBatched", cublasSgemmGroupedBatched(handle, opa, opb, m, n, k, alpha, da, lda, db, ldb, beta, dc, ldc, 2, sizes));
  else tell("gemmGroupedBatched", cublasDgemmGroupedBatched(handle, opa, opb, m, n, k, alpha, da, lda, db, ldb, beta, dc, ldc, 2, sizes));
  tell("GemmGroupedBatchedEx", cublasGemmGroupedBatchedEx(handle, opa, opb, m, n, k, alpha, (const void**)da, t, lda, (const void**)db, t, ldb, beta, (void**)dc, t, ldc, 2, sizes, sizeof(T) == 4 ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F));
}

/// Matrices by vectors, many at once.
template <typename T, typename To, typename S, typename ByPointers, typename ByStride> void vectors(const char* name, ByPointers by_pointers, ByStride by_stride) {
  using W = Wide<To>;
  for (const auto& [m, n] : {std::pair(1, 1), std::pair(5, 3), std::pair(0, 4), std::pair(33, 65), std::pair(300, 7)})
    for (const auto op : kOps)
      for (const auto& s : {std::pair(1, 0), std::pair(2, 2), std::pair(0, 1)}) {
        Case one;
        Many<T> a(m, n, 3), x(op == CUBLAS_OP_N ? n : m, 1, 3);
        Many<To> y(op == CUBLAS_OP_N ? m : n, 1, 3);
        S alpha, beta;
        if constexpr (is_complex<S>) alpha = scalar<S>(s.first), beta = scalar<S>(s.second);
        else alpha = s.first == 2 ? S(0.7) : S(s.first), beta = s.second == 2 ? S(-1.5) : S(s.second);
        const auto tell = [&](const char* form, int status) {
          for (auto& to : y.all) {
            const size_t i = size_t(&to - y.all.data());
            const auto p = product(op_of(dense_of(a.all[i]), op), dense_of(x.all[i]));
            to.check(text("%s %s %d x %d op %d scalars %d %d [%d]", name, form, m, n, op, s.first, s.second, int(i)), status,
                     [&](int64_t r, int64_t q) { return put_together<W>(W(wide(alpha)), p(r, q), W(wide(beta)), to[{r, q}]); });
            to.array.put();
          }
        };
        tell("gemvBatched", by_pointers(op, m, n, cuda(&alpha), a.reads(), std::max(m, 1) + 1, x.reads(), 1, cuda(&beta), y.list(), 1, 3));
        tell("gemvStridedBatched", by_stride(op, m, n, cuda(&alpha), a.p(), std::max(m, 1) + 1, a.stride, x.p(), 1, x.stride, cuda(&beta), y.p(), 1, y.stride, 3));
      }
}

/// Factors of many: P A = L U, inverses, solves, Q R. What is compared is what they multiply to, in units of the greatest element.
template <typename T> void factors(int n, const char* how) {
  using W = Wide<T>;
  Case one;
  const std::string which = how;
  Many<T> a(n, n, 3), inverse(n, n, 3), b(n, 2, 3);
  for (auto& each : a.all) {
    for (int i = 0; i < n; ++i) each(i, i) += T(Real<T>(which == "plain" ? 0 : 3));
    if (which == "singular" && n > 0) for (int j = 0; j < n; ++j) each(n - 1, j) = n > 1 ? each(0, j) : T(0);
    if (which == "zero") for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) each(i, j) = T(0);
    each.array.put();
  }
  const int ld = std::max(n, 1) + 1;
  const std::string tail = text("%d %s", n, how);
  Array<int> pivots(size_t(3 * std::max(n, 1))), info(vector<int>{-7, -7, -7});
  const auto matrices = [](const Many<T>& from) {
    vector<Dense<W>> all;
    for (const auto& each : from.all) {
      Matrix<T> now = each;
      now.array.host = each.array.get();
      all.push_back(dense_of(now));
    }
    return all;
  };
  const auto start = matrices(a);
  const auto residual = [&](const char* name, int status, auto of, bool counts = true) {
    for (size_t i = 0; i < 3; ++i) {
      const auto [got, ref] = of(i);
      Error error;
      L largest = 0;
      for (size_t e = 0; e < ref.all.size(); ++e) largest = std::max<L>(largest, std::abs(ref.all[e]));
      for (size_t e = 0; e < ref.all.size(); ++e) error.worst = std::max<L>(error.worst, std::abs(got.all[e] - ref.all[e])), error.lost |= !(std::abs(got.all[e]) < 1e300L);
      error.scale = largest;
      const double all = n == 0 || !counts ? 0 : error.of_all(Kind<T>::ulp);
      line(named<T>(name, tail + text(" [%d]", int(i))), status, all, all, text("info %d", info.get()[i]));
    }
  };
  const auto lu = [&](const vector<Dense<W>>& now, size_t i, bool pivoted) {
    Dense<W> l(n, n), u(n, n);
    for (int c = 0; c < n; ++c) for (int r = 0; r < n; ++r) (r > c ? l : u)(r, c) = now[i](r, c);
    for (int d = 0; d < n; ++d) l(d, d) = 1;
    auto back = product(l, u);
    const auto p = pivots.get();
    for (int r = n - 1; r >= 0 && pivoted; --r) {
      const int other = p[size_t(int(i) * n + r)] - 1;
      if (other < 0 || other >= n) continue;
      for (int c = 0; c < n; ++c) std::swap(back(r, c), back(other, c));
    }
    return std::pair(back, start[i]);
  };
  int status = BLAS(getrfBatched, n, a.list(), ld, (int*)nullptr, info.device, 3);
  auto now = matrices(a);
  residual("getrfBatched without pivots", status, [&](size_t i) { return lu(now, i, false); }, which == "dominant");
  for (auto& each : a.all) each.array.put();
  status = BLAS(getrfBatched, n, a.list(), ld, pivots.device, info.device, 3);
  now = matrices(a);
  residual("getrfBatched", status, [&](size_t i) { return lu(now, i, true); });
  const bool regular = which == "dominant" || which == "plain";
  status = BLAS(getriBatched, n, a.reads(), ld, pivots.device, inverse.list(), ld, info.device, 3);
  Dense<W> unit(n, n);
  for (int i = 0; i < n; ++i) unit(i, i) = 1;
  auto inverses = matrices(inverse);
  residual("getriBatched", status, [&](size_t i) { return std::pair(product(start[i], inverses[i]), unit); }, regular);
  if (regular)
    for (const auto op : kOps) {
      for (auto& each : b.all) each.array.put();
      const auto right = matrices(b);
      int of_host = -7;
      status = BLAS(getrsBatched, op, n, 2, a.reads(), ld, pivots.device, b.list(), ld, &of_host, 3);
      const auto x = matrices(b);
      residual("getrsBatched", status, [&](size_t i) { return std::pair(product(op_of(start[i], op), x[i]), right[i]); });
      line(named<T>("getrsBatched info", tail), status, 0, 0, text("%d", of_host));
    }
  for (auto& each : a.all) each.array.put();
  if (n <= 32) {
    status = BLAS(matinvBatched, n, a.reads(), ld, inverse.list(), ld, info.device, 3);
    inverses = matrices(inverse);
    residual("matinvBatched", status, [&](size_t i) { return std::pair(product(start[i], inverses[i]), unit); }, regular);
  }
  // R^H R is A^H A.
  Many<T> tall(n + 3, n, 3), tau(std::max(n, 1), 1, 3);
  const auto before = matrices(tall);
  int of_host = -7;
  status = BLAS(geqrfBatched, n + 3, n, tall.list(), n + 4, tau.list(), &of_host, 3);
  const auto after = matrices(tall);
  residual("geqrfBatched", status, [&](size_t i) {
    Dense<W> r(n, n);
    for (int c = 0; c < n; ++c) for (int k = 0; k <= c; ++k) r(k, c) = after[i](k, c);
    return std::pair(product(op_of(r, 2), r), product(op_of(before[i], 2), before[i]));
  });
  line(named<T>("geqrfBatched info", tail), status, 0, 0, text("%d", of_host));
}

template <typename T> void many() {
  batched<T>();
  for (const int n : {1, 2, 7, 33, 65}) factors<T>(n, "dominant"), factors<T>(n, "plain");
  for (const int n : {1, 3, 8}) factors<T>(n, "singular"), factors<T>(n, "zero");
}
#define VECTORS(letters, t, to, s)                                                                    \
  vectors<t, to, s>(#letters, [](auto... a) { return int(cublas##letters##gemvBatched(handle, a...)); }, \
                    [](auto... a) { return int(cublas##letters##gemvStridedBatched(handle, a...)); })

int main() {
  begin();
  cublasCreate(&handle);
  using H = __half;
  using B = __nv_bfloat16;
  ex<H, H, H>("H H 16F", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
  ex<H, H, float>("H H 32F", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  ex<H, float, float>("H S 32F", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  ex<B, B, float>("B B 32F", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
  ex<B, float, float>("B S 32F", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  ex<int8_t, int, int>("I8 I32 32I", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
  ex<int8_t, float, float>("I8 S 32F", CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  ex<float, float, float>("S S 32F", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  ex<float, float, float>("S S TF32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32);
  ex<float, float, float>("S S 16F", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F);
  ex<float, float, float>("S S 16BF", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16BF);
  ex<float, float, float>("S S pedantic", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC);
  ex<double, double, double>("D D 64F", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
  ex<double, double, double>("D D 64F pedantic", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F_PEDANTIC);
  ex<float, H, float>("S H 32F", CUDA_R_32F, CUDA_R_16F, CUBLAS_COMPUTE_32F, false);
  ex<double, float, double>("D S 64F", CUDA_R_64F, CUDA_R_32F, CUBLAS_COMPUTE_64F, false);
  ex<B, B, B>("B B 16F", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_16F, false);
  ex<H, H, H>("H H TF32", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F_FAST_TF32, false);
  ex<int8_t, int, int>("I8 I32 32F", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32F, false);
  many<float>(), many<double>(), many<C>(), many<Z>();
  batched<H>();
  groups<float>(), groups<double>();
  VECTORS(S, float, float, float), VECTORS(D, double, double, double), VECTORS(C, C, C, C), VECTORS(Z, Z, Z, Z);
  VECTORS(HSH, H, H, float), VECTORS(HSS, H, float, float), VECTORS(TST, B, B, float), VECTORS(TSS, B, float, float);
  cublasDestroy(handle);
  return end();
}
