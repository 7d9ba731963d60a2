// cuFFT on two GPUs: where elements lie before and behind a transform and what its copies do is what two H100s had (tests/libraries/several_gpus/fourier_gpus.cu);
// results are those of one GPU. Then mistakes: work that does not wait, memory of another plan, a copy that copies nothing.
// long
// build: -lcufft
// case: --gpus 2 --sanitize memcheck,initcheck,streamcheck -- right :: 0
// out: (?m)^64: strings 2 of 32, substrings of 8, factors 16 4, masks 1f 7 f 3, shifts 5 3 4 2$
// out: (?m)^8192: strings 8 of 1024, substrings of 32, factors 256 32, masks 3ff 1f ff 1f, shifts 10 5 8 5$
// out: (?m)^1D in: 0 1 32 33, then 0 1 16 17 \| 8 9 24 25, natural again 0 1 2 3 \| 32 33 34 35, given shuffled 0 1 4 5 \| 2 3 6 7$
// out: (?m)^2D behind: 0 1 2 3 \| 18 19 20 21, bytes 4760 and 4488$
// out: (?m)^wrong: 0 of 13 transforms, 0 of 8 copies$
// err: cufftXtExecDescriptorC2C +33 x 35
// case: --gpus 2 -- refused :: 0
// out: (?m)^GPUs: one 4, unknown 11, twice 0, of no plan 1; sizes 8 8 8 8, right 0 0 0$
// out: (?m)^formats: 4 4 1 0; copies 4 3 3 3; exec: direction 4, type 1, null 1, another's memory 4, one pointer 3; query 4 1; free of null 0$
// What four and three H100s had.
// case: --gpus 4 --sanitize memcheck,initcheck -- more :: 0
// out: (?m)^2048: strings 16 of 128, substrings of 8, factors 128 16, masks 7f 7 7f f, shifts 7 3 7 4$
// out: (?m)^2097152: strings 16 of 131072, substrings of 256, factors 4096 512, masks 1ffff ff fff 1ff, shifts 17 8 12 9$
// out: (?m)^256: strings 4 of 64, substrings of 8, factors 32 8, masks 3f 7 1f 7, shifts 6 3 5 3$
// out: (?m)^4: wrong 0 of 8$
// out: (?m)^3: wrong 0 of 14; plan 8, size 1, memory to null 4, to nobody 1, no copy 4, copy 5$
// out: (?m)^nulls: GPUs 4, to the host's 5, from the host's 5, to no descriptor 4; halves 7, memory 1; fewer of a batch than GPUs: copied on 4$
// case: --gpus 2 --sanitize streamcheck -- waits :: 0
// case: --gpus 2 --sanitize streamcheck -- late :: 1
// err: error: streamcheck: twice\(float2\*, int\) \(launch 1\) in stream #2 writes 4096 bytes of 'cufftXtMalloc #1' that cufftXtExecDescriptorC2C in stream #1 may still be writing, and nothing orders the two
// case: --gpus 2 -- batch :: 1
// out: (?m)^batch: 0, right 1$
// err: cufftXtMemcpy: of transforms in a batch nothing is copied from GPU to GPU, though CUFFT_SUCCESS is returned \(called by cufft_gpus\.cu:@HERE: batch@
// case: --gpus 2 -- strided :: 3
// err: unsupported: a cuFFT plan of several GPUs with a layout of its own, called by cufft_gpus\.cu:@HERE: strided@
// case: --gpus 2 -- torn :: 0
// out: (?m)^torn: 4 4 4 4, free 0$
// case: --gpus 2 -- freed :: 4
// err: 'input' is 'cufftXtMalloc #1', which was freed
// case: -- asks :: 0
// out: (?m)^asks 11$
// err: note: the program asks for device 1 and has one GPU: --gpus 2 gives it more
#include <cufftXt.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <string>
#include <vector>

using std::vector;
using C = std::complex<float>;
static int which[] = {0, 1, 2, 3}, gpus = 2, wrong_transforms, transforms, wrong_copies, copies;
static size_t work[4];

