// The kernels of float_opcode.h: thread i loads the operands of try i, runs the instruction, and stores its results.

#include <fmt/format.h>

#include <algorithm>

#include "tests/instructions/float_opcode.h"
#include "tests/instructions/instruction_kernel.h"

namespace gpulab::simt {
namespace {

constexpr std::uint32_t kBlock = 128;

constexpr const char* kPrologue = R"((.param .u64 in, .param .u64 out, .param .u32 count) {
  .reg .pred %p<8>, %beyond;
  .reg .b8 %b<8>;
  .reg .b16 %h<8>;
  .reg .b32 %w<8>, %word, %count, %thread;
  .reg .b64 %d<8>, %in, %out, %place, %column;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %count, [count];
  mov.u32 %thread, %ctaid.x;
  mov.u32 %word, %ntid.x;
  mul.lo.u32 %thread, %thread, %word;
  mov.u32 %word, %tid.x;
  add.u32 %thread, %thread, %word;
  setp.ge.u32 %beyond, %thread, %count;
  @%beyond ret;
  mul.wide.u32 %place, %thread, 8;
  add.u64 %in, %in, %place;
  mul.wide.u32 %column, %count, 8;
)";

std::string kernel_text(const FloatOpcode& opcode, std::size_t number) {
  const auto& shape = opcode.shape;
  std::string text = fmt::format(".visible .entry f{}{}", number, kPrologue);
  for (const auto& slot : shape.inputs)
    text += fmt::format("  ld.global.{} {}, [%in];\n  add.u64 %in, %in, %column;\n", register_type(slot),
                        register_name(slot));
  text += instruction_text(shape, "", Operands::registers);
  text += fmt::format("  mul.wide.u32 %place, %thread, {};\n  add.u64 %out, %out, %place;\n", 8 * shape.outputs.size());
  for (std::size_t j = 0; j < shape.outputs.size(); ++j) {
    const auto& slot = shape.outputs[j];
    const auto name = register_name(slot), type = register_type(slot);
    if (slot.kind == Kind::pred)
      text += fmt::format("  selp.u32 %word, 1, 0, {};\n  st.global.u32 [%out+{}], %word;\n", name, 8 * j);
    else
      text += fmt::format("  st.global.{} [%out+{}], {};\n", type, 8 * j, name);
  }
  return text + "  ret;\n}\n";
}

}  // namespace

std::string float_module(std::span<const FloatOpcode> opcodes, std::size_t first) {
  std::string text = ".version 8.1\n.target sm_90\n.address_size 64\n";
  for (std::size_t i = 0; i < opcodes.size(); ++i) text += kernel_text(opcodes[i], first + i);
  return text;
}

Results run_on(Device& device, const FloatOpcode& opcode, std::size_t number, const Columns& columns) {
  const std::size_t count = columns.front().size(), outputs = opcode.shape.outputs.size();
  const DevicePointer in = device.allocate("in", columns.size() * count * 8);
  const DevicePointer out = device.allocate("out", count * outputs * 8);
  for (std::size_t k = 0; k < columns.size(); ++k)
    device.write(in + k * count * 8, std::as_bytes(std::span(columns[k])));
  device.fill(out, std::byte{0}, count * outputs * 8);
  const std::vector<KernelArgument> arguments = {KernelArgument::of(in), KernelArgument::of(out),
                                                 KernelArgument::of(static_cast<std::uint32_t>(count))};
  const auto blocks = static_cast<std::uint32_t>((count + kBlock - 1) / kBlock);
  device.launch(device.kernel(fmt::format("f{}", number)), {{blocks, 1, 1}, {kBlock, 1, 1}}, arguments);
  device.synchronize();
  Results results(count * outputs);
  device.read(std::as_writable_bytes(std::span(results)), out);
  device.release(in);
  device.release(out);
  for (std::size_t i = 0; i < results.size(); ++i) results[i] &= width_mask(opcode.shape.outputs[i % outputs].kind);
  return results;
}

}  // namespace gpulab::simt
