// Functions of cuSOLVER, cuSPARSE and NVML beyond the first: what they make is multiplied again, and solutions are put in.
// long
// build: -lcusolver -lcusparse -lcublas -lnvidia-ml
// case: --sanitize memcheck,initcheck -- solver :: 0
// out: (?m)^solver: 0 wrong of 27
// err: cusolverDnXgetrf 24 x 24
// case: --sanitize memcheck,initcheck -- sparse :: 0
// out: (?m)^sparse: 0 wrong of 16, singular 35
// case: --gpus 2 -- nvml :: 0
// out: (?m)^2 GPUs, 1: NVIDIA H200, 9.0, 1980 MHz, by its UUID 1, \d+ MiB used of \d+
// out: temperature: Not Supported, before nvmlInit: Uninitialized
// case: -- missing :: 3
// err: unsupported: cusolverDnXlarft
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using std::vector;
using Z = std::complex<double>;
static int wrong, checked;
static std::mt19937 numbers(7);
static double number() { return std::uniform_real_distribution<double>(-1, 1)(numbers); }

template <typename T> struct Device {
  T* p = nullptr;
  size_t count;
  explicit Device(size_t count) : count(count) { cudaMalloc(&p, count * sizeof(T)); }
  explicit Device(const vector<T>& from) : Device(from.size()) { cudaMemcpy(p, from.data(), count * sizeof(T), cudaMemcpyHostToDevice); }
  ~Device() { cudaFree(p); }
  vector<T> get() const {
    vector<T> now(count);
    cudaMemcpy(now.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
    return now;
  }
};

/// A B, A m x k by columns.
static vector<Z> times(const vector<Z>& a, const vector<Z>& b, int m, int k) {
  const int n = int(b.size()) / k;
  vector<Z> c(size_t(m) * n);
  for (int j = 0; j < n; ++j) for (int l = 0; l < k; ++l) for (int i = 0; i < m; ++i) c[size_t(j) * m + i] += a[size_t(l) * m + i] * b[size_t(j) * k + l];
  return c;
}
template <typename T> vector<Z> wide(const vector<T>& a) { return vector<Z>(a.begin(), a.end()); }
static vector<Z> adjoint(const vector<Z>& a, int m) {
  const int n = int(a.size()) / m;
  vector<Z> b(a.size());
  for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) b[size_t(i) * n + j] = std::conj(a[size_t(j) * m + i]);
  return b;
}
template <typename W> vector<Z> scaled(vector<Z> a, int m, const vector<W>& by) {
  for (size_t i = 0; i < a.size(); ++i) a[i] *= by[i / m];
  return a;
}
static void expect(const char* what, int status, const vector<Z>& got, const vector<Z>& right) {
  ++checked;
  double worst = status == 0 && got.size() == right.size() ? 0 : 1e9;
  for (size_t i = 0; i < got.size() && i < right.size(); ++i) worst = std::max(worst, std::abs(got[i] - right[i]));
  if (worst < 1e-9) return;
  ++wrong;
  std::printf("%s: status %d, %g away\n", what, status, worst);
}

