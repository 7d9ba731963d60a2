// cuBLAS's first interface, without handles (cublas.h): numbers by value, letters, results returned, a status that is asked for.
// long
// build: -lcublas
// case: --sanitize memcheck,initcheck :: 0
// out: (?m)^before: 1, dot 50, largest 5, 0 wrong, status 0$
// out: On entry to SGEMM  parameter number 3
// out: (?m)^status 7, then 0$
// err: cublasSgemm 5 x 3 x 4
#include <cublas.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int m = 5, n = 3, k = 4;
  std::vector<float> a(m * k), b(k * n), c(m * n, 1), u(m * m), x{1, 2, 3, 4, -6};
  for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 5) - 2;
  for (int j = 0; j < m; ++j) for (int i = 0; i <= j; ++i) u[j * m + i] = float(1 + i + j);
  float *da, *db, *dc, *du, *dx;
  cublasSgemm('n', 'n', m, n, k, 1, nullptr, m, nullptr, k, 0, nullptr, m);
  const int before = cublasGetError();
  cublasInit();
  cublasAlloc(m * k, sizeof(float), (void**)&da), cublasAlloc(k * n, sizeof(float), (void**)&db), cublasAlloc(m * n, sizeof(float), (void**)&dc);
  cublasAlloc(m * m, sizeof(float), (void**)&du), cublasAlloc(m, sizeof(float), (void**)&dx);
  cublasSetMatrix(m, k, sizeof(float), a.data(), m, da, m), cublasSetMatrix(k, n, sizeof(float), b.data(), k, db, k), cublasSetMatrix(m, n, sizeof(float), c.data(), m, dc, m);
  cublasSetMatrix(m, m, sizeof(float), u.data(), m, du, m), cublasSetVector(m, sizeof(float), x.data(), 1, dx, 1);
  const float dot = cublasSdot(4, dx, 1, dx, 1) + 20;
  const int largest = cublasIsamax(m, dx, 1);
  cublasSgemm('N', 'n', m, n, k, 2, da, m, db, k, 3, dc, m);
  cublasStrmm('L', 'U', 'N', 'N', m, n, 1, du, m, dc, m);
  std::vector<float> got(m * n);
  cublasGetMatrix(m, n, sizeof(float), dc, m, got.data(), m);
  int wrong = 0;
  for (int j = 0; j < n; ++j) {
    std::vector<float> column(m);
    for (int i = 0; i < m; ++i) {
      column[i] = 3;
      for (int l = 0; l < k; ++l) column[i] += 2 * a[l * m + i] * b[j * k + l];
    }
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int l = i; l < m; ++l) sum += u[l * m + i] * column[l];
      wrong += std::fabs(sum - got[j * m + i]) > 1e-3f;
    }
  }
  std::printf("before: %d, dot %g, largest %d, %d wrong, status %d\n", before, dot, largest, wrong, cublasGetError());
  cublasSgemm('N', 'N', -1, n, k, 2, da, m, db, k, 3, dc, m);
  const int status = cublasGetError();
  std::printf("status %d, then %d\n", status, cublasGetError());
  for (float* p : {da, db, dc, du, dx}) cublasFree(p);
  cublasShutdown();
}
