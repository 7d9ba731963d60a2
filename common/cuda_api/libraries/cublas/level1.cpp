// Vectors. For n below 1 nothing is done; sums and norms are 0 then, and so they are where an increment is below 1.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/cuda_api/libraries/cublas/functions.h"

namespace gpulab::cublas {
namespace {

std::string n_in_words(i64 n) { return fmt::format("n = {}", n); }

Job job(i64 n, double flops_each, Type type, bool waits = false) {
  return {n_in_words(n), flops_each * static_cast<double>(std::max<i64>(n, 0)), plain_unit(type), 1, waits};
}

/// Without overflow: largest * sqrt(sum of (x / largest)^2). Sums of many are in long double.
template <typename R>
R norm(const R* parts, std::size_t count) {
  R largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(parts[i])) return parts[i];
    largest = std::max(largest, std::fabs(parts[i]));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  const bool plain = largest > R(1e-100) && largest < R(1e100);
  Precise sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Precise scaled = plain ? parts[i] : Precise{parts[i]} / largest;
    sum += scaled * scaled;
  }
  return static_cast<R>(std::sqrt(sum) * (plain ? Precise{1} : Precise{largest}));
}

/// A number that comes of one vector.
template <typename Reduce>
Status reduce(const Call& call, i64 n, In x, Type xt, i64 incx, Out result, Type rt, double flops_each,
              const Reduce& reduce_it) {
  GPULAB_CHECK(call.check("", {}));
  GPULAB_CHECK(call.check_host("result", result));
  const Operand from = vector("x", x, xt, incx > 0 ? n : 0, incx);
  const Result to{result, rt, call.on_device()};
  auto buffers = buffers_of(from);
  to.add_to(buffers);
  return call.queue(job(n, flops_each, xt, !to.on_device), buffers, [=](LibraryAccess& memory) {
    for_type(memory, xt, [&](auto kind) { to.set(memory, reduce_it(load<decltype(kind)>(memory, from))); });
  });
}

struct Norm {
  template <typename W>
  Complex operator()(const Values<W>& x) const {
    using R = RealOf<W>;
    return static_cast<double>(norm(reinterpret_cast<const R*>(x.all.data()), x.all.size() * sizeof(W) / sizeof(R)));
  }
};
struct Sum {
  template <typename W>
  Complex operator()(const Values<W>& x) const {
    Precise sum = 0;
    for (const W& one : x.all) sum += taxi_size(one);
    return static_cast<double>(sum);
  }
};
/// From 1; 0 where there is none. NaN is no extreme unless there is nothing else.
template <bool largest>
struct Extreme {
  template <typename W>
  Complex operator()(const Values<W>& x) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < x.all.size(); ++i) {
      const auto one = taxi_size(x.all[i]), known = taxi_size(x.all[best]);
      if ((largest ? one > known : one < known) || (std::isnan(known) && !std::isnan(one))) best = i;
    }
    return x.all.empty() ? 0.0 : static_cast<double>(best + 1);
  }
};

template <bool largest>
Status extreme(const Call& call, i64 n, In x, Type xt, i64 incx, Out result) {
  if (!call.wide) return reduce(call, n, x, xt, incx, result, CUDA_R_32I, 1, Extreme<largest>());
  GPULAB_CHECK(call.check("", {}));
  GPULAB_CHECK(call.check_host("result", result));
  const Operand from = vector("x", x, xt, incx > 0 ? n : 0, incx);
  auto buffers = buffers_of(from);
  const bool on_device = call.on_device();
  if (on_device) buffers.push_back(vector("result", result, CUDA_R_64F, 1, 1).written().buffer());
  return call.queue(job(n, 1, xt, !on_device), buffers, [=](LibraryAccess& memory) {
    for_type(memory, xt, [&](auto kind) {
      const auto found = static_cast<i64>(Extreme<largest>()(load<decltype(kind)>(memory, from)).real());
      if (on_device)
        memory.write(address_of(result), &found, sizeof found);
      else
        std::memcpy(result, &found, sizeof found);
    });
  });
}

template <bool conjugated>
Status dot_of(const Call& call, i64 n, In x, Type xt, i64 incx, In y, Type yt, i64 incy, Out result, Type rt) {
  GPULAB_CHECK(call.check("", {}));
  GPULAB_CHECK(call.check_host("result", result));
  const Operand a = vector("x", x, xt, n, incx), b = vector("y", y, yt, n, incy);
  const Result to{result, rt, call.on_device()};
  auto buffers = buffers_of(a, b);
  to.add_to(buffers);
  return call.queue(job(n, flops(xt), xt, !to.on_device), buffers, [=](LibraryAccess& memory) {
    for_type(memory, xt, [&](auto kind) {
      using W = decltype(kind);
      const auto one = load<W>(memory, a), other = load<W>(memory, b);
      using Sum = std::conditional_t<kIsComplex<W>, PreciseComplex, Precise>;
      Sum sum = 0;
      for (std::size_t i = 0; i < one.all.size(); ++i)
        sum += converted<Sum>(conjugated ? conjugate(one.all[i]) : one.all[i]) * converted<Sum>(other.all[i]);
      to.set(memory, converted<Complex>(sum));
    });
  });
}