static vector<double> random_matrix(int m, int n) {
  vector<double> a(size_t(m) * n);
  for (auto& x : a) x = number();
  return a;
}
static vector<double> symmetric(int n, bool positive) {
  auto a = random_matrix(n, n);
  if (positive) {
    const auto g = times(wide(a), adjoint(wide(a), n), n, n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = g[i].real();
    for (int i = 0; i < n; ++i) a[size_t(i) * n + i] += 1;
  }
  for (int j = 0; j < n; ++j) for (int i = 0; i < j; ++i) a[size_t(j) * n + i] = a[size_t(i) * n + j];
  return a;
}
static vector<Z> unit(int n) {
  vector<Z> a(size_t(n) * n);
  for (int i = 0; i < n; ++i) a[size_t(i) * n + i] = 1;
  return a;
}

static void eigenvalues(cusolverDnHandle_t solver, Device<double>& work, Device<int>& info) {
  const int n = 9;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const auto vectors = CUSOLVER_EIG_MODE_VECTOR;
  const auto host = symmetric(n, false), second = symmetric(n, true);
  for (const int kind : {1, 2, 3}) {
    Device<double> a(host), b(second), w(n);
    const int status = cusolverDnDsygvd(solver, cusolverEigType_t(kind), vectors, lower, n, a.p, n, b.p, n, w.p, work.p, int(work.count), info.p);
    const auto v = wide(a.get()), x = wide(host), y = wide(second);
    const auto left = kind == 1 ? times(x, v, n, n) : kind == 2 ? times(x, times(y, v, n, n), n, n) : times(y, times(x, v, n, n), n, n);
    expect("sygvd", status, left, scaled(kind == 1 ? times(y, v, n, n) : v, n, w.get()));
  }
  {
    Device<double> a(host), w(n);
    int found = 0;
    const int status = cusolverDnDsyevdx(solver, vectors, CUSOLVER_EIG_RANGE_I, lower, n, a.p, n, 0, 0, 2, 5, &found, w.p, work.p, int(work.count), info.p);
    auto v = wide(a.get());
    v.resize(size_t(n) * found);
    const vector<double> values = [&] { Device<double> part(found); cudaMemcpy(part.p, w.p, found * sizeof(double), cudaMemcpyDeviceToDevice); return part.get(); }();
    expect("syevdx", found == 4 ? status : -1, times(wide(host), v, n, n), scaled(v, n, values));
  }
  syevjInfo_t jacobi;
  cusolverDnCreateSyevjInfo(&jacobi);
  for (const int sorted : {1, 0}) {
    cusolverDnXsyevjSetSortEig(jacobi, sorted);
    Device<double> a(host), w(n);
    const int status = cusolverDnDsyevj(solver, vectors, lower, n, a.p, n, w.p, work.p, int(work.count), info.p, jacobi);
    expect("syevj", status, times(wide(host), wide(a.get()), n, n), scaled(wide(a.get()), n, w.get()));
  }
  cusolverDnDestroySyevjInfo(jacobi);
  cusolverDnParams_t params;
  cusolverDnCreateParams(&params);
  const auto general = random_matrix(n, n);
  Device<double> a(general), v(size_t(n) * n);
  Device<Z> w(n);
  const int status = cusolverDnXgeev(solver, params, CUSOLVER_EIG_MODE_NOVECTOR, vectors, n, CUDA_R_64F, a.p, n, CUDA_C_64F, w.p, CUDA_R_64F, nullptr, 1, CUDA_R_64F, v.p, n, CUDA_R_64F, work.p, 4096, nullptr, 0, info.p);
  auto columns = wide(v.get());
  const auto values = w.get(), stored = columns;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n && values[j].imag() != 0; ++i) {
      const int first = values[j].imag() > 0 ? j : j - 1;
      columns[size_t(j) * n + i] = {stored[size_t(first) * n + i].real(), (j == first ? 1 : -1) * stored[size_t(first + 1) * n + i].real()};
    }
  expect("geev", status, times(wide(general), columns, n, n), scaled(columns, n, values));
  cusolverDnDestroyParams(params);
}

static void singular(cusolverDnHandle_t solver, Device<double>& work, Device<int>& info) {
  gesvdjInfo_t jacobi;
  cusolverDnCreateGesvdjInfo(&jacobi);
  for (const auto& [m, n] : {std::pair(7, 4), std::pair(4, 7)}) {
    const int least = std::min(m, n);
    const auto host = random_matrix(m, n);
    Device<double> a(host), s(least), u(size_t(m) * m), v(size_t(n) * n);
    const int status = cusolverDnDgesvdj(solver, CUSOLVER_EIG_MODE_VECTOR, 0, m, n, a.p, m, s.p, u.p, m, v.p, n, work.p, int(work.count), info.p, jacobi);
    auto left = wide(u.get()), right = wide(v.get());
    expect("gesvdj U", status, times(adjoint(left, m), left, m, m), unit(m));
    expect("gesvdj V", status, times(adjoint(right, n), right, n, n), unit(n));
    left.resize(size_t(m) * least), right.resize(size_t(n) * least);
    expect("gesvdj", status, times(scaled(left, m, s.get()), adjoint(right, n), m, least), wide(host));
  }
  cusolverDnDestroyGesvdjInfo(jacobi);
}

