#include "tests/fidelity/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

// The build names the PTX files; the assembler embeds them.
#define EMBED(symbol, path)                                                      \
  asm(".pushsection .rodata\n.global " #symbol "\n" #symbol ":\n.incbin \"" path \
      "\"\n.byte 0\n"                                                            \
      ".popsection\n");                                                          \
  extern "C" const char symbol[];

EMBED(gpulab_fidelity_global_ptx, GPULAB_FIDELITY_PTX "/global.ptx")
EMBED(gpulab_fidelity_shared_ptx, GPULAB_FIDELITY_PTX "/shared.ptx")
EMBED(gpulab_fidelity_local_ptx, GPULAB_FIDELITY_PTX "/local.ptx")
EMBED(gpulab_fidelity_atomic_ptx, GPULAB_FIDELITY_PTX "/atomic.ptx")
EMBED(gpulab_fidelity_control_ptx, GPULAB_FIDELITY_PTX "/control.ptx")

namespace gpulab::fidelity {
namespace {

constexpr Buffer kBuffers[] = {Buffer::in, Buffer::out, Buffer::other};

std::string text_of(const Argument& argument) {
  if (const auto* number = std::get_if<int>(&argument)) return fmt::format(" {}", *number);
  if (const auto* number = std::get_if<std::uint64_t>(&argument)) return fmt::format(" {}", *number);
  return {};
}
std::string text_of(const Dim3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

const Step* atomic_on(Space space, const Case& one) {
  const auto found = std::find_if(one.steps.begin(), one.steps.end(), [&](const Step& step) {
    return step.action >= Action::add_u32 && step.space == space;
  });
  return found == one.steps.end() ? nullptr : &*found;
}

/// Small numbers of the atomic's own type: sums of floats are exact, and compare-and-swaps sometimes succeed.
std::vector<std::byte> small_numbers(const Step& atomic, const Case& one) {
  std::vector<std::byte> bytes(kBufferBytes);
  const bool is_float = one.kernel.find("<float>") != std::string::npos;
  for (std::size_t i = 0; i < kBufferBytes / atomic.width; ++i) {
    const std::uint64_t number = i % 8;
    const std::uint64_t bits = is_float ? std::bit_cast<std::uint32_t>(static_cast<float>(number)) : number;
    std::memcpy(&bytes[i * atomic.width], &bits, atomic.width);
  }
  return bytes;
}

}  // namespace

std::string Case::name() const {
  std::string text = kernel;
  for (const auto& argument : arguments) text += text_of(argument);
  return fmt::format("{} [{} of {}]", text, text_of(grid), text_of(block));
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& part : {global_cases(), shared_cases(), local_cases(), atomic_cases(), control_cases()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<std::byte> initial(Buffer buffer, const Case& one) {
  const Space space = static_cast<Space>(buffer);
  if (const Step* atomic = atomic_on(space, one))
    return buffer == Buffer::out ? std::vector<std::byte>(kBufferBytes) : small_numbers(*atomic, one);
  std::vector<std::byte> bytes(kBufferBytes, std::byte{0xee});
  if (buffer == Buffer::out) return bytes;
  std::uint32_t state = buffer == Buffer::in ? 1 : 2;
  for (auto& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

std::vector<ModuleImage> suite_modules() {
  return {{"tests/fidelity/global.cu", gpulab_fidelity_global_ptx, {}},
          {"tests/fidelity/shared.cu", gpulab_fidelity_shared_ptx, {}},
          {"tests/fidelity/local.cu", gpulab_fidelity_local_ptx, {}},
          {"tests/fidelity/atomic.cu", gpulab_fidelity_atomic_ptx, {}},
          {"tests/fidelity/control.cu", gpulab_fidelity_control_ptx, {}}};
}

std::vector<std::vector<std::byte>> launch(Device& device, const Case& one) {
  std::vector<DevicePointer> pointers;
  for (const Buffer buffer : kBuffers) {
    pointers.push_back(device.allocate("buffer", kBufferBytes));
    device.write(pointers.back(), initial(buffer, one));
  }
  std::vector<KernelArgument> arguments;
  for (const auto& argument : one.arguments)
    arguments.push_back(std::visit(
        [&](auto value) {
          if constexpr (std::is_same_v<decltype(value), Buffer>)
            return KernelArgument::of(pointers[static_cast<std::size_t>(value)]);
          else
            return KernelArgument::of(value);
        },
        argument));
  device.launch(device.kernel(one.kernel), {one.grid, one.block}, arguments);
  device.synchronize();
  std::vector<std::vector<std::byte>> after;
  for (const DevicePointer pointer : pointers) {
    device.read(after.emplace_back(kBufferBytes), pointer);
    device.release(pointer);
  }
  return after;
}

}  // namespace gpulab::fidelity
