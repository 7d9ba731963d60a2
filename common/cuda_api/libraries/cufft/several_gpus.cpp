// Transforms of data that several GPUs share: descriptors, copies between formats, and execution. All is done in place.

#include <cufftXt.h>

#include <bit>
#include <cstring>
#include <map>
#include <memory>

#include "common/cuda_api/libraries/cufft/spread.h"
#include "common/cuda_api/libraries/cufft/transform.h"

namespace gpulab::cufft {
namespace {

constexpr int kMostGpus = 16;

/// A descriptor, as the program sees it, and what belongs to it.
struct Descriptor {
  cudaXtDesc memory{};
  cudaLibXtDesc shown{};
};
std::map<const void*, std::unique_ptr<Descriptor>>& descriptors() {  // under `plans_mutex`
  static auto* const all = new std::map<const void*, std::unique_ptr<Descriptor>>;
  return *all;
}
/// Whether it is one of ours, and still names its memory: a program can write what it likes there.
bool is_descriptor(const void* pointer) {
  const std::lock_guard lock(plans_mutex);
  const auto found = descriptors().find(pointer);
  return found != descriptors().end() && found->second->shown.descriptor == &found->second->memory;
}

/// What a call works on: a plan that is made, of several GPUs or of the current one.
cufftResult find(cufftHandle handle, Plan& plan, cufftResult none = CUFFT_INVALID_PLAN) {
  const std::lock_guard lock(plans_mutex);
  const Plan* const known = plan_of(handle);
  if (known == nullptr || !known->made) return none;
  plan = *known;
  if (plan.gpus.empty()) plan.gpus = {runtime().current_gpu()};
  return CUFFT_SUCCESS;
}

void release(Descriptor& descriptor, void* caller) {
  for (void* const data : descriptor.memory.data)
    if (data != nullptr) (void)runtime().release(data, caller);
}

cufftXtSubFormat format_of(const cudaLibXtDesc& descriptor) {
  return static_cast<cufftXtSubFormat>(descriptor.subFormat);
}
/// Shares of a descriptor in a format: nothing where it has not the room for them, as one of another plan.
std::vector<Share> shares_in(const Plan& plan, const cudaLibXtDesc& descriptor, cufftXtSubFormat format, i64 size) {
  auto shares = shares_of(plan, format);
  if (descriptor.descriptor == nullptr || descriptor.descriptor->nGPUs != static_cast<int>(shares.size())) return {};
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (descriptor.descriptor->size[i] < static_cast<std::size_t>(elements_of(shares[i]) * size)) return {};
  return shares;
}

/// Bytes of each GPU that an operation reads or writes.
LibraryBuffer buffer(const char* name, const cudaXtDesc& memory, std::size_t gpu, i64 bytes, bool reads, bool writes) {
  LibraryBuffer made;
  made.name = name;
  made.first = address_of(memory.data[gpu]);
  made.end = made.first + static_cast<std::uint64_t>(bytes);
  made.rows = bytes > 0 ? 1 : 0;
  made.row = [at = made.first, bytes](std::uint64_t) { return std::pair(at, static_cast<std::uint64_t>(bytes)); };
  made.reads = reads;
  made.writes = writes;
  return made;
}

/// A part for each GPU, in the plan's stream where that is the GPU's own, else in the default one. Without a stream of
/// the program's the host waits.
std::vector<cuda_api::LibraryPart> parts_of(const Plan& plan, const LibraryOperation& whole) {
  const auto gpus = static_cast<double>(plan.gpus.size());
  std::vector<cuda_api::LibraryPart> parts;
  for (std::size_t i = 0; i < plan.gpus.size(); ++i) {
    auto& part = parts.emplace_back();
    part.gpu = plan.gpus[i];
    part.operation = whole;
    part.operation.operations = whole.operations / gpus;
    part.operation.stream =
        plan.stream != nullptr && runtime().gpu_of(plan.stream, part.gpu) == part.gpu ? plan.stream : nullptr;
    part.operation.waits = plan.stream == nullptr;
    for (std::size_t other = 0; other < plan.gpus.size(); ++other)
      if (other != i) part.after.push_back(other);
  }
  return parts;
}

/// The whole array from the GPUs' memory, in its natural order; and back.
void gather(LibraryAccess& memory, const cudaXtDesc& from, const std::vector<Share>& shares, i64 size, char* whole) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    std::uint64_t at = address_of(from.data[i]);
    for (const Run& run : shares[i]) {
      const auto bytes = static_cast<std::uint64_t>(run.count * size);
      memory.read(whole + run.first * size, at, bytes);
      at += bytes;
    }
  }
}
void scatter(LibraryAccess& memory, const cudaXtDesc& to, const std::vector<Share>& shares, i64 size,
             const char* whole) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    std::uint64_t at = address_of(to.data[i]);
    for (const Run& run : shares[i]) {
      const auto bytes = static_cast<std::uint64_t>(run.count * size);
      memory.write(at, whole + run.first * size, bytes);
      at += bytes;
    }
  }
}