static void factors(cusolverDnHandle_t solver, Device<double>& work, Device<int>& info) {
  const int n = 24;
  const auto side = random_matrix(n, 2);
  cusolverDnParams_t params;
  cusolverDnCreateParams(&params);
  const auto general = random_matrix(n, n);
  {
    Device<double> a(general), b(side);
    Device<int64_t> pivots(n);
    int status = cusolverDnXgetrf(solver, params, n, n, CUDA_R_64F, a.p, n, pivots.p, CUDA_R_64F, work.p, 4096, nullptr, 0, info.p);
    if (status == 0) status = cusolverDnXgetrs(solver, params, CUBLAS_OP_N, n, 2, CUDA_R_64F, a.p, n, pivots.p, CUDA_R_64F, b.p, n, info.p);
    expect("Xgetrs", status, times(wide(general), wide(b.get()), n, n), wide(side));
  }
  for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    const auto host = symmetric(n, false), positive = symmetric(n, true);
    Device<double> a(host), b(side), inverse(host), p(positive);
    Device<int> pivots(n);
    int status = cusolverDnDsytrf(solver, fill, n, a.p, n, pivots.p, work.p, int(work.count), info.p);
    const auto rows = pivots.get();
    Device<int64_t> wide_rows(vector<int64_t>(rows.begin(), rows.end()));
    if (status == 0) status = cusolverDnXsytrs(solver, fill, n, 2, CUDA_R_64F, a.p, n, wide_rows.p, CUDA_R_64F, b.p, n, nullptr, 0, nullptr, 0, info.p);
    expect("sytrs", status, times(wide(host), wide(b.get()), n, n), wide(side));
    const auto whole = [&](vector<double> x) {
      for (int j = 0; j < n; ++j) for (int i = 0; i < j; ++i) (fill == CUBLAS_FILL_MODE_LOWER ? x[size_t(j) * n + i] : x[size_t(i) * n + j]) = fill == CUBLAS_FILL_MODE_LOWER ? x[size_t(i) * n + j] : x[size_t(j) * n + i];
      return wide(x);
    };
    status = cusolverDnDsytri(solver, fill, n, a.p, n, pivots.p, work.p, int(work.count), info.p);
    expect("sytri", status, times(whole(a.get()), wide(host), n, n), unit(n));
    status = cusolverDnDpotrf(solver, fill, n, p.p, n, work.p, int(work.count), info.p);
    if (status == 0) status = cusolverDnDpotri(solver, fill, n, p.p, n, work.p, int(work.count), info.p);
    expect("potri", status, times(whole(p.get()), wide(positive), n, n), unit(n));
    Device<double> one(positive), other(host), x(vector<double>(side.begin(), side.begin() + n)), y(n);
    cudaMemcpy(y.p, x.p, n * sizeof(double), cudaMemcpyDeviceToDevice);
    Device<double*> matrices(vector<double*>{one.p, other.p}), sides(vector<double*>{x.p, y.p});
    Device<int> infos(2);
    status = cusolverDnDpotrfBatched(solver, fill, n, matrices.p, n, infos.p, 2);
    if (status == 0) status = cusolverDnDpotrsBatched(solver, fill, n, 1, matrices.p, n, sides.p, n, info.p, 2);
    expect("potrsBatched", infos.get()[0] == 0 && infos.get()[1] > 0 ? status : -1, times(wide(positive), wide(x.get()), n, n), wide(vector<double>(side.begin(), side.begin() + n)));
  }
  for (const int m : {n, n + 9}) {
    const auto tall = random_matrix(m, n), right = random_matrix(m, 1);
    Device<double> a(tall), b(right), x(n);
    int steps = -1;
    const int status = cusolverDnDDgels(solver, m, n, 1, a.p, m, b.p, m, x.p, n, work.p, 4096, &steps, info.p);
    const auto h = adjoint(wide(tall), m);
    expect("gels", status, times(h, times(wide(tall), wide(x.get()), m, n), n, m), times(h, wide(right), n, m));
  }
  {
    Device<double> a(general), b(side), x(size_t(n) * 2);
    Device<int> pivots(n);
    int steps = -1;
    const int status = cusolverDnDSgesv(solver, n, 2, a.p, n, pivots.p, b.p, n, x.p, n, work.p, 4096, &steps, info.p);
    expect("gesv", steps >= 0 ? status : -1, times(wide(general), wide(x.get()), n, n), wide(side));
  }
  {  // rows exchanged from the last to the first
    auto moved = wide(general);
    Device<double> a(general);
    Device<int> rows(vector<int>(size_t(n), n));
    const int status = cusolverDnDlaswp(solver, n, a.p, n, 1, n, rows.p, -1);
    for (int i = n - 1; i >= 0; --i) for (int j = 0; j < n; ++j) std::swap(moved[size_t(j) * n + i], moved[size_t(j) * n + n - 1]);
    expect("laswp", status, wide(a.get()), moved);
  }
  {  // doubles are not refined from complex halves, as on an H100
    cusolverDnIRSParams_t refinement;
    cusolverDnIRSParamsCreate(&refinement);
    cusolverDnIRSParamsSetSolverPrecisions(refinement, CUSOLVER_R_64F, CUSOLVER_C_16F);
    cusolverDnIRSParamsSetRefinementSolver(refinement, CUSOLVER_IRS_REFINE_CLASSICAL);
    size_t bytes = 0;
    const int refused = cusolverDnIRSXgesv_bufferSize(solver, refinement, n, 1, &bytes);
    cusolverDnIRSParamsSetSolverPrecisions(refinement, CUSOLVER_R_64F, CUSOLVER_R_16F);
    expect("IRSXgesv", refused == CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC ? int(cusolverDnIRSXgesv_bufferSize(solver, refinement, n, 1, &bytes)) : -1, {}, {});
    cusolverDnIRSParamsDestroy(refinement);
  }
  cusolverDnDestroyParams(params);
}

