// cuSOLVER's solves of sparse systems, on the host and on the device, in each order; singular and indefinite matrices.
#include <cusolverSp.h>
#include <cusparse.h>

#include "solver.h"

template <typename T> void sparse(int n, const char* how) {
  using W = Wide<T>;
  using K = typename Kind<T>::Cuda;
  Case one;
  cusolverSpHandle_t handle;
  cusparseMatDescr_t description;
  cusolverSpCreate(&handle), cusparseCreateMatDescr(&description);
  const std::string which = how;
  const int base = which == "base 1";
  cusparseSetMatIndexBase(description, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  vector<int> starts{base}, columns;
  vector<T> numbers;
  Dense<W> whole(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool there = i == j || i == j + 1 || j == i + 1 || i == j + 4 || j == i + 4;
      if (!there || (which == "singular" && i == n / 2)) continue;
      const T value = i == j ? real_number<T>(which == "indefinite" && i == n / 2 ? -5 : 5) : real_number<T>(-1);
      columns.push_back(j + base), numbers.push_back(value), whole(i, j) = wide(value);
    }
    starts.push_back(int(columns.size()) + base);
  }
  const int count = int(columns.size());
  Array<T> values(numbers), b(size_t(n), true), x(size_t(n), false);
  Array<int> rows(starts), indices(columns);
  Dense<W> side(n, 1);
  for (int i = 0; i < n; ++i) side(i, 0) = wide(b.host[size_t(i)]);
#define SPARSE(name, ...)                                                                            \
  [&] {                                                                                              \
    if constexpr (std::is_same_v<T, float>) return int(cusolverSpS##name(handle, __VA_ARGS__));      \
    else if constexpr (std::is_same_v<T, double>) return int(cusolverSpD##name(handle, __VA_ARGS__)); \
    else if constexpr (std::is_same_v<T, C>) return int(cusolverSpC##name(handle, __VA_ARGS__));     \
    else return int(cusolverSpZ##name(handle, __VA_ARGS__));                                         \
  }()
  const Real<T> tolerance = Real<T>(1e-6);
  for (int reorder = 0; reorder < 4; ++reorder) {
    const auto told = [&](const char* name, int status, int singular, const vector<T>& got) {
      const std::string tail = text("%s<%s> n %d %s reorder %d", name, Kind<T>::name, n, how, reorder);
      if (status != 0 || singular >= 0) return line(tail, status, 0, 0, text("singular %d", singular >= 0));
      Dense<W> v(n, 1);
      for (int i = 0; i < n; ++i) v(i, 0) = wide(got[size_t(i)]);
      tell<T>(tail, status, product(whole, v), side, text("singular %d", singular));
    };
    int singular = -7;
    vector<T> here(size_t(n), T(Real<T>(7)));
    auto* const at = cuda(here.data());
    const auto *v = cuda(values.host.data()), *r = cuda(b.host.data());
    int status = SPARSE(csrlsvluHost, n, count, description, v, starts.data(), columns.data(), r, tolerance, reorder, at, &singular);
    told("csrlsvluHost", status, singular, here);
    status = SPARSE(csrlsvqrHost, n, count, description, v, starts.data(), columns.data(), r, tolerance, reorder, at, &singular);
    told("csrlsvqrHost", status, singular, here);
    status = SPARSE(csrlsvcholHost, n, count, description, v, starts.data(), columns.data(), r, tolerance, reorder, at, &singular);
    told("csrlsvcholHost", status, singular, here);
    status = SPARSE(csrlsvqr, n, count, description, values.p(), rows.device, indices.device, b.p(), tolerance, reorder, x.p(), &singular);
    told("csrlsvqr", status, singular, x.get());
    status = SPARSE(csrlsvchol, n, count, description, values.p(), rows.device, indices.device, b.p(), tolerance, reorder, x.p(), &singular);
    told("csrlsvchol", status, singular, x.get());
  }
  cusolverSpDestroy(handle), cusparseDestroyMatDescr(description);
}

template <typename T> void all() {
  for (const char* how : {"plain", "base 1", "singular", "indefinite"}) sparse<T>(9, how), sparse<T>(40, how);
}

int main() {
  begin();
  all<float>(), all<double>(), all<C>(), all<Z>();
  return end();
}