/// Two vectors that change together, number by number.
template <typename Each>
Status pairwise(const Call& call, i64 n, Operand x, Operand y, std::vector<LibraryBuffer> more, double flops_each,
                const Each& make) {
  auto buffers = buffers_of(x, y);
  buffers.insert(buffers.end(), more.begin(), more.end());
  return call.queue(job(n, flops_each, x.type), buffers, [=](LibraryAccess& memory) {
    for_type(memory, y.type, [&](auto kind) {
      using W = decltype(kind);
      auto a = load<W>(memory, x), b = y.reads ? load<W>(memory, y) : Values<W>(y);
      const auto each = make(memory, W());
      for (std::size_t i = 0; i < a.all.size(); ++i) each(a.all[i], b.all[i]);
      if (x.writes) store(memory, a);
      store(memory, b);
    });
  });
}

/// Halves are computed in float, everything else as what it is.
bool is_execution(Type execution, Type of) {
  const bool half = real_of(of) == CUDA_R_16F || real_of(of) == CUDA_R_16BF;
  return execution == (half ? CUDA_R_32F : of);
}

}  // namespace

Status nrm2_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result, Type rt, Type et) {
  if (!is_execution(et, xt)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return reduce(call, n, x, xt, incx, result, rt, flops(xt), Norm());
}
Status nrm2(const Call& call, i64 n, In x, i64 incx, Out result) {
  return nrm2_ex(call, n, x, call.type(), incx, result, call.real_type(), call.type());
}
Status asum_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result, Type rt, Type et) {
  if (et != xt) return CUBLAS_STATUS_NOT_SUPPORTED;  // of halves neither, seen on an H100
  return reduce(call, n, x, xt, incx, result, real_of(rt), flops(xt) / 2, Sum());
}
Status asum(const Call& call, i64 n, In x, i64 incx, Out result) {
  return asum_ex(call, n, x, call.type(), incx, result, call.real_type(), call.type());
}
Status amax_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result) {
  return extreme<true>(call, n, x, xt, incx, result);
}
Status amin_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result) {
  return extreme<false>(call, n, x, xt, incx, result);
}
Status amax(const Call& call, i64 n, In x, i64 incx, Out result) {
  return extreme<true>(call, n, x, call.type(), incx, result);
}
Status amin(const Call& call, i64 n, In x, i64 incx, Out result) {
  return extreme<false>(call, n, x, call.type(), incx, result);
}