static void solver() {
  cusolverDnHandle_t solver;
  cusolverDnCreate(&solver);
  Device<double> work(size_t(4096));
  Device<int> info(size_t(1));
  eigenvalues(solver, work, info), singular(solver, work, info), factors(solver, work, info);
  cusolverDnDestroy(solver);
}

/// A grid's equations: symmetric, positive.
struct Grid {
  int n;
  vector<int> starts{0}, columns;
  vector<double> values;
  vector<Z> whole;
  explicit Grid(int side, int without = -1) : n(side * side), whole(size_t(n) * n) {
    for (int i = 0; i < n; ++i) {
      for (const int j : {i - side, i - 1, i, i + 1, i + side}) {
        const bool there = j >= 0 && j < n && (j == i || j == i - side || j == i + side || j / side == i / side) && i != without;
        if (!there) continue;
        columns.push_back(j), values.push_back(j == i ? 4.5 : -1), whole[size_t(j) * n + i] = values.back();
      }
      starts.push_back(int(columns.size()));
    }
  }
};

static void solves(int& singular) {
  cusolverSpHandle_t handle;
  cusparseMatDescr_t description;
  cusolverSpCreate(&handle), cusparseCreateMatDescr(&description);
  const Grid grid(6), broken(6, 4);
  const auto side = random_matrix(grid.n, 1);
  Device<double> values(grid.values), b(side), x(vector<double>(size_t(grid.n)));
  Device<int> starts(grid.starts), columns(grid.columns);
  const int count = int(grid.values.size());
  for (int reorder = 0; reorder < 4; ++reorder) {
    vector<double> here(grid.n);
    int none = -7;
    int status = cusolverSpDcsrlsvluHost(handle, grid.n, count, description, grid.values.data(), grid.starts.data(), grid.columns.data(), side.data(), 1e-12, reorder, here.data(), &none);
    expect("csrlsvlu", none == -1 ? status : -1, times(grid.whole, wide(here), grid.n, grid.n), wide(side));
    status = reorder % 2 ? cusolverSpDcsrlsvqr(handle, grid.n, count, description, values.p, starts.p, columns.p, b.p, 1e-12, reorder, x.p, &none)
                         : cusolverSpDcsrlsvchol(handle, grid.n, count, description, values.p, starts.p, columns.p, b.p, 1e-12, reorder, x.p, &none);
    expect("csrlsv", none == -1 ? status : -1, times(grid.whole, wide(x.get()), grid.n, grid.n), wide(side));
  }
  vector<double> here(grid.n);
  cusolverSpDcsrlsvqrHost(handle, grid.n, int(broken.values.size()), description, broken.values.data(), broken.starts.data(), broken.columns.data(), side.data(), 1e-12, 0, here.data(), &singular);
  cusparseDestroyMatDescr(description), cusolverSpDestroy(handle);
}

