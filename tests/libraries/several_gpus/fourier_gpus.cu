// cuFFT on several GPUs: which element lies where in each format, before and behind a transform, what copies do, what the library knows of a
// one-dimensional transform, and which statuses wrong calls have.   fourier_gpus [GPUS [SECTION]]
#include <cufft.h>
#include <cufftXt.h>

#include <algorithm>
#include <tuple>

#include "../cases.h"

static int gpus = 2;
static vector<int> which;

struct Shape {
  vector<int> n;
  int batch = 1;
  int64_t points() const { int64_t all = 1; for (const int one : n) all *= one; return all; }
  std::string name() const {
    std::string all;
    for (const int one : n) all += text("%s%d", all.empty() ? "" : "x", one);
    return batch == 1 ? all : all + text(" %d times", batch);
  }
};
static bool real_in(cufftType t) { return t == CUFFT_R2C || t == CUFFT_D2Z; }
static bool real_out(cufftType t) { return t == CUFFT_C2R || t == CUFFT_Z2D; }
static bool wide(cufftType t) { return t == CUFFT_Z2Z || t == CUFFT_D2Z || t == CUFFT_Z2D; }
static const char* name_of(cufftType t) { return t == CUFFT_C2C ? "C2C" : t == CUFFT_R2C ? "R2C" : t == CUFFT_C2R ? "C2R" : t == CUFFT_Z2Z ? "Z2Z" : t == CUFFT_D2Z ? "D2Z" : "Z2D"; }
static int make(cufftHandle plan, const Shape& s, cufftType type, size_t* work) {
  auto n = s.n;
  if (s.batch > 1) return cufftMakePlanMany(plan, int(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0, type, s.batch, work);
  if (n.size() == 1) return cufftMakePlan1d(plan, n[0], type, 1, work);
  return n.size() == 2 ? cufftMakePlan2d(plan, n[0], n[1], type, work) : cufftMakePlan3d(plan, n[0], n[1], n[2], type, work);
}

/// Numbers as a host has them: each is twice its index, or the index where it is complex and the other part the negative one, in the type's reals.
static vector<double> ramp(int64_t reals) {
  vector<double> all;
  for (int64_t i = 0; i < reals; ++i) all.push_back(i % 2 ? -double(i / 2) : double(i / 2));
  return all;
}
static vector<char> packed(const vector<double>& from, bool is_wide) {
  vector<char> bytes(from.size() * (is_wide ? 8 : 4));
  for (size_t i = 0; i < from.size(); ++i) {
    if (is_wide) reinterpret_cast<double*>(bytes.data())[i] = from[i];
    else reinterpret_cast<float*>(bytes.data())[i] = float(from[i]);
  }
  return bytes;
}
static vector<double> unpacked(const vector<char>& bytes, bool is_wide) {
  vector<double> all(bytes.size() / (is_wide ? 8 : 4));
  for (size_t i = 0; i < all.size(); ++i) all[i] = is_wide ? reinterpret_cast<const double*>(bytes.data())[i] : reinterpret_cast<const float*>(bytes.data())[i];
  return all;
}

/// What lies on each GPU: runs of complex elements that follow each other, "first+count", of what `of` (complex, sorted below) has at which place.
static std::string runs(const vector<int64_t>& at) {
  std::string all;
  int shown = 0;
  for (size_t i = 0; i < at.size();) {
    size_t count = 1;
    while (i + count < at.size() && at[i + count] == at[i] + int64_t(at[i] >= 0 ? count : 0)) ++count;
    if (++shown > 40) return all + text(" ... of %zu", at.size());
    all += text(" %lld+%zu", (long long)at[i], count);
    i += count;
  }
  return all;
}
static vector<Z> complexes(const vector<double>& reals) {
  vector<Z> all;
  for (size_t i = 0; i + 1 < reals.size(); i += 2) all.emplace_back(reals[i], reals[i + 1]);
  return all;
}
static std::string found(const vector<Z>& on_gpu, const vector<Z>& reference, double tolerance) {
  vector<size_t> order(reference.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return reference[a].real() < reference[b].real(); });
  vector<int64_t> at;
  for (const Z& one : on_gpu) {
    auto from = std::lower_bound(order.begin(), order.end(), one.real() - tolerance, [&](size_t a, double x) { return reference[a].real() < x; });
    int64_t place = -1;
    double nearest = tolerance;
    for (; from != order.end() && reference[*from].real() <= one.real() + tolerance; ++from)
      if (const double apart = std::abs(reference[*from] - one); apart <= nearest) place = int64_t(*from), nearest = apart;
    at.push_back(place);
  }
  return runs(at);
}
static vector<vector<double>> on_gpus(const cudaLibXtDesc* d, bool is_wide) {
  vector<vector<double>> all;
  for (int i = 0; i < d->descriptor->nGPUs; ++i) {
    vector<char> bytes(d->descriptor->size[i]);
    cudaSetDevice(d->descriptor->GPUs[i]);
    cudaDeviceSynchronize();
    cudaMemcpy(bytes.data(), d->descriptor->data[i], bytes.size(), cudaMemcpyDeviceToHost);
    all.push_back(unpacked(bytes, is_wide));
  }
  cudaSetDevice(0);
  return all;
}
static std::string described(const cudaLibXtDesc* d) {
  std::string all = text("version %d library %d format %d, of %d GPUs:", d->version == d->descriptor->version, d->library, d->subFormat, d->descriptor->nGPUs);
  for (int i = 0; i < d->descriptor->nGPUs; ++i) all += text(" %d has %zu", d->descriptor->GPUs[i], d->descriptor->size[i]);
  return all;
}
static double apart(const vector<double>& a, const vector<double>& b) {
  double most = 0, largest = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i])), largest = std::max(largest, std::abs(b[i]));
  return most / std::max(largest, 1e-300);
}
static void show(const std::string& name, int status, const cudaLibXtDesc* d, bool is_wide, const vector<Z>& reference, double tolerance) {
  line(name, status, 0, 0, d == nullptr ? "" : described(d));
  if (d == nullptr) return;
  const auto all = on_gpus(d, is_wide);
  for (size_t i = 0; i < all.size(); ++i) line(name + text(" on %zu", i), 0, 0, 0, found(complexes(all[i]), reference, tolerance));
}