Status dot_ex(const Call& call, i64 n, In x, Type xt, i64 incx, In y, Type yt, i64 incy, Out result, Type rt, Type et) {
  if (!is_execution(et, xt)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return dot_of<false>(call, n, x, xt, incx, y, yt, incy, result, rt);
}
Status dotc_ex(const Call& call, i64 n, In x, Type xt, i64 incx, In y, Type yt, i64 incy, Out result, Type rt,
               Type et) {
  if (!is_execution(et, xt)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return dot_of<true>(call, n, x, xt, incx, y, yt, incy, result, rt);
}
Status dotu(const Call& call, i64 n, In x, i64 incx, In y, i64 incy, Out result) {
  return dot_of<false>(call, n, x, call.type(), incx, y, call.type(), incy, result, call.type());
}
Status dot(const Call& call, i64 n, In x, i64 incx, In y, i64 incy, Out result) {
  return dotu(call, n, x, incx, y, incy, result);
}
Status dotc(const Call& call, i64 n, In x, i64 incx, In y, i64 incy, Out result) {
  return dot_of<true>(call, n, x, call.type(), incx, y, call.type(), incy, result, call.type());
}

Status axpy_ex(const Call& call, i64 n, In alpha, Type at, In x, Type xt, i64 incx, Out y, Type yt, i64 incy, Type et) {
  if (!is_execution(et, xt)) return CUBLAS_STATUS_NOT_SUPPORTED;
  GPULAB_CHECK(call.check("", {}));
  GPULAB_CHECK(call.check_host("alpha", alpha));
  const Scalar factor = call.number("alpha", alpha, at);
  if (!factor.on_device && factor.value == Complex(0)) return CUBLAS_STATUS_SUCCESS;
  std::vector<LibraryBuffer> more;
  factor.add_to(more);
  return pairwise(call, n, vector("x", x, xt, n, incx), vector("y", y, yt, n, incy).changed(), more, flops(yt),
                  [factor](LibraryAccess& memory, auto kind) {
                    using W = decltype(kind);
                    return [a = factor.get<W>(memory)](const W& from, W& to) { to += a * from; };
                  });
}
Status axpy(const Call& call, i64 n, In alpha, In x, i64 incx, Out y, i64 incy) {
  const Type t = call.type();
  return axpy_ex(call, n, alpha, t, x, t, incx, y, t, incy, t);
}
Status copy_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out y, Type yt, i64 incy) {
  GPULAB_CHECK(call.check("", {}));
  return pairwise(call, n, vector("x", x, xt, n, incx), vector("y", y, yt, n, incy).written(), {}, 0,
                  [](LibraryAccess&, auto kind) {
                    using W = decltype(kind);
                    return [](const W& from, W& to) { to = from; };
                  });
}
Status copy(const Call& call, i64 n, In x, i64 incx, Out y, i64 incy) {
  return copy_ex(call, n, x, call.type(), incx, y, call.type(), incy);
}
Status swap_ex(const Call& call, i64 n, Out x, Type xt, i64 incx, Out y, Type yt, i64 incy) {
  GPULAB_CHECK(call.check("", {}));
  return pairwise(call, n, vector("x", x, xt, n, incx).changed(), vector("y", y, yt, n, incy).changed(), {}, 0,
                  [](LibraryAccess&, auto kind) {
                    using W = decltype(kind);
                    return [](W& one, W& other) { std::swap(one, other); };
                  });
}
Status swap(const Call& call, i64 n, Out x, i64 incx, Out y, i64 incy) {
  return swap_ex(call, n, x, call.type(), incx, y, call.type(), incy);
}

Status scal_ex(const Call& call, i64 n, In alpha, Type at, Out x, Type xt, i64 incx, Type et) {
  if (!is_execution(et, xt)) return CUBLAS_STATUS_NOT_SUPPORTED;
  GPULAB_CHECK(call.check("", {}));
  GPULAB_CHECK(call.check_host("alpha", alpha));
  const Scalar factor = call.number("alpha", alpha, at);
  const Operand to = vector("x", x, xt, incx > 0 ? n : 0, incx).changed();
  auto buffers = buffers_of(to);
  factor.add_to(buffers);
  return call.queue(job(n, flops(xt) / 2, xt), buffers, [=](LibraryAccess& memory) {
    for_type(memory, xt, [&](auto kind) {
      using W = decltype(kind);
      auto values = load<W>(memory, to);
      const W a = factor.get<W>(memory);
      for (W& one : values.all) one *= a;
      store(memory, values);
    });
  });
}
Status scal(const Call& call, i64 n, In alpha, Out x, i64 incx) {
  return scal_ex(call, n, alpha, call.scalar_type(), x, call.type(), incx, call.type());
}

Status rot_ex(const Call& call, i64 n, Out x, Type xt, i64 incx, Out y, Type yt, i64 incy, In c, In s, Type cst,
              Type et) {
  if (!is_execution(et, xt)) return CUBLAS_STATUS_NOT_SUPPORTED;
  GPULAB_CHECK(call.check("", {}));
  GPULAB_CHECK(call.check_host("c", c));
  GPULAB_CHECK(call.check_host("s", s));
  const Scalar cosine = call.number("c", c, real_of(cst)), sine = call.number("s", s, cst);
  std::vector<LibraryBuffer> more;
  cosine.add_to(more);
  sine.add_to(more);
  return pairwise(call, n, vector("x", x, xt, n, incx).changed(), vector("y", y, yt, n, incy).changed(), more,
                  3 * flops(xt), [cosine, sine](LibraryAccess& memory, auto kind) {
                    using W = decltype(kind);
                    return [c = cosine.get<RealOf<W>>(memory), s = sine.get<W>(memory)](W& one, W& other) {
                      const W turned = c * one + s * other;
                      other = c * other - conjugate(s) * one;
                      one = turned;
                    };
                  });
}
Status rot(const Call& call, i64 n, Out x, i64 incx, Out y, i64 incy, In c, In s) {
  const Type t = call.type();
  return rot_ex(call, n, x, t, incx, y, t, incy, c, s, call.scalar_type(), t);
}

Status rotm(const Call& call, i64 n, Out x, i64 incx, Out y, i64 incy, In param) {
  GPULAB_CHECK(call.check("", {}));
  GPULAB_CHECK(call.check_host("param", param));
  const Type t = call.type();
  const Operand matrix = vector("param", param, t, 5, 1);
  double now[5] = {};
  if (!call.on_device()) decode(t, param, now, 5);
  std::vector<LibraryBuffer> more;
  if (call.on_device()) more = buffers_of(matrix);
  const bool on_device = call.on_device();
  return pairwise(call, n, vector("x", x, t, n, incx).changed(), vector("y", y, t, n, incy).changed(), more, 6,
                  [=](LibraryAccess& memory, auto kind) {
                    using W = decltype(kind);
                    double p[5] = {now[0], now[1], now[2], now[3], now[4]};
                    if (on_device) std::ranges::copy(load<double>(memory, matrix).all, p);
                    RealOf<W> h11 = p[1], h21 = p[2], h12 = p[3], h22 = p[4];
                    if (p[0] == -2) h11 = h22 = 1, h21 = h12 = 0;
                    if (p[0] == 0) h11 = h22 = 1;
                    if (p[0] == 1) h12 = 1, h21 = -1;
                    return [=](W& one, W& other) {
                      const W first = h11 * one + h12 * other;
                      other = h21 * one + h22 * other;
                      one = first;
                    };
                  });
}

}  // namespace gpulab::cublas