/// The host's own memory in place of a GPU's, for a transform of what was gathered there.
class HostAccess final : public LibraryAccess {
 public:
  explicit HostAccess(double operations) : operations_(operations) {}
  void use(const std::vector<LibraryBuffer>&) override {}
  void read(void* to, std::uint64_t from, std::uint64_t bytes) override {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);  // NOLINT: an address of ours
  }
  void write(std::uint64_t to, const void* from, std::uint64_t bytes) override {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);  // NOLINT: an address of ours
  }
  [[nodiscard]] double operations() const override { return operations_; }

 private:
  double operations_;
};

cufftResult result_of(cudaError_t error) { return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED; }

/// Between the host's array, in its natural order, and the GPUs' memory.
cufftResult copy_host(const Plan& plan, const cudaLibXtDesc& descriptor, char* host, bool to_gpus, void* caller) {
  const i64 size = bytes_of(plan.of(false));
  const auto format = format_of(descriptor);
  const bool natural = format == CUFFT_XT_FORMAT_INPLACE, shuffled = format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  if (!to_gpus && (natural || shuffled) && descriptor.descriptor->data[0] == nullptr) return CUFFT_INVALID_VALUE;
  const bool strings = sharing_of(plan) == Sharing::strings && plan.gpus.size() > 1;
  // In one dimension each order has its way; so have real numbers in two: in before the transform, out behind it.
  if (strings && (to_gpus ? shuffled : !natural && !shuffled)) return wrong_format(plan);
  if (!to_gpus && is_one_way(plan) && natural == plan.real_in()) return wrong_format(plan);
  if (shares_of(plan, format).empty() || descriptor.descriptor->data[0] == nullptr) return wrong_format(plan);
  const auto shares = shares_in(plan, descriptor, format, size);
  if (shares.empty()) return CUFFT_INVALID_VALUE;
  if (!runtime().host_may_touch(address_of(host))) {
    runtime().find("cufftXtMemcpy: the host's pointer is an address of a GPU's memory", caller);
    return CUFFT_INVALID_VALUE;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    std::vector<char> own(static_cast<std::size_t>(elements_of(shares[i]) * size));
    const auto each = [&](auto work) {
      char* at = own.data();
      for (const Run& run : shares[i]) {
        const auto bytes = static_cast<std::size_t>(run.count * size);
        work(at, host + run.first * size, bytes);
        at += bytes;
      }
    };
    if (to_gpus) each([](char* a, char* b, std::size_t bytes) { std::memcpy(a, b, bytes); });
    if (own.empty()) continue;
    void* const there = descriptor.descriptor->data[i];
    cudaError_t error = cudaSuccess;
    runtime().on_gpu(plan.gpus[i], [&] {
      error = runtime().copy("cufftXtMemcpy", to_gpus ? there : own.data(), own.size(), to_gpus ? own.data() : there,
                             own.size(), own.size(), 1, to_gpus ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                             nullptr, true, caller);
      if (error == cudaSuccess) error = runtime().wait(plan.gpus[i], "cufftXtMemcpy", caller);
    });
    if (error != cudaSuccess) return CUFFT_EXEC_FAILED;
    if (!to_gpus) each([](char* a, char* b, std::size_t bytes) { std::memcpy(b, a, bytes); });
  }
  return CUFFT_SUCCESS;
}

