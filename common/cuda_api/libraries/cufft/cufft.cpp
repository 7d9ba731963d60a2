// cuFFT: plans and their execution.

#include <cufft.h>
#include <cufftXt.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "common/cuda_api/libraries/cufft/spread.h"
#include "common/cuda_api/libraries/cufft/transform.h"

namespace gpulab::cufft {
namespace {

cufftResult execute(const char* function, cufftHandle handle, cufftType type, void* in, void* out, int sign,
                    void* caller) {
  Plan plan;
  {
    const std::lock_guard lock(plans_mutex);
    const Plan* const known = plan_of(handle);
    if (known == nullptr || !known->made) return CUFFT_INVALID_PLAN;
    plan = *known;
  }
  if (!plan.gpus.empty()) return CUFFT_INVALID_TYPE;  // its data lies in a descriptor, not at one address
  const bool narrow = plan.half || plan.bfloat;
  if (plan.type != type || (narrow && function != std::string_view("cufftXtExec"))) return CUFFT_INVALID_TYPE;
  if (in == nullptr || out == nullptr || (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
  if (plan.points() == 0) return CUFFT_SUCCESS;
  const LibraryOperation operation = operation_of(function, plan, plan.stream, caller);
  const bool in_place = in == out;
  const Placed from = placed(plan, plan.in, plan.real_in(), plan.real_out(), in_place, in);
  const Placed to = placed(plan, plan.out, plan.real_out(), plan.real_in(), in_place, out);
  const cudaError_t error =
      runtime().queue(operation, [=](LibraryAccess& memory) { run(memory, plan, from, to, sign); });
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

struct Layout {
  std::vector<i64> n;
  Side in, out;
  cufftType type;
  i64 batch;
  bool half = false, bfloat = false;
};
cufftResult check(const Layout& layout) {
  if (layout.n.empty() || layout.n.size() > 3) return CUFFT_INVALID_VALUE;  // of a rank that is none, or no sizes
  __int128 points = layout.batch;
  for (const i64 one : layout.n) {
    // As an H100 has it: of two and three dimensions one may be empty, and then nothing happens.
    if (one < 0 || (one == 0 && layout.n.size() == 1)) return CUFFT_INVALID_SIZE;
    points *= one;
    if (points > (__int128{1} << 40)) return CUFFT_INVALID_SIZE;
    if ((layout.half || layout.bfloat) && !std::has_single_bit(static_cast<std::uint64_t>(one)))
      return CUFFT_NOT_SUPPORTED;  // the manual: powers of two alone
  }
  if (layout.batch <= 0) return CUFFT_INVALID_SIZE;
  switch (layout.type) {
    case CUFFT_C2C:
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_Z2Z:
    case CUFFT_D2Z:
    case CUFFT_Z2D:
      break;
    default:
      return CUFFT_INVALID_TYPE;
  }
  for (const Side* side : {&layout.in, &layout.out})
    if (!side->embed.empty() &&
        (side->stride <= 0 || side->distance < 0 ||  // the first of `embed` has no use
         std::any_of(side->embed.begin() + 1, side->embed.end(), [](i64 one) { return one <= 0; })))
      return CUFFT_INVALID_VALUE;
  return CUFFT_SUCCESS;
}

/// Whether a side's layout is what it would be if the program had given none; `padded`: elements of the last dimension.
bool is_plain(const Layout& layout, const Side& side, i64 padded) {
  if (side.embed.empty()) return true;
  i64 all = padded;
  for (std::size_t d = 0; d + 1 < layout.n.size(); ++d) all *= layout.n[d];
  for (std::size_t d = 1; d < layout.n.size(); ++d)
    if (side.embed[d] != (d + 1 == layout.n.size() ? padded : layout.n[d])) return false;
  return side.stride == 1 && (layout.batch == 1 || side.distance == all);
}
bool is_plain(const Layout& layout) {
  const i64 n = layout.n.back(), complex = n / 2 + 1;
  const bool real_in = layout.type == CUFFT_R2C || layout.type == CUFFT_D2Z;
  const bool real_out = layout.type == CUFFT_C2R || layout.type == CUFFT_Z2D;
  return is_plain(layout, layout.in,
                  real_in    ? 2 * complex
                  : real_out ? complex
                             : n) &&
         is_plain(layout, layout.out,
                  real_out  ? 2 * complex
                  : real_in ? complex
                            : n);
}

cufftResult make(cufftHandle handle, const Layout& layout, std::size_t* work, void* caller) {
  const std::lock_guard lock(plans_mutex);
  Plan* const plan = plan_of(handle);
  if (plan == nullptr || plan->made) return CUFFT_INVALID_PLAN;
  if (const auto wrong = check(layout); wrong != CUFFT_SUCCESS) return wrong;
  if (!plan->gpus.empty() && (layout.half || layout.bfloat)) return CUFFT_SETUP_FAILED;
  if (!plan->gpus.empty() && !is_plain(layout))
    gpulab::libraries::refuse("a cuFFT plan of several GPUs with a layout of its own", caller);
  plan->n = layout.n;
  plan->in = layout.in;
  plan->out = layout.out;
  plan->type = layout.type;
  plan->half = layout.half;
  plan->bfloat = layout.bfloat;
  plan->batch = layout.batch;
  if (const auto wrong = check_for_gpus(*plan); wrong != CUFFT_SUCCESS) return wrong;
  plan->made = true;
  if (work != nullptr) std::fill_n(work, std::max<std::size_t>(1, plan->gpus.size()), 0);
  return CUFFT_SUCCESS;
}

cufftResult create(cufftHandle* handle) {
  if (handle == nullptr) return CUFFT_INVALID_VALUE;
  (void)runtime();
  static cufftHandle last = 0;
  const std::lock_guard lock(plans_mutex);
  *handle = ++last;
  add_plan(*handle);
  return CUFFT_SUCCESS;
}

cufftResult create(cufftHandle* handle, const Layout& layout) {
  if (const auto wrong = check(layout); wrong != CUFFT_SUCCESS) return wrong;
  if (const auto wrong = create(handle); wrong != CUFFT_SUCCESS) return wrong;
  return make(*handle, layout, nullptr, nullptr);
}

template <typename Int>
Layout many(int rank, Int* n, Int* in_embed, Int in_stride, Int in_distance, Int* out_embed, Int out_stride,
            Int out_distance, cufftType type, Int batch) {
  Layout made{{}, {}, {}, type, batch};
  if (rank < 1 || rank > 3 || n == nullptr) return made;
  made.n.assign(n, n + rank);
  if (in_embed != nullptr && out_embed != nullptr) {
    made.in = {{in_embed, in_embed + rank}, in_stride, in_distance};
    made.out = {{out_embed, out_embed + rank}, out_stride, out_distance};
  }
  return made;
}
Layout plain(std::vector<i64> n, cufftType type, i64 batch = 1) { return {std::move(n), {}, {}, type, batch}; }

cufftResult size(const Layout& layout, std::size_t* work) {
  if (const auto wrong = check(layout); wrong != CUFFT_SUCCESS) return wrong;
  if (work != nullptr) *work = 0;
  return CUFFT_SUCCESS;
}

/// The type of a plan that is described by its data's types, as one of floats or doubles; -1: they do not go together.
int type_of(cudaDataType in, cudaDataType out, cudaDataType execution) {
  const bool wide = execution == CUDA_C_64F;
  if (!is_complex(execution) || (!is_complex(in) && !is_complex(out))) return -1;
  if (real_of(in) != real_of(execution) || real_of(out) != real_of(execution)) return -1;
  if (is_complex(in) && is_complex(out)) return wide ? CUFFT_Z2Z : CUFFT_C2C;
  if (is_complex(out)) return wide ? CUFFT_D2Z : CUFFT_R2C;
  return wide ? CUFFT_Z2D : CUFFT_C2R;
}

}  // namespace
}  // namespace gpulab::cufft

using namespace gpulab::cufft;

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) { return create(handle); }
cufftResult cufftDestroy(cufftHandle handle) {
  const std::lock_guard lock(plans_mutex);
  return remove_plan(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  return create(plan, plain({nx}, type, batch));
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  return create(plan, plain({nx, ny}, type));
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  return create(plan, plain({nx, ny, nz}, type));
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch) {
  return create(plan, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch));
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* work) {
  return make(plan, plain({nx}, type, batch), work, __builtin_return_address(0));
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* work) {
  return make(plan, plain({nx, ny}, type), work, __builtin_return_address(0));
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* work) {
  return make(plan, plain({nx, ny, nz}, type), work, __builtin_return_address(0));
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* work) {
  return make(plan, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), work,
              __builtin_return_address(0));
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                                long long idist, long long* onembed, long long ostride, long long odist, cufftType type,
                                long long batch, size_t* work) {
  return make(plan, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), work,
              __builtin_return_address(0));
}
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t* work) {
  return size(plain({nx}, type, batch), work);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t* work) { return size(plain({nx, ny}, type), work); }
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t* work) {
  return size(plain({nx, ny, nz}, type), work);
}
cufftResult cufftGetSize(cufftHandle plan, size_t* work) {
  const std::lock_guard lock(plans_mutex);
  const Plan* const known = plan_of(plan);
  if (known == nullptr || work == nullptr || (!known->made && !known->gpus.empty())) return CUFFT_INVALID_PLAN;
  std::fill_n(work, std::max<std::size_t>(1, known->gpus.size()), 0);
  return CUFFT_SUCCESS;
}
cufftResult cufftGetSize1d(cufftHandle, int nx, cufftType type, int batch, size_t* work) {
  return size(plain({nx}, type, batch), work);
}
cufftResult cufftGetSize2d(cufftHandle, int nx, int ny, cufftType type, size_t* work) {
  return size(plain({nx, ny}, type), work);
}
cufftResult cufftGetSize3d(cufftHandle, int nx, int ny, int nz, cufftType type, size_t* work) {
  return size(plain({nx, ny, nz}, type), work);
}
cufftResult cufftSetWorkArea(cufftHandle plan, void*) {
  const std::lock_guard lock(plans_mutex);
  return plan_of(plan) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
  const std::lock_guard lock(plans_mutex);
  return plan_of(plan) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  const std::lock_guard lock(plans_mutex);
  Plan* const plan = plan_of(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
  const int versions[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
  *value = versions[type];
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return execute("cufftExecC2C", plan, CUFFT_C2C, in, out, direction, __builtin_return_address(0));
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return execute("cufftExecR2C", plan, CUFFT_R2C, in, out, CUFFT_FORWARD, __builtin_return_address(0));
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return execute("cufftExecC2R", plan, CUFFT_C2R, in, out, CUFFT_INVERSE, __builtin_return_address(0));
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return execute("cufftExecZ2Z", plan, CUFFT_Z2Z, in, out, direction, __builtin_return_address(0));
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return execute("cufftExecD2Z", plan, CUFFT_D2Z, in, out, CUFFT_FORWARD, __builtin_return_address(0));
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return execute("cufftExecZ2D", plan, CUFFT_Z2D, in, out, CUFFT_INVERSE, __builtin_return_address(0));
}

/// Callbacks of device code are of the static library: NVIDIA's shared one answers so, too (CUDA 13).
cufftResult cufftXtSetCallback(cufftHandle plan, void**, cufftXtCallbackType, void**) {
  const std::lock_guard lock(plans_mutex);
  return plan_of(plan) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_NOT_IMPLEMENTED;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                                long long idist, cudaDataType in, long long* onembed, long long ostride,
                                long long odist, cudaDataType out, long long batch, size_t* work,
                                cudaDataType execution) {
  if (execution != CUDA_C_16F && execution != CUDA_C_16BF && execution != CUDA_C_32F && execution != CUDA_C_64F)
    gpulab::libraries::refuse("cufftXtMakePlanMany of these types", __builtin_return_address(0));
  const int type = type_of(in, out, execution);
  if (type < 0) return CUFFT_INVALID_TYPE;
  auto layout = many(rank, n, inembed, istride, idist, onembed, ostride, odist, static_cast<cufftType>(type), batch);
  layout.half = execution == CUDA_C_16F;
  layout.bfloat = execution == CUDA_C_16BF;
  return make(plan, layout, work, __builtin_return_address(0));
}
cufftResult cufftXtExec(cufftHandle handle, void* in, void* out, int direction) {
  cufftType type = CUFFT_C2C;
  {
    const std::lock_guard lock(plans_mutex);
    const Plan* const plan = plan_of(handle);
    if (plan == nullptr || !plan->made) return CUFFT_INVALID_PLAN;
    type = plan->type;
    if (plan->real_in()) direction = CUFFT_FORWARD;
    if (plan->real_out()) direction = CUFFT_INVERSE;
  }
  return execute("cufftXtExec", handle, type, in, out, direction, __builtin_return_address(0));
}

}  // extern "C"
