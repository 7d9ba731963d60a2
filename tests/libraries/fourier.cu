// cuFFT: sizes of all kinds in one to three dimensions, batches, layouts with strides, both directions, and what is refused. Of large
// transforms some elements are compared.
#include <cufft.h>
#include <cufftXt.h>

#include "cases.h"

/// exp(sign 2 pi i k / n) for all k.
static vector<LC> twiddles(int64_t n, int sign) {
  vector<LC> all;
  for (int64_t k = 0; k < n; ++k) {
    const L angle = 2 * std::acos(-1.0L) * L(k) / L(n);
    all.push_back({std::cos(angle), sign * std::sin(angle)});
  }
  return all;
}

struct Plan {
  vector<int> n;
  int batch = 1;
  bool in_place = false;
  vector<int> in_embed = {}, out_embed = {};
  int in_stride = 1, in_distance = 0, out_stride = 1, out_distance = 0;
  int64_t points() const { int64_t all = 1; for (const int one : n) all *= one; return all; }
};

/// Where element (x0, x1, ...) of a batch's item lies.
struct Layout {
  vector<int64_t> embed;
  int64_t stride, distance;
  int64_t at(const vector<int64_t>& x, int item) const {
    int64_t all = x[0];
    for (size_t d = 1; d < x.size(); ++d) all = all * embed[d] + x[d];
    return all * stride + item * distance;
  }
};
static vector<int64_t> place(int64_t index, const vector<int64_t>& n) {
  vector<int64_t> x(n.size());
  for (size_t d = n.size(); d-- > 0; index /= n[d]) x[d] = index % n[d];
  return x;
}