/// From one format to another, over the links between the GPUs.
cufftResult copy_devices(const Plan& plan, cudaLibXtDesc& to, const cudaLibXtDesc& from, void* caller) {
  if (sharing_of(plan) == Sharing::batch) {
    if (plan.batch < static_cast<i64>(plan.gpus.size())) return CUFFT_INVALID_VALUE;  // a GPU has nothing
    runtime().find(
        "cufftXtMemcpy: of transforms in a batch nothing is copied from GPU to GPU, though CUFFT_SUCCESS is returned",
        caller);
    return CUFFT_SUCCESS;
  }
  if (format_of(from) == CUFFT_XT_FORMAT_INPLACE && from.descriptor->data[0] != nullptr) return wrong_format(plan);
  if (to.descriptor->data[0] == nullptr) return CUFFT_INVALID_VALUE;
  // An order that a transform has left becomes the natural one; there is no other way.
  const bool any = sharing_of(plan) == Sharing::strings;
  if (is_one_way(plan) || format_of(from) != CUFFT_XT_FORMAT_INPLACE_SHUFFLED ||
      (!any && format_of(to) != CUFFT_XT_FORMAT_INPLACE))
    return wrong_format(plan);
  const i64 size = bytes_of(plan.of(false));
  const auto before = shares_in(plan, from, CUFFT_XT_FORMAT_INPLACE_SHUFFLED, size),
             behind = shares_in(plan, to, CUFFT_XT_FORMAT_INPLACE, size);
  if (before.empty() || behind.empty()) return CUFFT_INVALID_VALUE;
  LibraryOperation whole = operation_of("cufftXtMemcpy", plan, nullptr, caller);
  whole.operations = 0;
  whole.unit = LibraryUnit::memory;
  auto parts = parts_of(plan, whole);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const i64 read = elements_of(before[i]) * size, written = elements_of(behind[i]) * size;
    parts[i].operation.link_bytes = static_cast<double>(read) / 2;
    parts[i].buffers = {buffer("srcPointer", *from.descriptor, i, read, true, false),
                        buffer("dstPointer", *to.descriptor, i, written, false, true)};
  }
  const cudaXtDesc source = *from.descriptor, target = *to.descriptor;
  to.subFormat = CUFFT_XT_FORMAT_INPLACE;
  return result_of(runtime().queue_together(parts, [=](LibraryAccess& memory) {
    std::vector<char> all(static_cast<std::size_t>(elements_of(plan) * size));
    gather(memory, source, before, size, all.data());
    scatter(memory, target, behind, size, all.data());
  }));
}

cufftResult execute(const char* function, cufftHandle handle, const cufftType* type, cudaLibXtDesc* in,
                    cudaLibXtDesc* out, int sign, void* caller) {
  Plan plan;
  if (const auto wrong = find(handle, plan); wrong != CUFFT_SUCCESS) return wrong;
  if (in == nullptr || out == nullptr || (type != nullptr && *type != plan.type)) return CUFFT_INVALID_PLAN;
  if (plan.real_in()) sign = CUFFT_FORWARD;
  if (plan.real_out()) sign = CUFFT_INVERSE;
  if (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
  if (!is_descriptor(in) || !is_descriptor(out)) return CUFFT_INVALID_VALUE;
  if (in != out)
    runtime().find(
        std::string(function) + ": its output is not its input; several GPUs transform in place alone (cufftXt.h)",
        caller);
  const i64 size = bytes_of(plan.of(false));
  const auto format = cufft::behind(plan, format_of(*in));
  if (format == CUFFT_FORMAT_UNDEFINED || in->descriptor->data[0] == nullptr) return wrong_format(plan);
  const auto before = shares_in(plan, *in, format_of(*in), size), behind = shares_in(plan, *out, format, size);
  if (before.empty() || behind.empty()) return CUFFT_INVALID_VALUE;
  const LibraryOperation whole = operation_of(function, plan, nullptr, caller);
  auto parts = parts_of(plan, whole);
  const auto gpus = static_cast<double>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const i64 read = elements_of(before[i]) * size, written = elements_of(behind[i]) * size;
    if (plan.batch == 1) parts[i].operation.link_bytes = static_cast<double>(read) * (gpus - 1) / gpus;
    // What pads lines of real numbers is read by nobody, and may never have been written.
    parts[i].buffers = {buffer("input", *in->descriptor, i, read, !plan.real_in(), false),
                        buffer("output", *out->descriptor, i, written, false, true)};
  }
  const cudaError_t error =
      runtime().queue_together(parts, [=, there = *in->descriptor, to_there = *out->descriptor](LibraryAccess& memory) {
        std::vector<char> all(static_cast<std::size_t>(elements_of(plan) * size));
        gather(memory, there, before, size, all.data());
        HostAccess gathered(whole.operations);
        const Placed from = placed(plan, {}, plan.real_in(), plan.real_out(), true, all.data());
        const Placed to = placed(plan, {}, plan.real_out(), plan.real_in(), true, all.data());
        run(gathered, plan, from, to, sign);
        scatter(memory, to_there, behind, size, all.data());
      });
  if (error == cudaSuccess) out->subFormat = format;
  return result_of(error);
}

}  // namespace
}  // namespace gpulab::cufft