/// More equations than unknowns, twice at once; a factor without its diagonal of ones.
static void tall() {
  cusolverSpHandle_t handle;
  cusparseMatDescr_t description;
  cusolverSpCreate(&handle), cusparseCreateMatDescr(&description);
  const int m = 6, n = 3, count = 10;
  const vector<int> starts{0, 2, 4, 5, 7, 9, 10}, columns{0, 1, 1, 2, 2, 0, 2, 0, 1, 1};
  const auto numbers = random_matrix(2 * count, 1), side = random_matrix(2 * m, 1);
  Device<int> s(starts), c(columns);
  Device<double> v(numbers), b(side), x(vector<double>(2 * n)), room(size_t(512));
  csrqrInfo_t info;
  size_t inner = 0, work = 0;
  cusolverSpCreateCsrqrInfo(&info);
  cusolverSpXcsrqrAnalysisBatched(handle, m, n, count, description, s.p, c.p, info);
  cusolverSpDcsrqrBufferInfoBatched(handle, m, n, count, description, v.p, s.p, c.p, 2, info, &inner, &work);
  const int status = cusolverSpDcsrqrsvBatched(handle, m, n, count, description, v.p, s.p, c.p, b.p, x.p, 2, info, room.p);
  const auto got = wide(x.get());
  for (int k = 0; k < 2; ++k) {
    vector<Z> whole(m * n);
    for (int i = 0; i < m; ++i) for (int e = starts[i]; e < starts[i + 1]; ++e) whole[columns[e] * m + i] = numbers[k * count + e];
    const auto h = adjoint(whole, m);
    const vector<Z> mine(got.begin() + k * n, got.begin() + (k + 1) * n), right(side.begin() + k * m, side.begin() + (k + 1) * m);
    expect("csrqrsvBatched of a tall matrix", status, times(h, times(whole, mine, m, n), n, m), times(h, right, n, m));
  }
  cusolverSpDestroyCsrqrInfo(info), cusparseDestroyMatDescr(description), cusolverSpDestroy(handle);
}