/// One transform: `R` is the type of real numbers; kind 0: complex to complex, 1: real to complex, 2: complex to real.
template <typename R> void transform(const Plan& plan, int kind, int sign) {
  using T = std::complex<R>;
  Case one;
  const size_t rank = plan.n.size();
  const bool many = !plan.in_embed.empty();
  vector<int64_t> n(plan.n.begin(), plan.n.end()), half = n;
  half.back() = n.back() / 2 + 1;
  const auto layout = [&](bool real_side, bool half_side, const vector<int>& embed, int stride, int distance) {
    Layout made{half_side ? half : n, 1, 1};
    if (real_side && plan.in_place) made.embed.back() = 2 * half.back();
    if (many) made.embed.assign(embed.begin(), embed.end()), made.stride = stride, made.distance = distance;
    else for (const auto m : made.embed) made.distance *= m;
    return made;
  };
  const Layout in = layout(kind == 1, kind == 2, plan.in_embed, plan.in_stride, plan.in_distance), out = layout(kind == 2, kind == 1, plan.out_embed, plan.out_stride, plan.out_distance);
  const auto reach = [&](const Layout& l, bool half_side) {
    auto last = half_side ? half : n;
    for (auto& x : last) --x;
    int64_t all = l.at(last, plan.batch - 1) + 1;
    if (!many) all = std::max(all, l.distance * plan.batch);
    return all;
  };
  // The input, in full: a spectrum of a real signal where the output is real.
  const int64_t points = plan.points();
  vector<vector<LC>> input(size_t(plan.batch), vector<LC>(size_t(points)));
  for (auto& item : input)
    for (int64_t i = 0; i < points; ++i) {
      if (kind == 1) { item[size_t(i)] = L(random_of<R>()); continue; }
      if (kind == 0) { item[size_t(i)] = wide(random_of<T>()); continue; }
      auto x = place(i, n);
      int64_t mirrored = 0;
      for (size_t d = 0; d < rank; ++d) mirrored = mirrored * n[d] + (n[d] - x[d]) % n[d];
      if (mirrored == i) item[size_t(i)] = L(random_of<R>());
      else if (mirrored > i) item[size_t(i)] = wide(random_of<T>()), item[size_t(mirrored)] = std::conj(item[size_t(i)]);
    }
  const size_t in_bytes = size_t(reach(in, kind == 2)) * (kind == 1 ? sizeof(R) : sizeof(T)), out_bytes = size_t(reach(out, kind == 1)) * (kind == 2 ? sizeof(R) : sizeof(T));
  const size_t bytes = plan.in_place ? std::max(in_bytes, out_bytes) : in_bytes;
  vector<R> source((bytes + sizeof(R) - 1) / sizeof(R), R(NAN)), result((std::max(bytes, out_bytes)) / sizeof(R) + 1, R(NAN));
  for (int b = 0; b < plan.batch; ++b)
    for (int64_t i = 0; i < points; ++i) {
      const auto x = place(i, n);
      if (kind == 2 && x.back() >= half.back()) continue;
      const auto v = input[size_t(b)][size_t(i)];
      const size_t to = size_t(in.at(x, b));
      if (kind == 1) source[to] = R(v.real());
      else source[2 * to] = R(v.real()), source[2 * to + 1] = R(v.imag());
    }
  char* device = static_cast<char*>(take(std::max(bytes, out_bytes) + 16));
  char* target = plan.in_place ? device : static_cast<char*>(take(out_bytes + 16));
  if (!plan.in_place) cudaMemset(target, 0xff, out_bytes);
  cudaMemcpy(device, source.data(), bytes, cudaMemcpyHostToDevice);
  cufftHandle handle = 0;
  const bool wide_type = sizeof(R) == 8;
  const cufftType type = kind == 0 ? (wide_type ? CUFFT_Z2Z : CUFFT_C2C) : kind == 1 ? (wide_type ? CUFFT_D2Z : CUFFT_R2C) : wide_type ? CUFFT_Z2D : CUFFT_C2R;
  auto sizes = plan.n, of_in = plan.in_embed, of_out = plan.out_embed;
  int status;
  if (many || plan.batch > 1)
    status = cufftPlanMany(&handle, int(rank), sizes.data(), many ? of_in.data() : nullptr, plan.in_stride, plan.in_distance, many ? of_out.data() : nullptr, plan.out_stride, plan.out_distance, type, plan.batch);
  else
    status = rank == 1 ? cufftPlan1d(&handle, sizes[0], type, 1) : rank == 2 ? cufftPlan2d(&handle, sizes[0], sizes[1], type) : cufftPlan3d(&handle, sizes[0], sizes[1], sizes[2], type);
  if (status == 0) {
    if constexpr (sizeof(R) == 4)
      status = kind == 0 ? cufftExecC2C(handle, (cufftComplex*)device, (cufftComplex*)target, sign) : kind == 1 ? cufftExecR2C(handle, (float*)device, (cufftComplex*)target) : cufftExecC2R(handle, (cufftComplex*)device, (float*)target);
    else
      status = kind == 0 ? cufftExecZ2Z(handle, (cufftDoubleComplex*)device, (cufftDoubleComplex*)target, sign) : kind == 1 ? cufftExecD2Z(handle, (double*)device, (cufftDoubleComplex*)target) : cufftExecZ2D(handle, (cufftDoubleComplex*)device, (double*)target);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(result.data(), target, out_bytes, cudaMemcpyDeviceToHost);
  if (handle != 0) cufftDestroy(handle);
  // The reference, of some elements where there are many.
  vector<vector<LC>> factors;
  for (const auto m : n) factors.push_back(twiddles(m, kind == 1 ? -1 : kind == 2 ? 1 : sign));
  const auto& shape = kind == 1 ? half : n;
  int64_t outputs = 1;
  for (const auto m : shape) outputs *= m;
  const int64_t compared = std::min<int64_t>(outputs, std::max<int64_t>(5, 400000 / points));
  Error error;
  for (int b = 0; b < plan.batch; ++b)
    for (int64_t c = 0; c < compared; ++c) {
      const auto k = place(compared == outputs ? c : (c * 2654435761ll + 12345 * b) % outputs, shape);
      LC sum = 0;
      vector<int64_t> x(rank), turn(rank);
      for (int64_t i = 0; i < points; ++i) {
        LC factor = factors.back()[size_t(turn.back())];
        for (size_t d = 0; d + 1 < rank; ++d) factor = times(factor, factors[d][size_t(turn[d])]);
        sum += times(input[size_t(b)][size_t(i)], factor);
        for (size_t d = rank; d-- > 0;) {
          if (++x[d] < n[d]) { turn[d] = (turn[d] + k[d]) % n[d]; break; }
          x[d] = turn[d] = 0;
        }
      }
      const size_t from = size_t(out.at(k, b));
      if (kind == 2) error.add<R>(result[from], sum.real());
      else error.add<T>(T(result[2 * from], result[2 * from + 1]), sum);
    }
  std::string name = kind == 0 ? "C2C" : kind == 1 ? "R2C" : "C2R";
  name += text("<%s>", Kind<R>::name);
  for (const int m : plan.n) name += text(" %d", m);
  name += text(" batch %d sign %d%s%s", plan.batch, sign, plan.in_place ? " in place" : "", many ? " layout" : "");
  const double all = error.of_all(Kind<R>::ulp);
  line(name, status, all, all);
}

template <typename R> void all() {
  const auto every = [](Plan plan) {
    for (const bool in_place : {false, true}) {
      plan.in_place = in_place;
      transform<R>(plan, 0, CUFFT_FORWARD), transform<R>(plan, 0, CUFFT_INVERSE), transform<R>(plan, 1, CUFFT_FORWARD), transform<R>(plan, 2, CUFFT_INVERSE);
    }
  };
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 19, 25, 31, 32, 37, 49, 61, 64, 67, 97, 100, 121, 127, 128, 169, 210, 243, 251, 256, 509, 512, 625, 720, 1000, 1009, 1024, 1331, 1536, 2000, 2401, 4096, 4099, 5000, 6561, 8191, 8192, 10007, 16384, 19683, 32768, 65536, 65537, 100000})
    every({{n}});
  for (const int n : {1, 2, 7, 16, 30, 101, 256})
    for (const int batch : {2, 5}) every({{n}, batch});
  for (const auto& n : vector<vector<int>>{{1, 1}, {1, 8}, {8, 1}, {2, 3}, {4, 4}, {5, 7}, {16, 16}, {17, 32}, {32, 17}, {64, 48}, {100, 99}, {3, 128}, {1, 1, 1}, {2, 3, 4}, {4, 4, 4}, {5, 6, 7}, {8, 16, 32}, {13, 11, 17}, {1, 7, 1}, {16, 1, 9}}) every({n}), every({n, 3});
  for (const int kind : {0, 1, 2})
    for (const int n : {7, 8, 30}) {
      const int sign = kind == 2 ? CUFFT_INVERSE : CUFFT_FORWARD;
      transform<R>({{n}, 3, false, {n}, {n}, 2, 2 * n + 5, 3, 3 * n + 1}, kind, sign);
      transform<R>({{n}, 3, false, {n}, {n}, 3, 1, 3, 1}, kind, sign);  // columns of a matrix
      transform<R>({{6, n}, 2, false, {7, n + 2}, {6, n + 3}, 1, 9 * (n + 4), 2, 20 * (n + 4)}, kind, sign);
      transform<R>({{3, 4, n}, 2, false, {3, 5, n + 2}, {4, 4, n + 3}, 2, 50 * (n + 4), 1, 20 * (n + 4)}, kind, sign);
    }
}

