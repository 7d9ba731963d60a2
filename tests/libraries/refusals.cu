// What cuSOLVER's further functions refuse, and by which status: sizes, leading dimensions, enumerations, pointers that are null.
// refusals [S|D|C|Z [CASE]]; a case by itself where one before it has broken the context
#include "solver.h"

static const char* only = nullptr;

template <typename T> void refused() {
  Case one;
  Matrix<T> a(4, 4), b(4, 4), v(4, 4);
  Work work(4);
  Array<Real<T>> w(size_t(8));
  T* const space = room<T>(100000);
  auto* const at = cuda(space);
  int size = 0, found = 0;
  cusolverDnParams_t params;
  cusolverDnCreateParams(&params);
  syevjInfo_t eigen;
  cusolverDnCreateSyevjInfo(&eigen);
  gesvdjInfo_t info;
  cusolverDnCreateGesvdjInfo(&info);
  constexpr auto t = type_of<T>;
  constexpr auto real = sizeof(Real<T>) == 4 ? CUDA_R_32F : CUDA_R_64F;
  size_t device = 0, host = 0;
  int64_t* const rows = static_cast<int64_t*>(take(64));
  const auto tells = [&](const char* what, int status) {
    line(text("%s<%s>", what, Kind<T>::name), status, 0, 0, work.told());
    work.info.put();
  };
#define IS(what, ...) if (only == nullptr || std::strcmp(only, what) == 0) tells(what, guarded([&] { return int(__VA_ARGS__); }))
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const auto bad = cublasFillMode_t(7);
  IS("potri n", SDCZ(potri, lower, -1, a.p(), 6, at, 100000, work.info.device));
  IS("potri lda", SDCZ(potri, lower, 4, a.p(), 3, at, 100000, work.info.device));
  IS("potri fill", SDCZ(potri, bad, 4, a.p(), 6, at, 100000, work.info.device));
  IS("potri n 0", SDCZ(potri, lower, 0, a.p(), 6, at, 100000, work.info.device));
  IS("potri size", SDCZ(potri_bufferSize, lower, -1, a.p(), 6, &size));
  IS("sytrf n", SDCZ(sytrf, lower, -1, a.p(), 6, work.pivots.device, at, 100000, work.info.device));
  IS("sytrf lda", SDCZ(sytrf, lower, 4, a.p(), 3, work.pivots.device, at, 100000, work.info.device));
  IS("sytrf fill", SDCZ(sytrf, bad, 4, a.p(), 6, work.pivots.device, at, 100000, work.info.device));
  IS("sytrf size", SDCZ(sytrf_bufferSize, -1, a.p(), 6, &size));
  IS("sytri lda", SDCZ(sytri, lower, 4, a.p(), 3, work.pivots.device, at, 100000, work.info.device));
  IS("potrfBatched n", SDCZ(potrfBatched, lower, -1, nullptr, 6, work.info.device, 1));
  IS("potrfBatched lda", SDCZ(potrfBatched, lower, 4, nullptr, 3, work.info.device, 1));
  IS("potrfBatched fill", SDCZ(potrfBatched, bad, 4, nullptr, 6, work.info.device, 1));
  IS("potrfBatched none", SDCZ(potrfBatched, lower, 4, nullptr, 6, work.info.device, 0));
  IS("potrfBatched below none", SDCZ(potrfBatched, lower, 4, nullptr, 6, work.info.device, -1));
  IS("potrsBatched nrhs", SDCZ(potrsBatched, lower, 4, 2, nullptr, 6, nullptr, 6, work.info.device, 1));
  IS("potrsBatched lda", SDCZ(potrsBatched, lower, 4, 1, nullptr, 3, nullptr, 6, work.info.device, 1));
  const auto all = CUSOLVER_EIG_RANGE_ALL, by_index = CUSOLVER_EIG_RANGE_I, by_value = CUSOLVER_EIG_RANGE_V;
#define SYEVDX(...) SOLVE(Ssyevdx, Dsyevdx, Cheevdx, Zheevdx, kVector, __VA_ARGS__)
  IS("syevdx n", SYEVDX(all, lower, -4, a.p(), 6, 0, 0, 0, 0, &found, w.device, at, 100000, work.info.device));
  IS("syevdx lda", SYEVDX(all, lower, 4, a.p(), 3, 0, 0, 0, 0, &found, w.device, at, 100000, work.info.device));
  IS("syevdx range", SYEVDX(cusolverEigRange_t(5), lower, 4, a.p(), 6, 0, 0, 0, 0, &found, w.device, at, 100000, work.info.device));
  IS("syevdx il", SYEVDX(by_index, lower, 4, a.p(), 6, 0, 0, 0, 2, &found, w.device, at, 100000, work.info.device));
  IS("syevdx iu", SYEVDX(by_index, lower, 4, a.p(), 6, 0, 0, 2, 5, &found, w.device, at, 100000, work.info.device));
  IS("syevdx il above iu", SYEVDX(by_index, lower, 4, a.p(), 6, 0, 0, 3, 2, &found, w.device, at, 100000, work.info.device));
  IS("syevdx vl", SYEVDX(by_value, lower, 4, a.p(), 6, 2, 1, 0, 0, &found, w.device, at, 100000, work.info.device));
  IS("syevdx fill", SYEVDX(all, bad, 4, a.p(), 6, 0, 0, 0, 0, &found, w.device, at, 100000, work.info.device));
#define SYGVD(...) SOLVE(Ssygvd, Dsygvd, Chegvd, Zhegvd, __VA_ARGS__)
  IS("sygvd kind", SYGVD(cusolverEigType_t(4), kVector, lower, 4, a.p(), 6, b.p(), 6, w.device, at, 100000, work.info.device));
  IS("sygvd n", SYGVD(CUSOLVER_EIG_TYPE_1, kVector, lower, -4, a.p(), 6, b.p(), 6, w.device, at, 100000, work.info.device));
  IS("sygvd lda", SYGVD(CUSOLVER_EIG_TYPE_1, kVector, lower, 4, a.p(), 3, b.p(), 6, w.device, at, 100000, work.info.device));
  IS("sygvd ldb", SYGVD(CUSOLVER_EIG_TYPE_1, kVector, lower, 4, a.p(), 6, b.p(), 3, w.device, at, 100000, work.info.device));
#define SYEVJ(...) SOLVE(Ssyevj, Dsyevj, Cheevj, Zheevj, kVector, __VA_ARGS__)
  IS("syevj n", SYEVJ(lower, -4, a.p(), 6, w.device, at, 100000, work.info.device, eigen));
  IS("syevj lda", SYEVJ(lower, 4, a.p(), 3, w.device, at, 100000, work.info.device, eigen));
  IS("syevj fill", SYEVJ(bad, 4, a.p(), 6, w.device, at, 100000, work.info.device, eigen));
  IS("syevj info", SYEVJ(lower, 4, a.p(), 6, w.device, at, 100000, work.info.device, nullptr));
#define GESVDJ(...) SDCZ(gesvdj, kVector, 0, __VA_ARGS__)
  IS("gesvdj m", GESVDJ(-4, 4, a.p(), 6, w.device, b.p(), 6, v.p(), 6, at, 100000, work.info.device, info));
  IS("gesvdj n", GESVDJ(4, -4, a.p(), 6, w.device, b.p(), 6, v.p(), 6, at, 100000, work.info.device, info));
  IS("gesvdj lda", GESVDJ(4, 4, a.p(), 3, w.device, b.p(), 6, v.p(), 6, at, 100000, work.info.device, info));
  IS("gesvdj ldu", GESVDJ(4, 4, a.p(), 6, w.device, b.p(), 3, v.p(), 6, at, 100000, work.info.device, info));
  IS("gesvdj ldv", GESVDJ(4, 4, a.p(), 6, w.device, b.p(), 6, v.p(), 3, at, 100000, work.info.device, info));
  IS("gesvdj info", GESVDJ(4, 4, a.p(), 6, w.device, b.p(), 6, v.p(), 6, at, 100000, work.info.device, nullptr));
  IS("gesvdjBatched 33", SDCZ(gesvdjBatched_bufferSize, kVector, 33, 4, a.p(), 36, w.device, b.p(), 36, v.p(), 6, &size, info, 1));
  IS("gesvda m below n", SDCZ(gesvdaStridedBatched_bufferSize, kVector, 2, 3, 4, a.p(), 6, 0, w.device, 0, b.p(), 6, 0, v.p(), 6, 0, &size, 1));
  IS("gesvda rank", SDCZ(gesvdaStridedBatched_bufferSize, kVector, 5, 4, 4, a.p(), 6, 0, w.device, 0, b.p(), 6, 0, v.p(), 6, 0, &size, 1));
  IS("Xpotrf size n", cusolverDnXpotrf_bufferSize(solver, params, lower, -1, t, a.p(), 6, t, &device, &host));
  IS("Xpotrf size type", cusolverDnXpotrf_bufferSize(solver, params, lower, 4, CUDA_R_16F, a.p(), 6, CUDA_R_16F, &device, &host));
  IS("Xpotrf params", cusolverDnXpotrf_bufferSize(solver, nullptr, lower, 4, t, a.p(), 6, t, &device, &host));
  IS("Xpotrf lda", cusolverDnXpotrf(solver, params, lower, 4, t, a.p(), 3, t, space, 100000, nullptr, 0, work.info.device));
  IS("Xpotrf n", cusolverDnXpotrf(solver, params, lower, -4, t, a.p(), 6, t, space, 100000, nullptr, 0, work.info.device));
  IS("Xpotrf small", cusolverDnXpotrf(solver, params, lower, 4, t, a.p(), 6, t, space, 0, nullptr, 0, work.info.device));
  IS("Xgetrf m", cusolverDnXgetrf(solver, params, -4, 4, t, a.p(), 6, rows, t, space, 100000, nullptr, 0, work.info.device));
  IS("Xgetrf lda", cusolverDnXgetrf(solver, params, 4, 4, t, a.p(), 3, rows, t, space, 100000, nullptr, 0, work.info.device));
  IS("Xgetrf compute", cusolverDnXgetrf(solver, params, 4, 4, t, a.p(), 6, rows, CUDA_R_16F, space, 100000, nullptr, 0, work.info.device));
  IS("Xgetrs op", cusolverDnXgetrs(solver, params, cublasOperation_t(9), 4, 1, t, a.p(), 6, rows, t, b.p(), 6, work.info.device));
  IS("Xgetrs ldb", cusolverDnXgetrs(solver, params, CUBLAS_OP_N, 4, 1, t, a.p(), 6, rows, t, b.p(), 2, work.info.device));
  IS("Xgeqrf lda", cusolverDnXgeqrf(solver, params, 4, 4, t, a.p(), 3, t, b.p(), t, space, 100000, nullptr, 0, work.info.device));
  IS("Xsyevd size lda", cusolverDnXsyevd_bufferSize(solver, params, kVector, lower, 4, t, a.p(), 3, real, w.device, t, &device, &host));
  IS("Xsyevd size n", cusolverDnXsyevd_bufferSize(solver, params, kVector, lower, -4, t, a.p(), 6, real, w.device, t, &device, &host));
  IS("Xgesvd size wide", cusolverDnXgesvd_bufferSize(solver, params, 'A', 'A', 3, 4, t, a.p(), 6, real, w.device, t, b.p(), 6, t, v.p(), 6, t, &device, &host));
  IS("Xgeev left", cusolverDnXgeev_bufferSize(solver, params, kVector, kVector, 4, t, a.p(), 6, t, w.device, t, b.p(), 6, t, v.p(), 6, t, &device, &host));
  IS("Xgeev real values", cusolverDnXgeev_bufferSize(solver, params, CUSOLVER_EIG_MODE_NOVECTOR, kVector, 4, t, a.p(), 6, real, w.device, t, b.p(), 6, t, v.p(), 6, t, &device, &host));
  size_t bytes = 0;
  IS("gesv size n", SOLVE(SSgesv_bufferSize, DDgesv_bufferSize, CCgesv_bufferSize, ZZgesv_bufferSize, -4, 1, a.p(), 6, nullptr, b.p(), 6, v.p(), 6, nullptr, &bytes));
  IS("gesv size lda", SOLVE(SSgesv_bufferSize, DDgesv_bufferSize, CCgesv_bufferSize, ZZgesv_bufferSize, 4, 1, a.p(), 3, nullptr, b.p(), 6, v.p(), 6, nullptr, &bytes));
  IS("gels size wide", SOLVE(SSgels_bufferSize, DDgels_bufferSize, CCgels_bufferSize, ZZgels_bufferSize, 3, 4, 1, a.p(), 6, b.p(), 6, v.p(), 6, nullptr, &bytes));
  cusolverDnDestroyParams(params), cusolverDnDestroySyevjInfo(eigen), cusolverDnDestroyGesvdjInfo(info);
}

int main(int count, char** words) {
  begin();
  if (count > 2) only = words[2];
  cusolverDnCreate(&solver);
  const auto is = [&](const char* type) { return count < 2 || std::strcmp(words[1], type) == 0; };
  if (is("S")) refused<float>();
  if (is("D")) refused<double>();
  if (is("C")) refused<C>();
  if (is("Z")) refused<Z>();
  cusolverDnDestroy(solver);
  return end();
}
