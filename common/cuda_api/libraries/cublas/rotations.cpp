// What makes a rotation: rotg, rotmg. A few numbers, of the host's or the device's, as reference BLAS computes them.

#include <array>
#include <cmath>

#include "common/cuda_api/libraries/cublas/functions.h"

namespace gpulab::cublas {
namespace {

/// A number that is read and written, wherever it lies.
struct Place {
  const char* name;
  void* pointer;
  Type type;
};

template <std::size_t count, typename Compute>
Status change(const Call& call, const std::array<Place, count>& places, const Compute& compute) {
  GPULAB_CHECK(call.check("", {}));
  std::vector<LibraryBuffer> buffers;
  for (const auto& place : places) {
    GPULAB_CHECK(call.check_host(place.name, place.pointer));
    if (call.on_device()) buffers.push_back(vector(place.name, place.pointer, place.type, 1, 1).changed().buffer());
  }
  const bool on_device = call.on_device();
  return call.queue({"1 rotation", 10, plain_unit(call.type()), 1, !on_device}, buffers, [=](LibraryAccess& memory) {
    std::array<Complex, count> values;
    for (std::size_t i = 0; i < count; ++i)
      values[i] = scalar(places[i].name, places[i].pointer, places[i].type, on_device).template get<Complex>(memory);
    compute(values);
    for (std::size_t i = 0; i < count; ++i) Result{places[i].pointer, places[i].type, on_device}.set(memory, values[i]);
  });
}

void rotate(std::array<Complex, 4>& v) {
  const double a = v[0].real(), b = v[1].real();
  if (a == 0 && b == 0) {
    v = {0, 0, 1, 0};
    return;
  }
  const double sigma = std::fabs(a) > std::fabs(b) ? std::copysign(1, a) : std::copysign(1, b);
  const double r = sigma * std::hypot(a, b), c = a / r, s = b / r;
  v = {r, std::fabs(a) > std::fabs(b) ? s : c != 0 ? 1 / c : 1, c, s};
}

void rotate_complex(std::array<Complex, 4>& v) {
  const Complex a = v[0], b = v[1];
  const double size = std::abs(a);
  if (size == 0) {
    v = {b, b, 0, 1};
    return;
  }
  const double all = std::hypot(size, std::abs(b));
  const Complex phase = a / size;
  v = {phase * all, b, size / all, phase * std::conj(b) / all};
}

/// (d1, d2, x1, y1) and the five numbers of param.
struct Modified {
  double d1, d2, x1, flag = 0, h11 = 0, h21 = 0, h12 = 0, h22 = 0;

  void make(double y1) {
    if (d1 < 0) return vanish();
    const double p2 = d2 * y1;
    if (p2 == 0) {
      flag = -2;
      return;
    }
    const double p1 = d1 * x1, q2 = p2 * y1, q1 = p1 * x1;
    if (std::fabs(q1) > std::fabs(q2)) {
      h21 = -y1 / x1;
      h12 = p2 / p1;
      const double u = 1 - h12 * h21;
      if (u <= 0) return vanish();
      flag = 0;
      d1 /= u, d2 /= u, x1 *= u;
    } else {
      if (q2 < 0) return vanish();
      flag = 1;
      h11 = p1 / p2;
      h22 = x1 / y1;
      const double u = 1 + h11 * h22, d = d2 / u;
      d2 = d1 / u, d1 = d, x1 = y1 * u;
    }
    scale();
  }

 private:
  static constexpr double gamma = 4096, small = 1 / (gamma * gamma), large = gamma * gamma;
  void vanish() {
    *this = {0, 0, 0};
    flag = -1;
  }
  void fill() {
    if (flag == 0) h11 = h22 = 1;
    if (flag == 1) h21 = -1, h12 = 1;
    flag = -1;
  }
  void scale() {
    while (d1 != 0 && (d1 <= small || d1 >= large)) {
      fill();
      const double by = d1 <= small ? gamma : 1 / gamma;
      d1 *= by * by;
      x1 /= by, h11 /= by, h12 /= by;
    }
    while (d2 != 0 && (std::fabs(d2) <= small || std::fabs(d2) >= large)) {
      fill();
      const double by = std::fabs(d2) <= small ? gamma : 1 / gamma;
      d2 *= by * by;
      h21 /= by, h22 /= by;
    }
  }
};

}  // namespace

Status rotg(const Call& call, Out a, Out b, Out c, Out s) {
  const Type t = call.type();
  return change(call, std::array<Place, 4>{{{"a", a, t}, {"b", b, t}, {"c", c, real_of(t)}, {"s", s, t}}},
                [t](auto& v) { is_complex(t) ? rotate_complex(v) : rotate(v); });
}

Status rotmg(const Call& call, Out d1, Out d2, Out x1, In y1, Out param) {
  const Type t = call.type();
  const auto at = [&](int i) { return static_cast<char*>(param) + i * bytes_of(t); };
  return change(call,
                std::array<Place, 9>{{{"d1", d1, t},
                                      {"d2", d2, t},
                                      {"x1", x1, t},
                                      {"y1", const_cast<void*>(y1), t},
                                      {"param", param, t},
                                      {"param", at(1), t},
                                      {"param", at(2), t},
                                      {"param", at(3), t},
                                      {"param", at(4), t}}},
                [](auto& v) {
                  Modified made{v[0].real(), v[1].real(), v[2].real()};
                  made.make(v[3].real());
                  v[0] = made.d1, v[1] = made.d2, v[2] = made.x1, v[4] = made.flag;
                  if (made.flag == -1) v[5] = made.h11, v[6] = made.h21, v[7] = made.h12, v[8] = made.h22;
                  if (made.flag == 0) v[6] = made.h21, v[7] = made.h12;
                  if (made.flag == 1) v[5] = made.h11, v[8] = made.h22;
                });
}

}  // namespace gpulab::cublas