static void refused() {
  cufftHandle handle = 0;
  const auto tell = [](const char* what, int status) { line(what, status, 0, 0); };
  tell("size 0", cufftPlan1d(&handle, 0, CUFFT_C2C, 1));
  tell("size -3", cufftPlan1d(&handle, -3, CUFFT_C2C, 1));
  tell("batch 0", cufftPlan1d(&handle, 8, CUFFT_C2C, 0));
  tell("batch -1", cufftPlan1d(&handle, 8, CUFFT_C2C, -1));
  tell("type 0", cufftPlan1d(&handle, 8, cufftType(0), 1));
  tell("2d size 0", cufftPlan2d(&handle, 8, 0, CUFFT_C2C));
  tell("3d size 0", cufftPlan3d(&handle, 8, 4, 0, CUFFT_C2C));
  int n[4] = {2, 2, 2, 2}, bad[1] = {0};
  tell("rank 0", cufftPlanMany(&handle, 0, n, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1));
  tell("rank 4", cufftPlanMany(&handle, 4, n, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1));
  tell("sizes null", cufftPlanMany(&handle, 1, nullptr, nullptr, 1, 1, nullptr, 1, 1, CUFFT_C2C, 1));
  tell("embed 0", cufftPlanMany(&handle, 1, n, bad, 1, 1, bad, 1, 1, CUFFT_C2C, 1));
  tell("stride 0", cufftPlanMany(&handle, 1, n, n, 0, 2, n, 1, 2, CUFFT_C2C, 1));
  tell("destroy none", cufftDestroy(999));
  char* data = static_cast<char*>(take(1024));
  auto* c = reinterpret_cast<cufftComplex*>(data);
  tell("exec none", cufftExecC2C(999, c, c, CUFFT_FORWARD));
  tell("create", cufftCreate(&handle));
  tell("exec unmade", cufftExecC2C(handle, c, c, CUFFT_FORWARD));
  size_t work = 0;
  tell("make", cufftMakePlan1d(handle, 8, CUFFT_C2C, 1, &work));
  tell("make again", cufftMakePlan1d(handle, 8, CUFFT_C2C, 1, &work));
  tell("exec other type", cufftExecR2C(handle, reinterpret_cast<float*>(data), c));
  tell("exec double", cufftExecZ2Z(handle, reinterpret_cast<cufftDoubleComplex*>(data), reinterpret_cast<cufftDoubleComplex*>(data), CUFFT_FORWARD));
  tell("direction 0", cufftExecC2C(handle, c, c, 0));
  tell("direction 5", cufftExecC2C(handle, c, c, 5));
  tell("null", cufftExecC2C(handle, nullptr, c, CUFFT_FORWARD));
  tell("size", cufftGetSize(handle, &work));
  tell("stream", cufftSetStream(handle, nullptr));
  tell("work area null", cufftSetWorkArea(handle, nullptr));
  tell("auto allocation", cufftSetAutoAllocation(handle, 0));
  tell("estimate", cufftEstimate1d(1000, CUFFT_C2C, 4, &work));
  tell("estimate 0", cufftEstimate1d(0, CUFFT_C2C, 4, &work));
  tell("destroy", cufftDestroy(handle));
  tell("destroy again", cufftDestroy(handle));
}