static void formats() {
  cusparseHandle_t handle;
  cusparseCreate(&handle);
  const Grid grid(4);
  const int n = grid.n, block = 2, slice = 4;
  // Blocks by rows, from a dense matrix; slices by columns, each as wide as its longest row.
  vector<int> offsets{0}, places, slices{0}, sliced;
  vector<double> blocks, padded;
  for (int i = 0; i < n; i += block) {
    for (int j = 0; j < n; j += block) {
      bool any = false;
      for (int k = 0; k < block * block; ++k) any |= grid.whole[size_t(j + k % block) * n + i + k / block] != 0.0;
      if (!any) continue;
      places.push_back(j / block);
      for (int k = 0; k < block * block; ++k) blocks.push_back(grid.whole[size_t(j + k % block) * n + i + k / block].real());
    }
    offsets.push_back(int(places.size()));
  }
  for (int first = 0; first < n; first += slice) {
    int width = 0;
    for (int i = first; i < first + slice; ++i) width = std::max(width, grid.starts[i + 1] - grid.starts[i]);
    for (int k = 0; k < width; ++k)
      for (int i = first; i < first + slice; ++i) {
        const int at = grid.starts[i] + k;
        sliced.push_back(at < grid.starts[i + 1] ? grid.columns[at] : -1), padded.push_back(at < grid.starts[i + 1] ? grid.values[at] : 0);
      }
    slices.push_back(int(sliced.size()));
  }
  const auto right = random_matrix(n, 4);
  Device<int> o(offsets), p(places), s(slices), c(sliced), starts(grid.starts), columns(grid.columns);
  Device<double> v(blocks), w(padded), b(right), out(vector<double>(size_t(n) * 4)), values(grid.values);
  cusparseSpMatDescr_t a;
  cusparseDnMatDescr_t x, y;
  const double one = 1, zero = 0;
  const auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const auto I = CUSPARSE_INDEX_32I;
  cusparseCreateDnMat(&x, n, 4, n, b.p, CUDA_R_64F, CUSPARSE_ORDER_COL), cusparseCreateDnMat(&y, n, 4, n, out.p, CUDA_R_64F, CUSPARSE_ORDER_COL);
  const auto multiplied = [&](const char* what) {
    const int status = cusparseSpMM(handle, N, N, &one, a, x, &zero, y, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
    expect(what, status, wide(out.get()), times(grid.whole, wide(right), n, n));
    cusparseDestroySpMat(a);
  };
  cusparseCreateBsr(&a, n / block, n / block, int(places.size()), block, block, o.p, p.p, v.p, I, I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW);
  multiplied("BSR");
  // Slices by a vector alone, as on an H100.
  cusparseCreateSlicedEll(&a, n, n, int(grid.values.size()), int(sliced.size()), slice, s.p, c.p, w.p, I, I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseDnVecDescr_t from, to;
  cusparseCreateDnVec(&from, n, b.p, CUDA_R_64F), cusparseCreateDnVec(&to, n, out.p, CUDA_R_64F);
  const int refused = cusparseSpMM(handle, N, N, &one, a, x, &zero, y, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  const int sum = cusparseSpMV(handle, N, &one, a, from, &zero, to, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  auto first = wide(out.get());
  first.resize(n);
  expect("sliced ELL", refused == CUSPARSE_STATUS_NOT_SUPPORTED ? sum : -1, first, times(grid.whole, wide(vector<double>(right.begin(), right.begin() + n)), n, n));
  cusparseDestroySpMat(a), cusparseDestroyDnVec(from), cusparseDestroyDnVec(to);
  // Twice two columns: one matrix for both.
  cusparseCreateCsr(&a, n, n, int(grid.values.size()), starts.p, columns.p, values.p, I, I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseDestroyDnMat(x), cusparseDestroyDnMat(y);
  cusparseCreateDnMat(&x, n, 2, n, b.p, CUDA_R_64F, CUSPARSE_ORDER_COL), cusparseCreateDnMat(&y, n, 2, n, out.p, CUDA_R_64F, CUSPARSE_ORDER_COL);
  cusparseCsrSetStridedBatch(a, 2, 0, 0), cusparseDnMatSetStridedBatch(x, 2, 2 * n), cusparseDnMatSetStridedBatch(y, 2, 2 * n);
  multiplied("batch");
  cusparseDestroyDnMat(x), cusparseDestroyDnMat(y);
  // Tridiagonal systems, interleaved.
  const int m = 8, count = 3;
  const auto low = random_matrix(m, count), high = random_matrix(m, count), side = random_matrix(m, count);
  vector<double> middle(size_t(m) * count, 5.0);
  Device<double> dl(low), d(middle), du(high), z(side);
  const int status = cusparseDgtsvInterleavedBatch(handle, 0, m, dl.p, d.p, du.p, z.p, count, nullptr);
  const auto got = z.get();
  vector<Z> back(got.size());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < count; ++j) {
      const auto at = [&](int k) { return size_t(k) * count + j; };
      back[at(i)] = 5.0 * got[at(i)] + (i > 0 ? low[at(i)] * got[at(i - 1)] : 0) + (i + 1 < m ? high[at(i)] * got[at(i + 1)] : 0);
    }
  expect("gtsvInterleavedBatch", status, back, wide(side));
  // One matrix, two right sides; the same numbers as if each system had its own place.
  Device<double> lower(vector<double>(low.begin(), low.begin() + m)), diagonal(vector<double>(size_t(m), 5.0)), upper(vector<double>(high.begin(), high.begin() + m)), both(vector<double>(side.begin(), side.begin() + 2 * m));
  const int made = cusparseDgtsv2_nopivot(handle, m, 2, lower.p, diagonal.p, upper.p, both.p, m, nullptr);
  const auto solved = both.get();
  vector<Z> again(solved.size());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < 2; ++j) again[j * m + i] = 5.0 * solved[j * m + i] + (i > 0 ? low[i] * solved[j * m + i - 1] : 0) + (i + 1 < m ? high[i] * solved[j * m + i + 1] : 0);
  expect("gtsv2_nopivot", made, again, wide(vector<double>(side.begin(), side.begin() + 2 * m)));
  // The same pattern twice.
  Device<int> offsets_of(size_t(n + 1));
  cusparseSpGEMMDescr_t descr;
  cusparseSpMatDescr_t g, h;
  cusparseSpGEMM_createDescr(&descr);
  cusparseCreateCsr(&g, n, n, int(grid.values.size()), starts.p, columns.p, values.p, I, I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateCsr(&h, n, n, 0, offsets_of.p, nullptr, nullptr, I, I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  Device<char> room(size_t(64));
  size_t size[4];
  int64_t rows = 0, others = 0, elements = 0;
  const auto alg = CUSPARSE_SPGEMM_DEFAULT;
  cusparseSpGEMMreuse_workEstimation(handle, N, N, g, g, h, alg, descr, size, room.p);
  cusparseSpGEMMreuse_nnz(handle, N, N, g, g, h, alg, descr, size, room.p, size + 1, room.p, size + 2, room.p);
  cusparseSpMatGetSize(h, &rows, &others, &elements);
  Device<int> found(static_cast<size_t>(elements));
  Device<double> product(vector<double>(static_cast<size_t>(elements)));
  cusparseCsrSetPointers(h, offsets_of.p, found.p, product.p);
  cusparseSpGEMMreuse_copy(handle, N, N, g, g, h, alg, descr, size + 3, room.p);
  for (int twice = 0; twice < 2; ++twice) {
    const int made = cusparseSpGEMMreuse_compute(handle, N, N, &one, g, g, &zero, h, CUDA_R_64F, alg, descr);
    vector<Z> dense(size_t(n) * n);
    const auto line = offsets_of.get(), column = found.get();
    const auto value = product.get();
    for (int i = 0; i < n; ++i) for (int k = line[i]; k < line[i + 1]; ++k) dense[size_t(column[k]) * n + i] = value[k];
    if (twice) expect("SpGEMMreuse", made, dense, times(grid.whole, grid.whole, n, n));
  }
  cusparseDestroySpMat(g), cusparseDestroySpMat(h), cusparseSpGEMM_destroyDescr(descr), cusparseDestroy(handle);
}

// NVML's header is not in every toolkit.
extern "C" {
struct Memory { unsigned long long total, free, used; };
int nvmlInit_v2(), nvmlShutdown(), nvmlDeviceGetCount_v2(unsigned*), nvmlDeviceGetHandleByIndex_v2(unsigned, void**), nvmlDeviceGetName(void*, char*, unsigned);
int nvmlDeviceGetUUID(void*, char*, unsigned), nvmlDeviceGetHandleByUUID(const char*, void**), nvmlDeviceGetIndex(void*, unsigned*), nvmlDeviceGetMemoryInfo(void*, Memory*);
int nvmlDeviceGetCudaComputeCapability(void*, int*, int*), nvmlDeviceGetClockInfo(void*, int, unsigned*), nvmlDeviceGetTemperature(void*, int, unsigned*);
const char* nvmlErrorString(int);
}
static void nvml() {
  unsigned count = 0, index = 9, clock = 0;
  const char* before = nvmlErrorString(nvmlDeviceGetCount_v2(&count));
  void *device, *same = nullptr;
  char name[96], uuid[96];
  int major = 0, minor = 0;
  Memory memory;
  cudaSetDevice(1);
  Device<char> kept(size_t(64) << 20);
  cudaSetDevice(0);
  nvmlInit_v2(), nvmlDeviceGetCount_v2(&count), nvmlDeviceGetHandleByIndex_v2(1, &device), nvmlDeviceGetName(device, name, sizeof name), nvmlDeviceGetUUID(device, uuid, sizeof uuid);
  nvmlDeviceGetHandleByUUID(uuid, &same), nvmlDeviceGetIndex(same, &index), nvmlDeviceGetMemoryInfo(device, &memory), nvmlDeviceGetCudaComputeCapability(device, &major, &minor);
  nvmlDeviceGetClockInfo(device, 1, &clock);
  std::printf("%u GPUs, 1: %s, %d.%d, %u MHz, by its UUID %u, %llu MiB used of %llu\n", count, name, major, minor, clock, index, memory.used >> 20, memory.total >> 20);
  std::printf("temperature: %s, before nvmlInit: %s\n", nvmlErrorString(nvmlDeviceGetTemperature(device, 0, &clock)), before);
  nvmlShutdown();
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  int singular = -7;
  if (what == "solver") solver();
  if (what == "sparse") solves(singular), tall(), formats();
  if (what == "nvml") return nvml(), 0;
  if (what == "missing") {
    cusolverDnHandle_t handle;
    cusolverDnCreate(&handle);
    size_t device = 0, host = 0;
    cusolverDnXlarft_bufferSize(handle, nullptr, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, 4, 2, CUDA_R_64F, nullptr, 4, CUDA_R_64F, nullptr, CUDA_R_64F, nullptr, 2, CUDA_R_64F, &device, &host);
  }
  std::printf("%s: %d wrong of %d", what.c_str(), wrong, checked);
  if (what == "sparse") std::printf(", singular %d", singular);
  std::printf("\n");
}