using namespace gpulab::cufft;

extern "C" {

#define GPULAB_CALLER __builtin_return_address(0)

cufftResult cufftXtSetGPUs(cufftHandle handle, int count, int* which) {
  const std::lock_guard lock(plans_mutex);
  Plan* const plan = plan_of(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  if (which == nullptr) return CUFFT_INVALID_VALUE;
  if (plan->made) return CUFFT_INVALID_PLAN;
  if (count < 2 || count > kMostGpus) return CUFFT_INVALID_VALUE;
  for (int i = 0; i < count; ++i) {
    if (which[i] >= 0 && which[i] < runtime().gpus()) continue;
    if (which[i] >= 0) runtime().asks_for_gpu(which[i]);
    return CUFFT_INVALID_DEVICE;
  }
  plan->gpus.assign(which, which + count);
  return CUFFT_SUCCESS;
}

cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc** descriptor, cufftXtSubFormat format) {
  if (descriptor == nullptr) return CUFFT_INVALID_VALUE;
  Plan plan;
  if (const auto wrong = find(handle, plan); wrong != CUFFT_SUCCESS) return wrong;
  if (const auto wrong = check_format(plan, format); wrong != CUFFT_SUCCESS) return wrong;
  if (plan.batch > 1 && plan.real_in() != plan.real_out() && format != CUFFT_XT_FORMAT_INPLACE)
    gpulab::libraries::refuse("cufftXtMalloc of input or output by itself of a batch of real numbers", GPULAB_CALLER);
  // A format in which no data of the plan lies has no bytes, as there.
  auto used = sharing_of(plan) == Sharing::strings ? CUFFT_XT_FORMAT_INPLACE : format;
  if (is_one_way(plan) && (format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED) != plan.real_out())
    used = CUFFT_FORMAT_UNDEFINED;
  auto shares = shares_of(plan, used);
  const auto others = shares_of(plan, gpulab::cufft::behind(plan, used));
  shares.resize(plan.gpus.size());
  const i64 size = bytes_of(plan.of(false));
  auto made = std::make_unique<Descriptor>();
  made->memory.version = made->shown.version = CUDA_XT_DESCRIPTOR_VERSION + CUDART_VERSION;
  made->memory.nGPUs = static_cast<int>(shares.size());
  made->shown.descriptor = &made->memory;
  made->shown.library = LIB_FORMAT_CUFFT;
  made->shown.subFormat = format;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    i64 elements = elements_of(shares[i]);
    if (i < others.size()) elements = std::max(elements, elements_of(others[i]));
    made->memory.GPUs[i] = plan.gpus[i];
    made->memory.size[i] = static_cast<std::size_t>(elements * size);
    if (elements == 0) continue;
    cudaError_t error = cudaSuccess;
    runtime().on_gpu(plan.gpus[i], [&] {
      error = runtime().allocate(&made->memory.data[i], made->memory.size[i], "cufftXtMalloc", GPULAB_CALLER);
    });
    if (error != cudaSuccess) {
      release(*made, GPULAB_CALLER);
      return CUFFT_ALLOC_FAILED;
    }
  }
  *descriptor = &made->shown;
  const std::lock_guard lock(plans_mutex);
  descriptors()[*descriptor] = std::move(made);
  return CUFFT_SUCCESS;
}

cufftResult cufftXtFree(cudaLibXtDesc* descriptor) {
  if (descriptor == nullptr) return CUFFT_SUCCESS;
  std::unique_ptr<Descriptor> last;
  {
    const std::lock_guard lock(plans_mutex);
    const auto found = descriptors().find(descriptor);
    if (found == descriptors().end()) return CUFFT_INVALID_VALUE;
    last = std::move(found->second);
    descriptors().erase(found);
  }
  release(*last, GPULAB_CALLER);
  return CUFFT_SUCCESS;
}