/// One shape and type: a descriptor of each format, a ramp copied to it, transforms of random numbers there and back, copies.
static void layouts(const Shape& s, cufftType type) {
  const std::string name = text("%s %s", name_of(type), s.name().c_str());
  const bool is_wide = wide(type);
  cufftHandle plan;
  cufftCreate(&plan);
  size_t work[16] = {};
  const int set = cufftXtSetGPUs(plan, gpus, which.data());
  const int made = make(plan, s, type, work);
  line(name, made, 0, 0, text("set %d", set));
  if (made != 0) return (void)cufftDestroy(plan);
  if (s.n.size() == 1 && s.batch == 1) {
    cufftXt1dFactors f = {};
    const int status = cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS);
    line(name + " factors", status, 0, 0, text("size %lld strings %lld of %lld, substrings of %lld, factors %lld %lld masks %llx %llx %llx %llx shifts %d %d %d %d", f.size, f.stringCount, f.stringLength,
         f.substringLength, f.factor1, f.factor2, f.stringMask, f.substringMask, f.factor1Mask, f.factor2Mask, f.stringShift, f.substringShift, f.factor1Shift, f.factor2Shift));
  }
  const int64_t half = real_in(type) || real_out(type) ? s.points() / s.n.back() * (s.n.back() / 2 + 1) : s.points();
  const int64_t complex = half * s.batch;
  const auto straight = ramp(2 * complex);
  const auto bytes = packed(straight, is_wide);
  for (int format = 0; format < 8; ++format) {
    cudaLibXtDesc* d = nullptr;
    int status = cufftXtMalloc(plan, &d, cufftXtSubFormat(format));
    if (status != 0) {
      line(name + text(" format %d", format), status, 0, 0, "no memory");
      continue;
    }
    const int copied = cufftXtMemcpy(plan, d, const_cast<char*>(bytes.data()), CUFFT_COPY_HOST_TO_DEVICE);
    show(name + text(" format %d copied", format), copied, d, is_wide, complexes(straight), 0.25);
    vector<char> back(bytes.size());
    const int returned = cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST);
    line(name + text(" format %d back", format), returned, 0, 0, text("the same %d", back == bytes));
    for (const int other : {2, 3, 4}) {
      cudaLibXtDesc* to = nullptr;
      if (cufftXtMalloc(plan, &to, cufftXtSubFormat(other)) != 0) continue;
      const int moved = cufftXtMemcpy(plan, to, d, CUFFT_COPY_DEVICE_TO_DEVICE);
      show(name + text(" format %d to %d", format, other), moved, to, is_wide, complexes(straight), 0.25);
      cufftXtFree(to);
    }
    cufftXtFree(d);
  }
  // A transform of random numbers, beside the same one on one GPU.
  seed_now = 17;
  vector<double> random;
  for (int64_t i = 0; i < 2 * complex; ++i) random.push_back(number());
  const auto given = packed(random, is_wide);
  for (const int sign : {-1, 1}) {
    if (real_in(type) && sign == 1) continue;
    if (real_out(type) && sign == -1) continue;
    cufftHandle alone;
    cufftCreate(&alone);
    make(alone, s, type, work);
    char* memory;
    cudaMalloc(&memory, given.size());
    cudaMemcpy(memory, given.data(), given.size(), cudaMemcpyHostToDevice);
    const int one = cufftXtExec(alone, memory, memory, sign);
    vector<char> reference(given.size());
    cudaMemcpy(reference.data(), memory, given.size(), cudaMemcpyDeviceToHost);
    cudaFree(memory), cufftDestroy(alone);
    const auto values = unpacked(reference, is_wide);
    for (const int format : {2, 3, 4, 0}) {
      cudaLibXtDesc* d = nullptr;
      const std::string what = name + text(" sign %d of format %d", sign, format);
      if (cufftXtMalloc(plan, &d, cufftXtSubFormat(format)) != 0) continue;
      cufftXtMemcpy(plan, d, const_cast<char*>(given.data()), CUFFT_COPY_HOST_TO_DEVICE);
      const int status = cufftXtExecDescriptor(plan, d, d, sign);
      show(what, status * 100 + one, status == 0 ? d : nullptr, is_wide, complexes(values), is_wide ? 1e-9 : 2e-3);
      if (status == 0) {
        vector<char> back(given.size());
        const int returned = cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST);
        auto got = unpacked(back, is_wide), want = values;
        if (real_out(type))  // what lies behind each line's real numbers is nobody's
          for (size_t i = 0; i < got.size(); ++i) if (int64_t(i) % (2 * (s.n.back() / 2 + 1)) >= s.n.back()) got[i] = want[i] = 0;
        line(what + " back", returned, 0, 0, text("right %d", apart(got, want) < (is_wide ? 1e-12 : 1e-4)));
        cudaLibXtDesc* natural = nullptr;
        cufftXtMalloc(plan, &natural, CUFFT_XT_FORMAT_INPLACE);
        const int moved = cufftXtMemcpy(plan, natural, d, CUFFT_COPY_DEVICE_TO_DEVICE);
        show(what + " moved", moved, natural, is_wide, complexes(values), is_wide ? 1e-9 : 2e-3);
        cufftXtFree(natural);
        if (!real_in(type) && !real_out(type)) {
          const int again = cufftXtExecDescriptor(plan, d, d, -sign);
          const int last = cufftXtMemcpy(plan, back.data(), d, CUFFT_COPY_DEVICE_TO_HOST);
          auto scaled = random;
          for (double& x : scaled) x *= double(s.points());
          line(what + " and back", again * 100 + last, 0, 0, text("right %d, ", apart(unpacked(back, is_wide), scaled) < (is_wide ? 1e-12 : 1e-4)) + described(d));
        }
      }
      cufftXtFree(d);
    }
  }
  cufftDestroy(plan);
}