static cufftHandle plan_of(vector<int> n, cufftType type, int batch = 1) {
  cufftHandle plan;
  cufftCreate(&plan);
  cufftXtSetGPUs(plan, gpus, which);
  if (batch > 1 ? cufftMakePlanMany(plan, int(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0, type, batch, work) : n.size() == 1 ? cufftMakePlan1d(plan, n[0], type, 1, work) : n.size() == 2
      ? cufftMakePlan2d(plan, n[0], n[1], type, work) : cufftMakePlan3d(plan, n[0], n[1], n[2], type, work)) std::printf("no plan\n");
  return plan;
}
static vector<C> numbers(size_t count) {
  vector<C> all;
  unsigned state = 7;
  const auto next = [&] { return float(int((state = state * 1664525u + 1013904223u) >> 8) % 1000) / 500 - 1; };
  for (size_t i = 0; i < count; ++i) all.emplace_back(next(), next());
  return all;
}
static vector<C> on_one(vector<int> n, cufftType type, int sign, vector<C> from, int batch = 1) {
  cufftHandle plan;
  cufftPlanMany(&plan, int(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0, type, batch);
  C* memory;
  cudaMalloc(&memory, from.size() * sizeof(C));
  cudaMemcpy(memory, from.data(), from.size() * sizeof(C), cudaMemcpyHostToDevice);
  cufftXtExec(plan, memory, memory, sign);
  cudaMemcpy(from.data(), memory, from.size() * sizeof(C), cudaMemcpyDeviceToHost);
  cudaFree(memory);
  cufftDestroy(plan);
  return from;
}
static bool near(const vector<C>& a, const vector<C>& b, float scale, int line = 0, int real = 0) {
  float most = 0, largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (line > 0 && int(2 * i) % (2 * line) + 1 >= real) continue;  // what pads lines of real numbers
    most = std::max(most, std::abs(a[i] - b[i] * scale)), largest = std::max(largest, std::abs(b[i] * scale));
  }
  return most < 1e-4f * largest;
}
static vector<C> back_of(cufftHandle plan, cudaLibXtDesc* d, size_t count) {
  vector<C> all(count);
  if (cufftXtMemcpy(plan, all.data(), d, CUFFT_COPY_DEVICE_TO_HOST) != CUFFT_SUCCESS) std::printf("not copied back\n");
  return all;
}
/// The first four elements on a GPU, as integers: of a ramp their places.
static std::string first(const cudaLibXtDesc* d, int gpu) {
  C some[4];
  cudaMemcpy(some, d->descriptor->data[gpu], sizeof some, cudaMemcpyDeviceToHost);
  std::string all;
  for (const C& one : some) all += (all.empty() ? "" : " ") + std::to_string(std::lround(one.real()));
  return all;
}

/// There and back on two GPUs, beside one.
static void transformed(vector<int> n, cufftType type, cufftXtSubFormat format, int batch = 1) {
  size_t count = size_t(batch), points = 1;
  const bool real = type == CUFFT_R2C;
  for (size_t d = 0; d < n.size(); ++d) count *= size_t(real && d + 1 == n.size() ? n[d] / 2 + 1 : n[d]), points *= size_t(n[d]);
  const cufftHandle plan = plan_of(n, type, batch), other = real ? plan_of(n, CUFFT_C2R, batch) : plan;
  const auto given = numbers(count);
  cudaLibXtDesc* d;
  cufftXtMalloc(plan, &d, format);
  cufftXtMemcpy(plan, d, const_cast<C*>(given.data()), CUFFT_COPY_HOST_TO_DEVICE);
  ++transforms;
  if (cufftXtExecDescriptor(plan, d, d, CUFFT_FORWARD) || !near(back_of(plan, d, count), on_one(n, type, CUFFT_FORWARD, given, batch), 1)) ++wrong_transforms, std::printf("wrong there\n");
  if (n.size() == 1 && batch == 1) {  // strings come back as the natural order does
    cudaLibXtDesc* natural;
    cufftXtMalloc(plan, &natural, CUFFT_XT_FORMAT_INPLACE);
    cufftXtMemcpy(plan, natural, d, CUFFT_COPY_DEVICE_TO_DEVICE);
    cufftXtFree(d);
    d = natural;
  }
  ++transforms;
  if (cufftXtExecDescriptor(other, d, d, CUFFT_INVERSE) || !near(back_of(other, d, count), given, float(points), real ? n.back() / 2 + 1 : 0, n.back())) ++wrong_transforms, std::printf("wrong back\n");
  cufftXtFree(d);
  cufftDestroy(plan);
  if (real) cufftDestroy(other);
}

static void factors(int n, cufftType type = CUFFT_C2C) {
  cufftXt1dFactors f;
  const cufftHandle plan = plan_of({n}, type);
  cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS);
  std::printf("%lld: strings %lld of %lld, substrings of %lld, factors %lld %lld, masks %llx %llx %llx %llx, shifts %d %d %d %d\n", f.size, f.stringCount, f.stringLength, f.substringLength, f.factor1, f.factor2,
              f.stringMask, f.substringMask, f.factor1Mask, f.factor2Mask, f.stringShift, f.substringShift, f.factor1Shift, f.factor2Shift);
  cufftDestroy(plan);
}
/// What becomes a ramp by a transform forward.
static vector<C> before_ramp(vector<int> n, size_t count) {
  vector<C> ramp;
  for (size_t i = 0; i < count; ++i) ramp.emplace_back(float(i) / float(count), 0);
  return on_one(n, CUFFT_C2C, CUFFT_INVERSE, ramp);
}
static void copied(bool right) { ++copies, wrong_copies += !right; }