cufftResult cufftXtMemcpy(cufftHandle handle, void* to, void* from, cufftXtCopyType kind) {
  const bool to_gpus = kind == CUFFT_COPY_HOST_TO_DEVICE || kind == CUFFT_COPY_DEVICE_TO_DEVICE;
  const bool from_gpus = kind == CUFFT_COPY_DEVICE_TO_HOST || kind == CUFFT_COPY_DEVICE_TO_DEVICE;
  if (!to_gpus && !from_gpus) return CUFFT_INVALID_VALUE;
  Plan plan;
  if (const auto wrong = find(handle, plan, CUFFT_INTERNAL_ERROR); wrong != CUFFT_SUCCESS) return wrong;
  if ((to_gpus && !is_descriptor(to)) || (from_gpus && !is_descriptor(from))) return CUFFT_INVALID_VALUE;
  if (to == nullptr || from == nullptr) return CUFFT_INTERNAL_ERROR;  // the host's
  if (to_gpus && from_gpus)
    return copy_devices(plan, *static_cast<cudaLibXtDesc*>(to), *static_cast<cudaLibXtDesc*>(from), GPULAB_CALLER);
  return to_gpus ? copy_host(plan, *static_cast<cudaLibXtDesc*>(to), static_cast<char*>(from), true, GPULAB_CALLER)
                 : copy_host(plan, *static_cast<cudaLibXtDesc*>(from), static_cast<char*>(to), false, GPULAB_CALLER);
}

cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc* in, cudaLibXtDesc* out, int direction) {
  const cufftType wanted = CUFFT_C2C;
  return execute("cufftXtExecDescriptorC2C", plan, &wanted, in, out, direction, GPULAB_CALLER);
}
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc* in, cudaLibXtDesc* out, int direction) {
  const cufftType wanted = CUFFT_Z2Z;
  return execute("cufftXtExecDescriptorZ2Z", plan, &wanted, in, out, direction, GPULAB_CALLER);
}
#define GPULAB_EXECUTE(letters, direction)                                                              \
  cufftResult cufftXtExecDescriptor##letters(cufftHandle plan, cudaLibXtDesc* in, cudaLibXtDesc* out) { \
    const cufftType wanted = CUFFT_##letters;                                                           \
    return execute("cufftXtExecDescriptor" #letters, plan, &wanted, in, out, direction, GPULAB_CALLER); \
  }
GPULAB_EXECUTE(R2C, CUFFT_FORWARD)
GPULAB_EXECUTE(D2Z, CUFFT_FORWARD)
GPULAB_EXECUTE(C2R, CUFFT_INVERSE)
GPULAB_EXECUTE(Z2D, CUFFT_INVERSE)
#undef GPULAB_EXECUTE
/// Of a transform of one dimension that several GPUs do.
cufftResult cufftXtQueryPlan(cufftHandle handle, void* told, cufftXtQueryType which) {
  if (which != CUFFT_QUERY_1D_FACTORS || told == nullptr) return CUFFT_INVALID_VALUE;
  const std::lock_guard lock(plans_mutex);
  const Plan* const plan = plan_of(handle);
  if (plan == nullptr || !plan->made || plan->gpus.empty() || sharing_of(*plan) != Sharing::strings)
    return CUFFT_INVALID_PLAN;
  const Strings strings = strings_of(*plan);
  const auto bits = [](long long one) { return std::countr_zero(static_cast<unsigned long long>(one)); };
  cufftXt1dFactors made{};
  made.size = strings.size;
  made.stringCount = strings.count;
  made.stringLength = strings.size / strings.count;
  made.substringLength = strings.outer / strings.count;
  made.factor1 = strings.outer;
  made.factor2 = strings.inner;
  made.stringMask = made.stringLength - 1;
  made.substringMask = made.substringLength - 1;
  made.factor1Mask = made.factor1 - 1;
  made.factor2Mask = made.factor2 - 1;
  made.stringShift = bits(made.stringLength);
  made.substringShift = bits(made.substringLength);
  made.factor1Shift = bits(made.factor1);
  made.factor2Shift = bits(made.factor2);
  std::memcpy(told, &made, sizeof made);
  return CUFFT_SUCCESS;
}
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc* in, cudaLibXtDesc* out, int direction) {
  return execute("cufftXtExecDescriptor", plan, nullptr, in, out, direction, GPULAB_CALLER);
}

}  // extern "C"