#define IS(what, ...) line(std::string("refused ") + what, int(__VA_ARGS__), 0, 0)
static cufftHandle planned(const Shape& s, cufftType type, int count) {
  cufftHandle plan;
  size_t work[16];
  cufftCreate(&plan);
  if (count > 0) cufftXtSetGPUs(plan, count, which.data());
  make(plan, s, type, work);
  return plan;
}
static void refusals(int section) {
  size_t work[16] = {};
  cufftHandle plan;
  cufftCreate(&plan);
  cudaLibXtDesc* d = nullptr;
  vector<float> host(1 << 16);
  if (section == 0) {
    const auto set = [&](vector<int> list, int count) {
      cufftHandle one;
      cufftCreate(&one);
      const int status = cufftXtSetGPUs(one, count, list.data());
      return cufftDestroy(one), status;
    };
    IS("GPUs none", set(which, 0)), IS("GPUs -1", set(which, -1)), IS("GPUs one", set(which, 1)), IS("GPUs twice the same", set({0, 0}, 2)), IS("GPUs 99", set({0, 99}, 2));
    IS("GPUs -1 by number", set({0, -1}, 2)), IS("GPUs in turn", set({1, 0}, 2)), IS("GPUs 17", set(vector<int>(17, 0), 17));
    IS("GPUs of no plan", cufftXtSetGPUs(987654, 2, which.data()));
    IS("GPUs set", cufftXtSetGPUs(plan, gpus, which.data())), IS("GPUs set again", cufftXtSetGPUs(plan, gpus, which.data()));
    IS("malloc before the plan is made", cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
    IS("memcpy before the plan is made", cufftXtMemcpy(plan, host.data(), host.data(), CUFFT_COPY_HOST_TO_DEVICE));
    IS("exec before the plan is made", cufftXtExecDescriptor(plan, nullptr, nullptr, -1));
    cufftXt1dFactors f = {};
    IS("query before the plan is made", cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS));
    IS("made", cufftMakePlan1d(plan, 1024, CUFFT_C2C, 1, work));
    IS("GPUs behind the plan", cufftXtSetGPUs(plan, gpus, which.data()));
    IS("query of nothing", cufftXtQueryPlan(plan, &f, CUFFT_QUERY_UNDEFINED));
    IS("query of two dimensions", cufftXtQueryPlan(planned({{64, 64}}, CUFFT_C2C, gpus), &f, CUFFT_QUERY_1D_FACTORS));
    IS("query of one GPU", cufftXtQueryPlan(planned({{1024}}, CUFFT_C2C, 0), &f, CUFFT_QUERY_1D_FACTORS));
    IS("malloc of one GPU", cufftXtMalloc(planned({{1024}}, CUFFT_C2C, 0), &d, CUFFT_XT_FORMAT_INPLACE));
    IS("malloc to null", cufftXtMalloc(plan, nullptr, CUFFT_XT_FORMAT_INPLACE));
  }
  if (section == 1) {  // which shapes
    for (const auto type : {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_D2Z})
      for (const Shape& s : vector<Shape>{{{1}}, {{2}}, {{8}}, {{16}}, {{31}}, {{32}}, {{63}}, {{64}}, {{100}}, {{1000}}, {{1022}}, {{1021}}, {{2048}}, {{4096}}, {{3000}}, {{15625}}, {{65536}}, {{16, 16}}, {{31, 64}}, {{32, 32}}, {{33, 35}},
                                          {{64, 31}}, {{37, 41}}, {{127, 64}}, {{64, 128}}, {{32, 32, 32}}, {{16, 32, 32}}, {{32, 16, 32}}, {{32, 32, 16}}, {{33, 34, 35}}, {{16}, 2}, {{1024}, 2}, {{1024}, 3}, {{7}, 5}, {{8, 8}, 4}, {{4, 4, 4}, 2}}) {
        cufftHandle one;
        cufftCreate(&one);
        cufftXtSetGPUs(one, gpus, which.data());
        line(text("refused %s %s", name_of(type), s.name().c_str()), make(one, s, type, work), 0, 0);
        cufftDestroy(one);
      }
  }
  if (section == 2) {
    cufftXtSetGPUs(plan, gpus, which.data()), cufftMakePlan1d(plan, 1024, CUFFT_C2C, 1, work);
    IS("malloc", cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE));
    IS("copy of no kind", cufftXtMemcpy(plan, d, host.data(), CUFFT_COPY_UNDEFINED));
    IS("exec direction 0", cufftXtExecDescriptorC2C(plan, d, d, 0));
    IS("exec of another type", cufftXtExecDescriptorZ2Z(plan, d, d, -1));
    IS("exec of real numbers", cufftXtExecDescriptorR2C(plan, d, d));
    cudaLibXtDesc* other = nullptr;
    cufftXtMalloc(plan, &other, CUFFT_XT_FORMAT_INPLACE);
    IS("exec out of place", cufftXtExecDescriptorC2C(plan, d, other, -1));
    size_t sizes[16] = {};
    IS("size", cufftGetSize(plan, sizes));
    IS("work area by itself", cufftSetAutoAllocation(plan, 0));
    IS("free", cufftXtFree(d)), IS("free of null", cufftXtFree(nullptr));
    IS("destroy", cufftDestroy(plan)), IS("free behind the plan", cufftXtFree(other));
  }
  if (section == 3) {
    cufftXtSetGPUs(plan, gpus, which.data());
    int n[] = {64, 64}, embed[] = {64, 80};
    IS("layout of one's own", cufftMakePlanMany(plan, 2, n, embed, 1, 64 * 80, embed, 1, 64 * 80, CUFFT_C2C, 1, work));
    cufftHandle plain;
    cufftCreate(&plain), cufftXtSetGPUs(plain, gpus, which.data());
    IS("layout without gaps", cufftMakePlanMany(plain, 2, n, n, 1, 64 * 64, n, 1, 64 * 64, CUFFT_C2C, 1, work));
    cufftHandle strided;
    cufftCreate(&strided), cufftXtSetGPUs(strided, gpus, which.data());
    int many[] = {64};
    IS("batch with strides", cufftMakePlanMany(strided, 1, many, many, 4, 1, many, 4, 1, CUFFT_C2C, 4, work));
    cufftHandle streamed;
    cufftCreate(&streamed);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    IS("stream before GPUs", cufftSetStream(streamed, stream)), IS("GPUs behind the stream", cufftXtSetGPUs(streamed, gpus, which.data()));
  }
  if (section == 4) {
    cufftXtSetGPUs(plan, gpus, which.data()), cufftMakePlan1d(plan, 1024, CUFFT_C2C, 1, work);
    cufftComplex* memory;
    cudaMalloc(&memory, 1024 * 8);
    IS("pointers of one GPU", cufftExecC2C(plan, memory, memory, -1));
    IS("exec of null", cufftXtExecDescriptorC2C(plan, nullptr, nullptr, -1));
  }
  if (section == 5) {
    cufftXtSetGPUs(plan, gpus, which.data()), cufftMakePlan1d(plan, 1024, CUFFT_C2C, 1, work);
    IS("copy of null", cufftXtMemcpy(plan, nullptr, host.data(), CUFFT_COPY_HOST_TO_DEVICE));
  }
  // Each of these may fault, and is a process of its own.
  if (section >= 30 && section < 40) {
    cufftXtSetGPUs(plan, gpus, which.data()), cufftMakePlan1d(plan, 1024, CUFFT_C2C, 1, work);
    cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
    if (section == 30) IS("copy of null to the host", cufftXtMemcpy(plan, host.data(), nullptr, CUFFT_COPY_DEVICE_TO_HOST));
    if (section == 31) IS("copy to a host's null", cufftXtMemcpy(plan, nullptr, d, CUFFT_COPY_DEVICE_TO_HOST));
    if (section == 32) IS("copy from a host's null", cufftXtMemcpy(plan, d, nullptr, CUFFT_COPY_HOST_TO_DEVICE));
    if (section == 33) IS("copy of null between GPUs", cufftXtMemcpy(plan, d, nullptr, CUFFT_COPY_DEVICE_TO_DEVICE));
    if (section == 34) IS("copy to null between GPUs", cufftXtMemcpy(plan, nullptr, d, CUFFT_COPY_DEVICE_TO_DEVICE));
    if (section == 35) IS("exec from null", cufftXtExecDescriptorC2C(plan, nullptr, d, -1));
    if (section == 36) IS("exec to null", cufftXtExecDescriptorC2C(plan, d, nullptr, -1));
    if (section == 37) IS("query into null", cufftXtQueryPlan(plan, nullptr, CUFFT_QUERY_1D_FACTORS));
    if (section == 38) IS("GPUs from null", cufftXtSetGPUs(planned({{64}}, CUFFT_C2C, 0), gpus, nullptr));
    if (section == 39) IS("XtExec of several GPUs", cufftXtExec(plan, d, d, -1));
  }
  if (section == 40) {  // plans by 64-bit sizes and types of their own
    for (const auto& [what, in, out, exec] : vector<std::tuple<const char*, cudaDataType, cudaDataType, cudaDataType>>{
             {"C2C", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {"Z2Z", CUDA_C_64F, CUDA_C_64F, CUDA_C_64F}, {"halves", CUDA_C_16F, CUDA_C_16F, CUDA_C_16F},
             {"bf16", CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF}, {"D2Z", CUDA_R_64F, CUDA_C_64F, CUDA_C_64F}}) {
      long long size[2] = {64, 64};
      cufftHandle xt;
      cufftCreate(&xt), cufftXtSetGPUs(xt, gpus, which.data());
      IS(text("64-bit plan of %s", what), cufftXtMakePlanMany(xt, 2, size, nullptr, 1, 0, in, nullptr, 1, 0, out, 1, work, exec));
      cudaLibXtDesc* memory = nullptr;
      const int status = cufftXtMalloc(xt, &memory, CUFFT_XT_FORMAT_INPLACE);
      line(text("refused memory of a 64-bit plan of %s", what), status, 0, 0, status == 0 ? described(memory) : "");
    }
  }
  if (section == 41 || section == 42) {  // lengths of one dimension: what the library knows of them, and what it takes
    for (int64_t n = 32; n <= 1 << 28; n *= 2) {
      cufftHandle one;
      cufftCreate(&one), cufftXtSetGPUs(one, gpus, which.data());
      const int made = cufftMakePlan1d(one, int(n), section == 41 ? CUFFT_C2C : CUFFT_Z2Z, 1, work);
      cufftXt1dFactors f = {};
      const int status = made == 0 ? cufftXtQueryPlan(one, &f, CUFFT_QUERY_1D_FACTORS) : 0;
      line(text("factors of %lld %s", (long long)n, section == 41 ? "floats" : "doubles"), made * 100 + status, 0, 0, text("size %lld strings %lld of %lld, substrings of %lld, factors %lld %lld masks %llx %llx %llx %llx shifts %d %d %d %d", f.size, f.stringCount, f.stringLength,
           f.substringLength, f.factor1, f.factor2, f.stringMask, f.substringMask, f.factor1Mask, f.factor2Mask, f.stringShift, f.substringShift, f.factor1Shift, f.factor2Shift));
      cufftDestroy(one);
    }
  }
  if (section == 6) {
    cufftXtSetGPUs(plan, 2, which.data()), cufftMakePlan2d(plan, 64, 64, CUFFT_C2C, work);
    cufftXtMalloc(planned({{32, 32}}, CUFFT_C2C, 2), &d, CUFFT_XT_FORMAT_INPLACE);
    IS("copy of another plan's memory", cufftXtMemcpy(plan, d, host.data(), CUFFT_COPY_HOST_TO_DEVICE));
    IS("exec of another plan's memory", cufftXtExecDescriptorC2C(plan, d, d, -1));
  }
}

