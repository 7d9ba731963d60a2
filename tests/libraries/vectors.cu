// cuBLAS's level 1, and its forms of mixed types.
#include <cublas_v2.h>

#include "blas.h"

/// Sums, and places of the greatest and least: the result in the host's memory and in the device's.
template <typename T> void reductions(int64_t n, int64_t inc, const char* how = "") {
  Case one;
  using R = Real<T>;
  Strided<T> x(n, inc);
  const auto of = [&](auto change) {
    for (int64_t i = 0; i < n; ++i) x.array.host[x.at(i)] = change(i, x.array.host[x.at(i)]);
    x.array.put();
  };
  const std::string which = how;
  const T unit = T(1);
  if (which == "large") of([](int64_t, T v) { return v * R(sizeof(R) == 4 ? 1e30 : 1e300); });
  if (which == "small") of([](int64_t, T v) { return v * R(sizeof(R) == 4 ? 1e-30 : 1e-300); });
  if (which == "ties") of([&](int64_t i, T) { return i % 3 == 0 ? -unit : unit; });
  if (which == "nan") of([&](int64_t i, T v) { return i == n / 2 ? nan_of<T>() : v; });
  if (which == "nan-first") of([&](int64_t i, T v) { return i == 0 ? nan_of<T>() : v; });
  if (which == "infinite") of([&](int64_t i, T v) { return i == n / 2 ? unit * R(INFINITY) : v; });
  if (which == "zeros") of([](int64_t, T) { return T(0); });
  L squares = 0, magnitudes = 0;
  for (int64_t i = 0; i < n && inc > 0; ++i) {
    const LC v = LC(x[i]);
    squares += v.real() * v.real() + v.imag() * v.imag();
    magnitudes += std::fabs(v.real()) + std::fabs(v.imag());
  }
  const std::string tail = text("<%s> n %lld inc %lld %s", Kind<T>::name, (long long)n, (long long)inc, how);
  for (const bool on_device : {false, true}) {
    Case another;
    cublasSetPointerMode(handle, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
    Array<R> result(size_t(1), false);
    Array<int> place(vector<int>{-7});
    R* to = on_device ? result.device : result.host.data();
    int* to_place = on_device ? place.device : place.host.data();
    const auto tell = [&](const char* name, int status, L ref) {
      if (!on_device) result.put();
      check(name + tail + (on_device ? " dev" : ""), status, result, vector<L>{ref}, {}, inc > 0 ? "" : text("%.6Lg", wide(result.get()[0])));
    };
    tell("nrm2", OF(cublasSnrm2, cublasDnrm2, cublasScnrm2, cublasDznrm2, int(n), x.p(), int(inc), to), std::sqrt(squares));
    tell("asum", OF(cublasSasum, cublasDasum, cublasScasum, cublasDzasum, int(n), x.p(), int(inc), to), magnitudes);
    const auto where = [&](const char* name, int status) {
      if (!on_device) place.put();
      line(name + tail + (on_device ? " dev" : ""), status, 0, 0, text("%d", place.get()[0]));
    };
    where("amax", OF(cublasIsamax, cublasIdamax, cublasIcamax, cublasIzamax, int(n), x.p(), int(inc), to_place));
    where("amin", OF(cublasIsamin, cublasIdamin, cublasIcamin, cublasIzamin, int(n), x.p(), int(inc), to_place));
  }
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
}

template <typename T> void pairs(int64_t n, int64_t incx, int64_t incy) {
  using W = Wide<T>;
  const std::string tail = text("<%s> n %lld inc %lld %lld", Kind<T>::name, (long long)n, (long long)incx, (long long)incy);
  for (const int a : {0, 1, 2}) {
    Case one;
    Strided<T> x(n, incx), y(n, incy);
    const T alpha = a == 2 ? random_of<T>() : T(Real<T>(a));
    if (a == 0 && n > 0) x.array.host[x.at(0)] = nan_of<T>(), x.array.put();
    const int status = BLAS(axpy, int(n), cuda(&alpha), x.p(), int(incx), y.p(), int(incy));
    auto ref = y.values();
    if (a != 0) for (int64_t i = 0; i < n; ++i) ref[size_t(i)] += times(wide(alpha), x[i]);
    y.check("axpy" + tail + text(" alpha %d", a), status, ref);
  }
  {
    Case one;
    Strided<T> x(n, incx), y(n, incy);
    const auto of_x = x.values(), of_y = y.values();
    y.check("copy" + tail, BLAS(copy, int(n), x.p(), int(incx), y.p(), int(incy)), of_x);
    y.array.put();
    const int status = BLAS(swap, int(n), x.p(), int(incx), y.p(), int(incy));
    x.check("swap x" + tail, status, of_y), y.check("swap y" + tail, status, of_x);
  }
  {
    Case one;
    Strided<T> x(n, incx), y(n, incy);
    W sum = 0, of_conjugate = 0;
    for (int64_t i = 0; i < n; ++i) sum += times(x[i], y[i]), of_conjugate += times(conj_of(x[i]), y[i]);
    Array<T> result(size_t(1), false);
    const int status = OF(cublasSdot, cublasDdot, cublasCdotu, cublasZdotu, int(n), x.p(), int(incx), y.p(), int(incy), cuda(result.host.data()));
    result.put();
    check("dot" + tail, status, result, {sum});
    if constexpr (is_complex<T>) {
      const int other = OF(cublasSdot, cublasDdot, cublasCdotc, cublasZdotc, int(n), x.p(), int(incx), y.p(), int(incy), cuda(result.host.data()));
      result.put();
      check("dotc" + tail, other, result, {of_conjugate});
    }
  }
  {
    Case one;
    Strided<T> x(n, incx), y(n, incy);
    const Real<T> c = Real<T>(0.6), rs = Real<T>(-0.8);
    T s = T(rs);
    if constexpr (is_complex<T>) s = T(Real<T>(0.48), Real<T>(0.64));
    vector<W> to_x, to_y, real_x, real_y;
    for (int64_t i = 0; i < n; ++i) {
      to_x.push_back(L(c) * x[i] + times(wide(s), y[i])), to_y.push_back(L(c) * y[i] - times(conj_of(wide(s)), x[i]));
      real_x.push_back(L(c) * x[i] + L(rs) * y[i]), real_y.push_back(L(c) * y[i] - L(rs) * x[i]);
    }
    int status = BLAS(rot, int(n), x.p(), int(incx), y.p(), int(incy), &c, cuda(&s));
    x.check("rot x" + tail, status, to_x), y.check("rot y" + tail, status, to_y);
    if constexpr (is_complex<T>) {
      x.array.put(), y.array.put();
      status = OF(cublasSrot, cublasDrot, cublasCsrot, cublasZdrot, int(n), x.p(), int(incx), y.p(), int(incy), &c, &rs);
      x.check("rot real x" + tail, status, real_x), y.check("rot real y" + tail, status, real_y);
    } else {
      for (const double flag : {-2.0, -1.0, 0.0, 1.0}) {
        x.array.put(), y.array.put();
        const T p[5] = {T(flag), T(0.3), T(-0.7), T(1.4), T(0.9)};
        const L h11 = flag == 0 || flag == -2 ? 1 : L(p[1]), h21 = flag == 1 ? -1 : flag == -2 ? 0 : L(p[2]), h12 = flag == 1 ? 1 : flag == -2 ? 0 : L(p[3]),
                h22 = flag == 0 || flag == -2 ? 1 : L(p[4]);
        vector<L> mx, my;
        for (int64_t i = 0; i < n; ++i) mx.push_back(h11 * x[i] + h12 * y[i]), my.push_back(h21 * x[i] + h22 * y[i]);
        status = OF(cublasSrotm, cublasDrotm, cublasSrotm, cublasDrotm, int(n), x.p(), int(incx), y.p(), int(incy), p);
        x.check("rotm x" + tail + text(" %g", flag), status, mx), y.check("rotm y" + tail + text(" %g", flag), status, my);
      }
    }
  }
}

template <typename T> void scaled(int64_t n, int64_t inc) {
  for (const int a : {0, 1, 2}) {
    for (const bool nan : {false, true}) {
      Case one;
      Strided<T> x(n, inc);
      if (nan && n > 0) x.array.host[x.at(n - 1)] = nan_of<T>(), x.array.put();
      const T alpha = a == 2 ? random_of<T>() : T(Real<T>(a));
      const Real<T> real = wide(alpha) == Wide<T>(0) ? 0 : Real<T>(a == 1 ? 1 : -0.75);
      auto ref = x.values(), of_real = ref;
      if (inc > 0) for (auto& v : ref) v = times(wide(alpha), v);
      if (inc > 0) for (auto& v : of_real) v *= L(real);
      const std::string tail = text("<%s> n %lld inc %lld alpha %d nan %d", Kind<T>::name, (long long)n, (long long)inc, a, nan);
      const int status = BLAS(scal, int(n), cuda(&alpha), x.p(), int(inc));
      x.check("scal" + tail, status, ref, inc > 0 || n < 1 ? "" : text("%.5Lg to %.5Lg", LC(x[0]).real(), LC(wide(x.array.get()[x.at(0)])).real()));
      if constexpr (is_complex<T>) {
        x.array.put();
        x.check("scal real" + tail, OF(cublasSscal, cublasDscal, cublasCsscal, cublasZdscal, int(n), &real, x.p(), int(inc)), of_real);
      }
    }
  }
}

/// Rotations that are made: the values themselves are in the line, rounded to what the type keeps for sure.
template <typename T> void made() {
  using R = Real<T>;
  const double values[][2] = {{0, 0}, {3, 4}, {-3, 4}, {4, 3}, {4, -3}, {0, 2}, {2, 0}, {-2, 0}, {0, -2}, {1e-3, 5}, {1, 1}, {1, -1}, {1e18, 1e19}, {1e-20, 1e-21}};
  for (const auto& v : values) {
    T a, b;
    if constexpr (is_complex<T>) a = T(R(v[0]), R(v[1] / 3)), b = T(R(v[1]), R(-v[0] / 2));
    else a = T(v[0]), b = T(v[1]);
    R c = 7;
    T s = T(R(7));
    const int status = OF(cublasSrotg, cublasDrotg, cublasCrotg, cublasZrotg, cuda(&a), cuda(&b), &c, cuda(&s));
    const LC wa = LC(wide(a)), wb = LC(wide(b)), ws = LC(wide(s));
    const char* form = sizeof(R) == 4 ? "%.5Lg %.5Lg %.5Lg %.5Lg %.5g %.5Lg %.5Lg" : "%.13Lg %.13Lg %.13Lg %.13Lg %.13g %.13Lg %.13Lg";
    line(text("rotg<%s> %g %g", Kind<T>::name, v[0], v[1]), status, 0, 0, text(form, wa.real(), wa.imag(), wb.real(), wb.imag(), double(c), ws.real(), ws.imag()));
  }
  if constexpr (!is_complex<T>) {
    const double inputs[][4] = {{1, 1, 1, 1}, {2, 3, 0.5, -0.7}, {-1, 2, 3, 4}, {1, -1, 1, 3}, {1, 2, 3, 0}, {0, 1, 1, 1}, {1e-9, 2e-9, 1, 3}, {1e9, 2e10, 5, 0.1}, {4, 1, 0, 2}, {1, 0, 1, 1}, {3, 1, 2, 1}, {1, 3, 1, 2}, {0, 0, 0, 0}};
    for (const auto& v : inputs) {
      T d1 = T(v[0]), d2 = T(v[1]), x1 = T(v[2]), y1 = T(v[3]), p[5] = {9, 9, 9, 9, 9};
      const int status = OF(cublasSrotmg, cublasDrotmg, cublasSrotmg, cublasDrotmg, &d1, &d2, &x1, &y1, p);
      const char* form = sizeof(T) == 4 ? "%.5g %.5g %.5g flag %g %.5g %.5g %.5g %.5g" : "%.13g %.13g %.13g flag %g %.13g %.13g %.13g %.13g";
      line(text("rotmg<%s> %g %g %g %g", Kind<T>::name, v[0], v[1], v[2], v[3]), status, 0, 0, text(form, d1, d2, x1, p[0], p[1], p[2], p[3], p[4]));
    }
  }
}

/// The forms of half, bf16 and mixed types.
template <typename T, typename Execution> void mixed(cudaDataType type, cudaDataType execution) {
  for (const int n : {0, 1, 33, 1000}) {
    Case one;
    Strided<T> x(n, 2), y(n, 1);
    const Execution alpha = Execution(0.7);
    L sum = 0, squares = 0, magnitudes = 0;
    auto moved = y.values(), scaled_x = x.values();
    for (int i = 0; i < n; ++i) sum += x[i] * y[i], squares += x[i] * x[i], magnitudes += std::fabs(x[i]), moved[i] += L(alpha) * x[i], scaled_x[i] *= L(alpha);
    const std::string tail = text("<%s> n %d execution %d", Kind<T>::name, n, int(execution));
    Array<T> result(size_t(1), false);
    const auto tell = [&](const char* name, int status, L ref) {
      result.put();
      check(name + tail, status, result, vector<L>{ref});
    };
    tell("DotEx", cublasDotEx(handle, n, x.p(), type, 2, y.p(), type, 1, result.host.data(), type, execution), sum);
    tell("DotcEx", cublasDotcEx(handle, n, x.p(), type, 2, y.p(), type, 1, result.host.data(), type, execution), sum);
    tell("Nrm2Ex", cublasNrm2Ex(handle, n, x.p(), type, 2, result.host.data(), type, execution), std::sqrt(squares));
    tell("AsumEx", cublasAsumEx(handle, n, x.p(), type, 2, result.host.data(), type, execution), magnitudes);
    int place = -7;
    int status = cublasIamaxEx(handle, n, x.p(), type, 2, &place);
    line("IamaxEx" + tail, status, 0, 0, text("%d", place));
    status = cublasIaminEx(handle, n, x.p(), type, 2, &place);
    line("IaminEx" + tail, status, 0, 0, text("%d", place));
    y.check("AxpyEx" + tail, cublasAxpyEx(handle, n, &alpha, execution, x.p(), type, 2, y.p(), type, 1, execution), moved);
    x.check("ScalEx" + tail, cublasScalEx(handle, n, &alpha, execution, x.p(), type, 2, execution), scaled_x);
    x.array.put(), y.array.put();
    const auto of_x = x.values(), of_y = y.values();
    y.check("CopyEx" + tail, cublasCopyEx(handle, n, x.p(), type, 2, y.p(), type, 1), of_x);
    y.array.put();
    status = cublasSwapEx(handle, n, x.p(), type, 2, y.p(), type, 1);
    x.check("SwapEx x" + tail, status, of_y), y.check("SwapEx y" + tail, status, of_x);
    x.array.put(), y.array.put();
    const T c = real_of<T>(0.6), s = real_of<T>(0.8);
    vector<L> to_x, to_y;
    for (int i = 0; i < n; ++i) to_x.push_back(wide(c) * x[i] + wide(s) * y[i]), to_y.push_back(wide(c) * y[i] - wide(s) * x[i]);
    status = cublasRotEx(handle, n, x.p(), type, 2, y.p(), type, 1, &c, &s, type, execution);
    x.check("RotEx x" + tail, status, to_x), y.check("RotEx y" + tail, status, to_y);
  }
}

template <typename T> void all() {
  for (const int64_t n : {0, 1, 2, 7, 33, 1000, 65537}) {
    for (const int64_t inc : {1, 2, 0, -1}) reductions<T>(n, inc);
    for (const int64_t inc : {1, 3, 0, -1}) scaled<T>(n, inc);
    for (const auto& [x, y] : {std::pair(1, 1), std::pair(2, 3), std::pair(-1, 1), std::pair(1, -2), std::pair(-2, -3)}) pairs<T>(n, x, y);
  }
  for (const int64_t n : {1, 33, 1000})
    for (const char* how : {"large", "small", "ties", "nan", "nan-first", "infinite", "zeros"}) reductions<T>(n, 1, how);
  made<T>();
  reductions<T>(-1, 1), pairs<T>(-1, 1, 1), scaled<T>(-1, 1);
}

int main() {
  begin();
  cublasCreate(&handle);
  all<float>(), all<double>(), all<C>(), all<Z>();
  mixed<__half, float>(CUDA_R_16F, CUDA_R_32F);
  mixed<__nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_32F);
  mixed<float, float>(CUDA_R_32F, CUDA_R_32F);
  mixed<double, double>(CUDA_R_64F, CUDA_R_64F);
  mixed<float, double>(CUDA_R_32F, CUDA_R_64F);  // refused
  cublasDestroy(handle);
  return end();
}