/// Half precision, in powers of two.
static void halves() {
  for (const int n : {1, 2, 4, 8, 64, 512, 4096})
    for (const int kind : {0, 1, 2})
      for (const int batch : {1, 3}) {
        Case one;
        const int m = n / 2 + 1, in = kind == 2 ? m : n, out = kind == 1 ? m : n;
        vector<vector<LC>> full(batch, vector<LC>(n));
        Array<__half> source(size_t(in) * batch * (kind == 1 ? 1 : 2)), target(size_t(out) * batch * (kind == 2 ? 1 : 2), false);
        for (int b = 0; b < batch; ++b)
          for (int i = 0; i < n; ++i) {
            const auto number_at = [&](size_t at) { return wide(source.host[at]); };
            auto& v = full[size_t(b)][size_t(i)];
            if (kind == 1) { v = number_at(size_t(b * n + i)); continue; }
            const int k = kind == 2 && i >= m ? n - i : i;
            auto& imaginary = source.host[2 * size_t(b * in + k) + 1];
            if (kind == 2 && (k == 0 || 2 * k == n)) imaginary = __float2half(0);
            v = LC(number_at(2 * size_t(b * in + k)), wide(imaginary));
            if (k != i) v = std::conj(v);
          }
        source.put();
        cufftHandle handle = 0;
        cufftCreate(&handle);
        long long size = n;
        size_t work = 0;
        int status = cufftXtMakePlanMany(handle, 1, &size, nullptr, 1, 1, kind == 1 ? CUDA_R_16F : CUDA_C_16F, nullptr, 1, 1, kind == 2 ? CUDA_R_16F : CUDA_C_16F, batch, &work, CUDA_C_16F);
        const int sign = kind == 2 ? CUFFT_INVERSE : CUFFT_FORWARD;
        if (status == 0) status = cufftXtExec(handle, source.device, target.device, sign);
        cufftDestroy(handle);
        const auto w = twiddles(n, sign);
        const auto got = target.get();
        Error error;
        for (int b = 0; b < batch; ++b)
          for (int k = 0; k < out; ++k) {
            LC sum = 0;
            for (int i = 0; i < n; ++i) sum += times(full[size_t(b)][size_t(i)], w[size_t(int64_t(i) * k % n)]);
            if (kind == 2) error.part(wide(got[size_t(b * out + k)]), sum.real(), std::abs(sum.real()), 0x1p-10);
            else error.part(wide(got[2 * size_t(b * out + k)]), sum.real(), std::abs(sum), 0x1p-10), error.part(wide(got[2 * size_t(b * out + k) + 1]), sum.imag(), std::abs(sum), 0x1p-10);
          }
        const double all = status == 0 ? error.of_all(0x1p-10) : 0;
        line(text("half kind %d size %d batch %d", kind, n, batch), status, all, all);
      }
}

int main(int count, char**) {
  begin();
  if (count > 1) halves();
  else all<float>(), all<double>(), refused();
  return end();
}