int main(int count, char** words) {
  begin();
  if (count > 1) gpus = std::atoi(words[1]);
  for (int i = 0; i < gpus; ++i) which.push_back(i);
  const int section = count > 2 ? std::atoi(words[2]) : -1;
  const auto is = [&](int one) { return section < 0 || section == one; };
  for (const int one : {0, 1, 2, 3, 4, 5, 6, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42}) if (is(one)) refusals(one);
  if (is(10)) for (const int n : {64, 128, 1024, 4096}) layouts({{n}}, CUFFT_Z2Z);
  if (is(11)) for (const int n : {100, 1000, 96, 1296, 8192}) layouts({{n}}, CUFFT_Z2Z);
  if (is(12)) for (const Shape& s : vector<Shape>{{{32, 32}}, {{33, 35}}, {{64, 37}}}) layouts(s, CUFFT_Z2Z);
  if (is(13)) for (const Shape& s : vector<Shape>{{{32, 32, 32}}, {{33, 34, 35}}}) layouts(s, CUFFT_Z2Z);
  if (is(14)) for (const auto type : {CUFFT_D2Z, CUFFT_Z2D}) for (const Shape& s : vector<Shape>{{{32, 32}}, {{33, 35}}, {{33, 34, 36}}}) layouts(s, type);
  if (is(15)) for (const Shape& s : vector<Shape>{{{64}, 3}, {{8, 9}, 5}, {{64}, 4}}) layouts(s, CUFFT_Z2Z);
  if (is(16)) for (const auto type : {CUFFT_D2Z, CUFFT_Z2D}) for (const Shape& s : vector<Shape>{{{64}, 3}, {{8, 9}, 5}}) layouts(s, type);
  if (is(17)) layouts({{1024}}, CUFFT_C2C), layouts({{32, 48}}, CUFFT_C2C), layouts({{32, 48}}, CUFFT_R2C), layouts({{32, 48}}, CUFFT_C2R);
  if (is(18)) for (const int n : {64, 1024}) layouts({{n}}, CUFFT_D2Z), layouts({{n}}, CUFFT_Z2D);
  if (is(19)) for (const int n : {256, 512}) layouts({{n}}, CUFFT_Z2Z);
  if (is(20)) for (const int n : {2048, 16384}) layouts({{n}}, CUFFT_Z2Z);
  if (is(21)) layouts({{32768}}, CUFFT_Z2Z);
  if (is(22)) layouts({{65536}}, CUFFT_Z2Z);
  if (is(23)) for (const Shape& s : vector<Shape>{{{64}, 2}, {{64}, 6}, {{32}, 7}, {{16, 4, 4}, 3}}) layouts(s, CUFFT_Z2Z);
  if (is(24)) for (const Shape& s : vector<Shape>{{{40, 33}}, {{37, 64}}, {{35, 33, 34}}, {{32, 34, 7}}}) layouts(s, CUFFT_Z2Z);
  if (is(25)) for (const auto type : {CUFFT_D2Z, CUFFT_Z2D}) for (const Shape& s : vector<Shape>{{{35, 46}}, {{34, 33, 7}}, {{32, 32, 32}}}) layouts(s, type);
  return end();
}
