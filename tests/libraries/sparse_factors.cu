// cuSOLVER's factors of sparse matrices, step by step: LU on the host, Cholesky and QR on the host and on the device, QR of many; orders and
// exchanges of rows; LU made once and again (Rf).
// sparse_factors [S|D|C|Z]
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#include <numeric>

#include "solver.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cusolverSpHandle_t sparse;
#define SPARSE(name, ...)                                                                            \
  [&] {                                                                                              \
    if constexpr (std::is_same_v<T, float>) return int(cusolverSpS##name(sparse, __VA_ARGS__));      \
    else if constexpr (std::is_same_v<T, double>) return int(cusolverSpD##name(sparse, __VA_ARGS__)); \
    else if constexpr (std::is_same_v<T, C>) return int(cusolverSpC##name(sparse, __VA_ARGS__));     \
    else return int(cusolverSpZ##name(sparse, __VA_ARGS__));                                         \
  }()

/// A grid's equations, or what is wrong with them; m is at least n.
template <typename T> struct System {
  int m, n, base;
  vector<int> starts, columns;
  vector<T> values, side;
  Dense<Wide<T>> whole;
  cusparseMatDescr_t description;
  System(int m, int n, const char* how) : m(m), n(n), base(std::strcmp(how, "base 1") == 0), starts{base}, whole(m, n) {
    const std::string which = how;
    cusparseCreateMatDescr(&description);
    cusparseSetMatIndexBase(description, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        const bool there = i == j || std::abs(i - j) == 1 || std::abs(i - j) == 4 || i - j == n;
        if (!there) continue;
        T v = real_number<T>(i == j ? which == "indefinite" && i == n / 2 ? -5 : 5 : -1);
        if (which == "singular" && (i == n / 2 || j == n / 2)) v = real_number<T>(0);
        if (which == "one-sided" && i > j) v = real_number<T>(-0.5);
        columns.push_back(j + base), values.push_back(v), whole(i, j) = wide(v);
      }
      starts.push_back(int(columns.size()) + base);
      side.push_back(random_of<T>());
    }
  }
  int count() const { return int(values.size()); }
};

template <typename T> struct Told {
  std::string tail;
  const System<T>& of;
  /// A^H (A x - b) = 0, which is A x = b of a square matrix, too.
  void operator()(const char* name, int status, const vector<T>& x, const std::string& more) const {
    Dense<Wide<T>> v(of.n, 1), b(of.m, 1);
    for (int i = 0; i < of.n; ++i) v(i, 0) = wide(x[size_t(i)]);
    for (int i = 0; i < of.m; ++i) b(i, 0) = wide(of.side[size_t(i)]);
    if (of.m == of.n) tell<T>(name + tail, status, product(of.whole, v), b, more);
    else tell<T>(name + tail, status, product(op_of(of.whole, 2), product(of.whole, v)), product(op_of(of.whole, 2), b), more);
  }
};

template <typename T> void lu(const System<T>& a, const Told<T>& told, bool solvable) {
  csrluInfoHost_t info;
  cusolverSpCreateCsrluInfoHost(&info);
  const auto* v = cuda(a.values.data());
  size_t internal = 0, work = 0;
  int at = -7, lower = -7, upper = -7;
  int status = cusolverSpXcsrluAnalysisHost(sparse, a.n, a.count(), a.description, a.starts.data(), a.columns.data(), info);
  if (status == 0) status = SPARSE(csrluBufferInfoHost, a.n, a.count(), a.description, v, a.starts.data(), a.columns.data(), info, &internal, &work);
  vector<char> buffer(work + 1);
  if (status == 0) status = SPARSE(csrluFactorHost, a.n, a.count(), a.description, v, a.starts.data(), a.columns.data(), info, Real<T>(1), buffer.data());
  const int zero = SPARSE(csrluZeroPivotHost, info, Real<T>(1e-6), &at);
  vector<T> x(size_t(a.n), real_number<T>(7));
  const int solved = solvable ? SPARSE(csrluSolveHost, a.n, cuda(a.side.data()), cuda(x.data()), info, buffer.data()) : 0;
  const int counted = cusolverSpXcsrluNnzHost(sparse, &lower, &upper, info);
  const std::string more = text("zero pivot %d %s solved %d counted %d", zero, at < 0 ? "none" : "one", solved, counted);
  if (!solvable) return line("csrluHost" + told.tail, status, 0, 0, more);
  told("csrluHost", status, x, more);
  // P A Q^T = L U; L has ones on its diagonal, which are not among its elements.
  vector<int> p(size_t(a.n)), q(size_t(a.n)), ls(size_t(a.n + 1)), us(size_t(a.n + 1)), lc(size_t(std::max(lower, 0))), uc(size_t(std::max(upper, 0)));
  vector<T> lv(lc.size()), uv(uc.size());
  cusparseMatDescr_t plain;
  cusparseCreateMatDescr(&plain);
  status = SPARSE(csrluExtractHost, p.data(), q.data(), plain, cuda(lv.data()), ls.data(), lc.data(), plain, cuda(uv.data()), us.data(), uc.data(), info, buffer.data());
  Dense<Wide<T>> l(a.n, a.n), u(a.n, a.n), moved(a.n, a.n);
  for (int i = 0; i < a.n && status == 0; ++i) {
    l(i, i) = 1;
    for (int k = ls[size_t(i)]; k < ls[size_t(i) + 1]; ++k) l(i, lc[size_t(k)]) = wide(lv[size_t(k)]);
    for (int k = us[size_t(i)]; k < us[size_t(i) + 1]; ++k) u(i, uc[size_t(k)]) = wide(uv[size_t(k)]);
    for (int j = 0; j < a.n; ++j) moved(i, j) = a.whole(p[size_t(i)], q[size_t(j)]);
  }
  tell<T>("csrluExtractHost" + told.tail, status, product(l, u), moved);
  cusparseDestroyMatDescr(plain), cusolverSpDestroyCsrluInfoHost(info);
}

template <typename T> void cholesky(const System<T>& a, const Told<T>& told, bool solvable) {
  size_t internal = 0, work = 0;
  int at = -7;
  vector<T> x(size_t(a.n), real_number<T>(7));
  {
    csrcholInfoHost_t info;
    cusolverSpCreateCsrcholInfoHost(&info);
    const auto* v = cuda(a.values.data());
    int status = cusolverSpXcsrcholAnalysisHost(sparse, a.n, a.count(), a.description, a.starts.data(), a.columns.data(), info);
    if (status == 0) status = SPARSE(csrcholBufferInfoHost, a.n, a.count(), a.description, v, a.starts.data(), a.columns.data(), info, &internal, &work);
    vector<char> buffer(work + 1);
    if (status == 0) status = SPARSE(csrcholFactorHost, a.n, a.count(), a.description, v, a.starts.data(), a.columns.data(), info, buffer.data());
    const int zero = SPARSE(csrcholZeroPivotHost, info, Real<T>(1e-6), &at);
    const int solved = solvable ? SPARSE(csrcholSolveHost, a.n, cuda(a.side.data()), cuda(x.data()), info, buffer.data()) : 0;
    const std::string more = text("zero pivot %d %s solved %d", zero, at < 0 ? "none" : "one", solved);
    if (solvable) told("csrcholHost", status, x, more);
    else line("csrcholHost" + told.tail, status, 0, 0, more);
    cusolverSpDestroyCsrcholInfoHost(info);
  }
  csrcholInfo_t info;
  cusolverSpCreateCsrcholInfo(&info);
  Array<T> values(a.values), side(a.side), out(size_t(a.n), false);
  Array<int> starts(a.starts), columns(a.columns);
  int status = cusolverSpXcsrcholAnalysis(sparse, a.n, a.count(), a.description, starts.device, columns.device, info);
  if (status == 0) status = SPARSE(csrcholBufferInfo, a.n, a.count(), a.description, values.p(), starts.device, columns.device, info, &internal, &work);
  void* buffer = take(work + 1);
  if (status == 0) status = SPARSE(csrcholFactor, a.n, a.count(), a.description, values.p(), starts.device, columns.device, info, buffer);
  const int zero = SPARSE(csrcholZeroPivot, info, Real<T>(1e-6), &at);
  const int solved = solvable ? SPARSE(csrcholSolve, a.n, side.p(), out.p(), info, buffer) : 0;
  const std::string more = text("zero pivot %d %s solved %d", zero, at < 0 ? "none" : "one", solved);
  if (!solvable) return line("csrchol" + told.tail, status, 0, 0, more);
  told("csrchol", status, out.get(), more);
  // The product of the diagonal's squares is the determinant, whatever the order.
  Array<Real<T>> diagonal(size_t(a.n), false);
  status = [&] {
    if constexpr (std::is_same_v<T, float>) return int(cusolverSpScsrcholDiag(sparse, info, diagonal.device));
    else if constexpr (std::is_same_v<T, double>) return int(cusolverSpDcsrcholDiag(sparse, info, diagonal.device));
    else if constexpr (std::is_same_v<T, C>) return int(cusolverSpCcsrcholDiag(sparse, info, diagonal.device));
    else return int(cusolverSpZcsrcholDiag(sparse, info, diagonal.device));
  }();
  auto rest = a.whole;
  L of_matrix = 0, of_factor = 0;
  for (int k = 0; k < a.n; ++k) {
    of_matrix += std::log(std::abs(rest(k, k)));
    for (int i = k + 1; i < a.n; ++i) {
      const Wide<T> by = rest(i, k) / rest(k, k);
      for (int j = k; j < a.n; ++j) rest(i, j) -= times(by, rest(k, j));
    }
  }
  for (const auto d : diagonal.get()) of_factor += 2 * std::log(std::fabs(L(d)));
  line("csrcholDiag" + told.tail, status, double(std::fabs(of_factor - of_matrix) / (std::fabs(of_matrix) * Kind<T>::ulp)), 0);
  cusolverSpDestroyCsrcholInfo(info);
}

template <typename T> void qr(const System<T>& a, const Told<T>& told, bool solvable) {
  size_t internal = 0, work = 0;
  int at = -7;
  vector<T> x(size_t(a.n), real_number<T>(7)), side = a.side;
  {
    csrqrInfoHost_t info;
    cusolverSpCreateCsrqrInfoHost(&info);
    const auto* v = cuda(a.values.data());
    int status = cusolverSpXcsrqrAnalysisHost(sparse, a.m, a.n, a.count(), a.description, a.starts.data(), a.columns.data(), info);
    if (status == 0) status = SPARSE(csrqrBufferInfoHost, a.m, a.n, a.count(), a.description, v, a.starts.data(), a.columns.data(), info, &internal, &work);
    vector<char> buffer(work + 1);
    const Real<T> mu = 0;
    T shift = real_number<T>(mu);
    if (status == 0) status = SPARSE(csrqrSetupHost, a.m, a.n, a.count(), a.description, v, a.starts.data(), a.columns.data(), *cuda(&shift), info);
    if (status == 0) status = SPARSE(csrqrFactorHost, a.m, a.n, a.count(), nullptr, nullptr, info, buffer.data());
    const int zero = SPARSE(csrqrZeroPivotHost, info, Real<T>(1e-6), &at);
    const int solved = solvable ? SPARSE(csrqrSolveHost, a.m, a.n, cuda(side.data()), cuda(x.data()), info, buffer.data()) : 0;
    const std::string more = text("zero pivot %d %s solved %d", zero, at < 0 ? "none" : "one", solved);
    if (solvable) told("csrqrHost", status, x, more);
    else line("csrqrHost" + told.tail, status, 0, 0, more);
    cusolverSpDestroyCsrqrInfoHost(info);
  }
  Array<T> values(a.values), b(a.side), out(size_t(a.n), false);
  Array<int> starts(a.starts), columns(a.columns);
  {
    csrqrInfo_t info;
    cusolverSpCreateCsrqrInfo(&info);
    T shift = real_number<T>(0);
    int status = cusolverSpXcsrqrAnalysis(sparse, a.m, a.n, a.count(), a.description, starts.device, columns.device, info);
    if (status == 0) status = SPARSE(csrqrBufferInfo, a.m, a.n, a.count(), a.description, values.p(), starts.device, columns.device, info, &internal, &work);
    void* buffer = take(work + 1);
    if (status == 0) status = SPARSE(csrqrSetup, a.m, a.n, a.count(), a.description, values.p(), starts.device, columns.device, *cuda(&shift), info);
    if (status == 0) status = SPARSE(csrqrFactor, a.m, a.n, a.count(), nullptr, nullptr, info, buffer);
    const int zero = SPARSE(csrqrZeroPivot, info, Real<T>(1e-6), &at);
    const int solved = solvable ? SPARSE(csrqrSolve, a.m, a.n, b.p(), out.p(), info, buffer) : 0;
    const std::string more = text("zero pivot %d %s solved %d", zero, at < 0 ? "none" : "one", solved);
    if (solvable) told("csrqr", status, out.get(), more);
    else line("csrqr" + told.tail, status, 0, 0, more);
    cusolverSpDestroyCsrqrInfo(info);
  }
  if (!solvable) return;
  csrqrInfo_t info;  // the same matrix three times
  cusolverSpCreateCsrqrInfo(&info);
  const int many = 3;
  vector<T> numbers, sides;
  for (int k = 0; k < many; ++k) numbers.insert(numbers.end(), a.values.begin(), a.values.end()), sides.insert(sides.end(), a.side.begin(), a.side.end());
  Array<T> all(numbers), all_sides(sides), solutions(size_t(a.n * many), false);
  int status = cusolverSpXcsrqrAnalysisBatched(sparse, a.m, a.n, a.count(), a.description, starts.device, columns.device, info);
  if (status == 0) status = SPARSE(csrqrBufferInfoBatched, a.m, a.n, a.count(), a.description, all.p(), starts.device, columns.device, many, info, &internal, &work);
  if (status == 0) status = SPARSE(csrqrsvBatched, a.m, a.n, a.count(), a.description, all.p(), starts.device, columns.device, all_sides.p(), solutions.p(), many, info, take(work + 1));
  const auto got = solutions.get();
  for (int k = 0; k < many; ++k) told(text("csrqrsvBatched %d", k).c_str(), status, vector<T>(got.begin() + k * a.n, got.begin() + (k + 1) * a.n), "");
  cusolverSpDestroyCsrqrInfo(info);
}

/// Is each number of 0 to n - 1 in it once?
static bool each_once(vector<int> p) {
  std::sort(p.begin(), p.end());
  for (size_t i = 0; i < p.size(); ++i) if (p[i] != int(i)) return false;
  return true;
}
template <typename T> void orders(const System<T>& a, const std::string& tail) {
  vector<int> p(static_cast<size_t>(a.n), -1);
  const int *r = a.starts.data(), *c = a.columns.data();
  int status = cusolverSpXcsrsymrcmHost(sparse, a.n, a.count(), a.description, r, c, p.data());
  line("csrsymrcmHost" + tail, status, 0, 0, text("each once %d", each_once(p)));
  status = cusolverSpXcsrsymmdqHost(sparse, a.n, a.count(), a.description, r, c, p.data());
  line("csrsymmdqHost" + tail, status, 0, 0, text("each once %d", each_once(p)));
  status = cusolverSpXcsrsymamdHost(sparse, a.n, a.count(), a.description, r, c, p.data());
  line("csrsymamdHost" + tail, status, 0, 0, text("each once %d", each_once(p)));
  status = cusolverSpXcsrmetisndHost(sparse, a.n, a.count(), a.description, r, c, nullptr, p.data());
  line("csrmetisndHost" + tail, status, 0, 0, text("each once %d", each_once(p)));
  int symmetric = -7;
  status = cusolverSpXcsrissymHost(sparse, a.n, a.count(), a.description, r, r + 1, c, &symmetric);
  line("csrissymHost" + tail, status, 0, 0, text("%d", symmetric));
  vector<int> q(static_cast<size_t>(a.n)), map(static_cast<size_t>(a.count())), starts = a.starts, columns = a.columns;
  for (int i = 0; i < a.n; ++i) p[size_t(i)] = (i * 3 + 1) % a.n, q[size_t(i)] = a.n - 1 - i;
  if (!each_once(p)) std::iota(p.begin(), p.end(), 0);
  std::iota(map.begin(), map.end(), 0);
  size_t size = 0;
  status = cusolverSpXcsrperm_bufferSizeHost(sparse, a.n, a.n, a.count(), a.description, r, c, p.data(), q.data(), &size);
  vector<char> buffer(size + 1);
  if (status == 0) status = cusolverSpXcsrpermHost(sparse, a.n, a.n, a.count(), a.description, starts.data(), columns.data(), p.data(), q.data(), map.data(), buffer.data());
  int wrong = 0;
  for (int i = 0; i < a.n; ++i)
    for (int k = starts[size_t(i)] - a.base; k < starts[size_t(i) + 1] - a.base; ++k) wrong += a.whole(p[size_t(i)], q[size_t(columns[size_t(k)] - a.base)]) != Wide<T>(wide(a.values[size_t(map[size_t(k)])]));
  line("csrpermHost" + tail, status, 0, 0, text("%d wrong", wrong));
}

/// L U of the host goes in; other numbers at the same places are factored on the device.
static void again(int n) {
  Case one;
  const System<double> a(n, n, "one-sided");
  csrluInfoHost_t info;
  cusolverSpCreateCsrluInfoHost(&info);
  size_t internal = 0, work = 0;
  int lower = 0, upper = 0;
  cusolverSpXcsrluAnalysisHost(sparse, n, a.count(), a.description, a.starts.data(), a.columns.data(), info);
  cusolverSpDcsrluBufferInfoHost(sparse, n, a.count(), a.description, a.values.data(), a.starts.data(), a.columns.data(), info, &internal, &work);
  vector<char> buffer(work + 1);
  cusolverSpDcsrluFactorHost(sparse, n, a.count(), a.description, a.values.data(), a.starts.data(), a.columns.data(), info, 1.0, buffer.data());
  cusolverSpXcsrluNnzHost(sparse, &lower, &upper, info);
  vector<int> p(static_cast<size_t>(n)), q(static_cast<size_t>(n)), ls(size_t(n + 1)), us(size_t(n + 1)), lc(static_cast<size_t>(lower)), uc(static_cast<size_t>(upper));
  vector<double> lv(static_cast<size_t>(lower)), uv(static_cast<size_t>(upper));
  cusparseMatDescr_t plain;
  cusparseCreateMatDescr(&plain);
  cusolverSpDcsrluExtractHost(sparse, p.data(), q.data(), plain, lv.data(), ls.data(), lc.data(), plain, uv.data(), us.data(), uc.data(), info, buffer.data());
  cusolverRfHandle_t rf;
  cusolverRfCreate(&rf);
  cusolverRfSetNumericProperties(rf, 0.0, 0.0);
  cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L);
  cusolverRfSetResetValuesFastMode(rf, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON);
  auto starts = a.starts, columns = a.columns;
  auto values = a.values;
  int status = cusolverRfSetupHost(n, a.count(), starts.data(), columns.data(), values.data(), lower, ls.data(), lc.data(), lv.data(), upper, us.data(), uc.data(), uv.data(), p.data(), q.data(), rf);
  line(text("RfSetupHost n %d", n), status, 0, 0);
  Array<int> dp(p), dq(q), ds(a.starts), dc(a.columns);
  for (int round = 0; round < 2; ++round) {
    System<double> now = a;
    if (round == 1) for (size_t i = 0; i < now.values.size(); ++i) now.values[i] *= 1.25;
    Array<double> dv(now.values), x(a.side), temporary(size_t(2 * n), false);
    for (auto& w : now.whole.all) w *= round == 1 ? 1.25L : 1.0L;
    const int reset = cusolverRfResetValues(n, a.count(), ds.device, dc.device, dv.device, dp.device, dq.device, rf), analysed = round == 0 ? cusolverRfAnalyze(rf) : 0, made = cusolverRfRefactor(rf);
    status = cusolverRfSolve(rf, dp.device, dq.device, 1, temporary.device, n, x.device, n);
    const Told<double> told{text(" n %d round %d", n, round), now};
    told("RfSolve", status, x.get(), text("%d %d %d", reset, analysed, made));
  }
  cusolverRfDestroy(rf), cusparseDestroyMatDescr(plain), cusolverSpDestroyCsrluInfoHost(info);
}

template <typename T> void all() {
  for (const char* how : {"plain", "base 1", "indefinite", "one-sided", "singular"})
    for (const int n : {1, 9, 40}) {
      Case one;
      const System<T> a(n, n, how);
      const std::string which = how;
      const Told<T> told{text("<%s> n %d %s", Kind<T>::name, n, how), a};
      if (which == "singular" && n == 1) continue;
      lu<T>(a, told, which != "singular");
      if (which != "one-sided") cholesky<T>(a, told, which == "plain" || which == "base 1");
      qr<T>(a, told, which != "singular");
      orders<T>(a, told.tail);
    }
  for (const int n : {3, 12}) {
    Case one;
    const System<T> a(2 * n, n, "plain");
    qr<T>(a, {text("<%s> %d x %d", Kind<T>::name, 2 * n, n), a}, true);
  }
}

int main(int count, char** words) {
  begin();
  cusolverSpCreate(&sparse);
  const auto is = [&](const char* type) { return count < 2 || std::strcmp(words[1], type) == 0; };
  if (is("S")) all<float>();
  if (is("D")) all<double>(), again(9), again(50);
  if (is("C")) all<C>();
  if (is("Z")) all<Z>();
  cusolverSpDestroy(sparse);
  return end();
}