static void layouts() {
  factors(64), factors(8192);
  cufftHandle plan = plan_of({64}, CUFFT_C2C);
  cudaLibXtDesc *d, *natural, *shuffled;
  cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
  cufftXtMalloc(plan, &natural, CUFFT_XT_FORMAT_INPLACE);
  cufftXtMalloc(plan, &shuffled, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED);
  vector<C> ramp;
  for (int i = 0; i < 64; ++i) ramp.emplace_back(float(i), 0);
  copied(cufftXtMemcpy(plan, d, ramp.data(), CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS && back_of(plan, d, 64) == ramp);
  const auto in = first(d, 0).substr(0, 3) + " " + first(d, 1).substr(0, 5);
  auto given = before_ramp({64}, 64);
  copied(cufftXtMemcpy(plan, d, given.data(), CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS);
  cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD);
  const auto at = [](const cudaLibXtDesc* one, int gpu) {  // elements 0, 1, 8, 9
    C some[10];
    cudaMemcpy(some, one->descriptor->data[gpu], sizeof some, cudaMemcpyDeviceToHost);
    std::string all;
    for (const int i : {0, 1, 8, 9}) all += (all.empty() ? "" : " ") + std::to_string(std::lround(some[i].real()));
    return all;
  };
  const auto behind = at(d, 0) + " | " + at(d, 1);
  copied(d->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED && cufftXtMemcpy(plan, natural, d, CUFFT_COPY_DEVICE_TO_DEVICE) == CUFFT_SUCCESS && near(back_of(plan, natural, 64), ramp, 1));
  const auto again = first(natural, 0) + " | " + first(natural, 1);
  copied(cufftXtMemcpy(plan, shuffled, ramp.data(), CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS);
  std::printf("1D in: %s, then %s, natural again %s, given shuffled %s | %s\n", in.c_str(), behind.c_str(), again.c_str(), first(shuffled, 0).c_str(), first(shuffled, 1).c_str());
  for (auto* one : {d, natural, shuffled}) cufftXtFree(one);
  plan = plan_of({33, 35}, CUFFT_C2C);
  cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
  cufftXtMalloc(plan, &shuffled, CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  given = before_ramp({33, 35}, 33 * 35);
  copied(cufftXtMemcpy(plan, d, given.data(), CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS);
  cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD);
  std::printf("2D behind: %s | %s, bytes %zu and %zu\n", first(d, 0).c_str(), first(d, 1).c_str(), d->descriptor->size[0], d->descriptor->size[1]);
  copied(cufftXtMemcpy(plan, shuffled, given.data(), CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS && back_of(plan, shuffled, given.size()) == given);
  cufftXtExecDescriptorC2C(plan, shuffled, shuffled, CUFFT_FORWARD);
  copied(shuffled->subFormat == CUFFT_XT_FORMAT_INPLACE && back_of(plan, shuffled, given.size()) == back_of(plan, d, given.size()));
  cufftXtFree(d), cufftXtFree(shuffled), cufftDestroy(plan);
  copied(cudaGetLastError() == cudaSuccess);
}

static void refused() {
  const auto set = [](vector<int> list) {
    cufftHandle plan;
    cufftCreate(&plan);
    return int(cufftXtSetGPUs(plan, int(list.size()), list.data()));
  };
  const auto made = [](vector<int> n, cufftType type) {
    cufftHandle plan;
    cufftCreate(&plan);
    cufftXtSetGPUs(plan, 2, which);
    return int(n.size() == 1 ? cufftMakePlan1d(plan, n[0], type, 1, work) : n.size() == 2 ? cufftMakePlan2d(plan, n[0], n[1], type, work) : cufftMakePlan3d(plan, n[0], n[1], n[2], type, work));
  };
  std::printf("GPUs: one %d, unknown %d, twice %d, of no plan %d; sizes %d %d %d %d, right %d %d %d\n", set({0}), set({0, -1}), set({0, 0}), cufftXtSetGPUs(98765, 2, which), made({32}, CUFFT_C2C), made({1000}, CUFFT_C2C),
              made({1024}, CUFFT_R2C), made({64, 31}, CUFFT_C2C), made({64}, CUFFT_Z2Z), made({32, 33}, CUFFT_R2C), made({32, 32, 2}, CUFFT_C2C));
  const cufftHandle line = plan_of({1024}, CUFFT_C2C), area = plan_of({32, 32}, CUFFT_C2C), larger = plan_of({64, 64}, CUFFT_C2C);
  cudaLibXtDesc *d = nullptr, *shuffled, *small;
  vector<C> host(4096);
  C* memory;
  cudaMalloc(&memory, 8192);
  const int null = cufftXtMalloc(line, nullptr, CUFFT_XT_FORMAT_INPLACE), far = cufftXtMalloc(line, &d, CUFFT_XT_FORMAT_DISTRIBUTED_INPUT), flat = cufftXtMalloc(area, &d, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED);
  const int right = cufftXtMalloc(line, &d, CUFFT_XT_FORMAT_INPLACE);
  cufftXtMalloc(line, &shuffled, CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  cufftXtMalloc(area, &small, CUFFT_XT_FORMAT_INPLACE);
  const int none = cufftXtMemcpy(line, d, host.data(), CUFFT_COPY_UNDEFINED), there = cufftXtMemcpy(line, shuffled, host.data(), CUFFT_COPY_HOST_TO_DEVICE), across = cufftXtMemcpy(line, shuffled, d, CUFFT_COPY_DEVICE_TO_DEVICE);
  cufftXt1dFactors f;
  std::printf("formats: %d %d %d %d; copies %d %d %d %d; exec: direction %d, type %d, null %d, another's memory %d, one pointer %d; query %d %d; free of null %d\n", null, far, flat, right, none, there, across,
              cufftXtExecDescriptorC2C(line, shuffled, shuffled, -1), cufftXtExecDescriptorC2C(line, d, d, 0), cufftXtExecDescriptorZ2Z(line, d, d, -1), cufftXtExecDescriptorC2C(line, nullptr, nullptr, -1),
              cufftXtExecDescriptorC2C(larger, small, small, -1), cufftExecC2C(line, (cufftComplex*)memory, (cufftComplex*)memory, -1), cufftXtQueryPlan(line, &f, CUFFT_QUERY_UNDEFINED),
              cufftXtQueryPlan(area, &f, CUFFT_QUERY_1D_FACTORS), cufftXtFree(nullptr));
}

__global__ void twice(cufftComplex* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x *= 2, p[i].y *= 2;
}
/// A kernel in another stream behind a transform: in the plan's stream that needs a wait; without a stream the host has waited.
static void ordered(bool late) {
  const cufftHandle plan = plan_of({32, 32}, CUFFT_C2C);
  cudaStream_t mine, other;
  cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  if (late) cufftSetStream(plan, mine);
  cudaLibXtDesc* d;
  cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
  auto given = numbers(1024);
  cufftXtMemcpy(plan, d, given.data(), CUFFT_COPY_HOST_TO_DEVICE);
  cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD);
  twice<<<4, 128, 0, other>>>((cufftComplex*)d->descriptor->data[0], 512);
  cudaDeviceSynchronize();
}

static void batch() {
  const cufftHandle plan = plan_of({64}, CUFFT_C2C, 3);
  const auto given = numbers(192);
  cudaLibXtDesc *d, *to;
  cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
  cufftXtMalloc(plan, &to, CUFFT_XT_FORMAT_INPLACE);
  cufftXtMemcpy(plan, d, const_cast<C*>(given.data()), CUFFT_COPY_HOST_TO_DEVICE);
  const int status = cufftXtMemcpy(plan, to, d, CUFFT_COPY_DEVICE_TO_DEVICE);  // HERE: batch
  std::printf("batch: %d, right %d\n", status, back_of(plan, d, 192) == given);
}

/// What a program may do to a descriptor: none of it is ours to crash by.
static void torn(bool freed) {
  const cufftHandle plan = plan_of({64}, CUFFT_C2C);
  vector<C> host(64);
  cudaLibXtDesc* d;
  cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
  if (freed) {
    cudaFree(d->descriptor->data[0]);
    cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD);
    cudaDeviceSynchronize();
    return;
  }
  cudaXtDesc* const memory = d->descriptor;
  d->descriptor = nullptr;
  const int copy = cufftXtMemcpy(plan, d, host.data(), CUFFT_COPY_HOST_TO_DEVICE), none = cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD);
  d->descriptor = memory;
  memory->nGPUs = 1000;
  const int many = cufftXtExecDescriptorC2C(plan, d, d, CUFFT_FORWARD);
  cudaLibXtDesc strange = *d;
  std::printf("torn: %d %d %d %d, free %d\n", copy, none, many, cufftXtExecDescriptorC2C(plan, &strange, &strange, CUFFT_FORWARD), cufftXtFree(d));
}

/// Four GPUs and three, of which the last have less; one dimension is for a power of two of them.
static void more() {
  gpus = 4;
  factors(256, CUFFT_Z2Z), factors(2048), factors(1 << 21);
  transformed({256}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE), transformed({33, 35}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE);
  transformed({33, 34, 6}, CUFFT_R2C, CUFFT_XT_FORMAT_INPLACE), transformed({8, 9}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE, 6);
  std::printf("4: wrong %d of %d\n", wrong_transforms, transforms);
  gpus = 3;
  transformed({33, 35}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE), transformed({33, 34, 6}, CUFFT_R2C, CUFFT_XT_FORMAT_INPLACE), transformed({8, 9}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE, 2);
  cufftHandle none, single, halves;
  cufftCreate(&none);
  cufftXtSetGPUs(none, 3, which);
  const int made = cufftMakePlan1d(none, 1024, CUFFT_C2C, 1, work);
  vector<C> host(4096);
  cudaLibXtDesc *d = nullptr, *to;
  std::printf("3: wrong %d of %d; plan %d, size %d, memory to null %d, to nobody %d, no copy %d, copy %d\n", wrong_transforms, transforms, made, cufftGetSize(none, work), cufftXtMalloc(none, nullptr, CUFFT_XT_FORMAT_INPLACE),
              cufftXtMalloc(none, &d, CUFFT_XT_FORMAT_INPLACE), cufftXtMemcpy(none, d, host.data(), CUFFT_COPY_UNDEFINED), cufftXtMemcpy(none, host.data(), host.data(), CUFFT_COPY_HOST_TO_DEVICE));
  const cufftHandle area = plan_of({32, 32}, CUFFT_C2C), two = plan_of({64}, CUFFT_C2C, 2);
  cufftXtMalloc(area, &d, CUFFT_XT_FORMAT_INPLACE);
  cufftPlan1d(&single, 64, CUFFT_C2C, 1);
  cufftCreate(&halves), cufftXtSetGPUs(halves, 2, which);
  long long n[] = {64, 64};
  std::printf("nulls: GPUs %d, to the host's %d, from the host's %d, to no descriptor %d; ", cufftXtSetGPUs(single, 2, nullptr), cufftXtMemcpy(area, nullptr, d, CUFFT_COPY_DEVICE_TO_HOST), cufftXtMemcpy(area, d, nullptr, CUFFT_COPY_HOST_TO_DEVICE),
              cufftXtMemcpy(area, nullptr, host.data(), CUFFT_COPY_HOST_TO_DEVICE));
  const int of_halves = cufftXtMakePlanMany(halves, 2, n, nullptr, 1, 0, CUDA_C_16F, nullptr, 1, 0, CUDA_C_16F, 1, work, CUDA_C_16F);
  std::printf("halves %d, memory %d; ", of_halves, cufftXtMalloc(halves, &to, CUFFT_XT_FORMAT_INPLACE));
  cufftXtFree(d), cufftXtMalloc(two, &d, CUFFT_XT_FORMAT_INPLACE), cufftXtMalloc(two, &to, CUFFT_XT_FORMAT_INPLACE);
  std::printf("fewer of a batch than GPUs: copied on %d\n", cufftXtMemcpy(two, to, d, CUFFT_COPY_DEVICE_TO_DEVICE));
}

int main(int, char** words) {
  const std::string what = words[1];
  if (what == "right") {
    layouts();
    transformed({64}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE), transformed({1024}, CUFFT_C2C, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED);
    transformed({33, 35}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE_SHUFFLED), transformed({32, 33, 5}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE);
    transformed({33, 32, 6}, CUFFT_R2C, CUFFT_XT_FORMAT_INPLACE), transformed({8, 9}, CUFFT_C2C, CUFFT_XT_FORMAT_INPLACE, 5);
    // Real numbers of two dimensions go one way: in by slabs of the first, out by slabs of the second.
    const cufftHandle plan = plan_of({32, 36}, CUFFT_R2C);
    const auto given = numbers(32 * 19);
    cudaLibXtDesc* d;
    cufftXtMalloc(plan, &d, CUFFT_XT_FORMAT_INPLACE);
    cufftXtMemcpy(plan, d, const_cast<C*>(given.data()), CUFFT_COPY_HOST_TO_DEVICE);
    ++transforms;
    if (cufftXtExecDescriptorR2C(plan, d, d) || !near(back_of(plan, d, given.size()), on_one({32, 36}, CUFFT_R2C, CUFFT_FORWARD, given), 1)) ++wrong_transforms;
    cufftXtFree(d);
    std::printf("wrong: %d of %d transforms, %d of %d copies\n", wrong_transforms, transforms, wrong_copies, copies);
  }
  if (what == "refused") refused();
  if (what == "more") more();
  if (what == "waits" || what == "late") ordered(what == "late");
  if (what == "torn" || what == "freed") torn(what == "freed");
  if (what == "batch") batch();
  if (what == "strided") {
    int n[] = {64, 64}, embed[] = {64, 80};
    cufftHandle plan;
    cufftCreate(&plan);
    cufftXtSetGPUs(plan, 2, which);
    cufftMakePlanMany(plan, 2, n, embed, 1, 64 * 80, embed, 1, 64 * 80, CUFFT_C2C, 1, work);  // HERE: strided
  }
  if (what == "asks") {
    cufftHandle plan;
    cufftCreate(&plan);
    std::printf("asks %d\n", cufftXtSetGPUs(plan, 2, which));
  }
}
