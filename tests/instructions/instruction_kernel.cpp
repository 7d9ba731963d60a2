#include "tests/instructions/instruction_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace gpulab::simt {
namespace {

constexpr std::size_t kLanesPerWarp = 32;

/// The operand's value as a literal.
std::string immediate(const CaseSlot& slot) {
  if (slot.kind == Kind::f32) return fmt::format("0f{:08X}", slot.value.bits);
  if (slot.kind == Kind::f64) return fmt::format("0d{:016X}", slot.value.bits);
  return fmt::format("0x{:x}", slot.value.bits);
}
bool can_be_immediate(const InstructionCase& one, const CaseSlot& slot) {
  // Not of packed operands.
  const bool packed = one.opcode.find("x2") != std::string::npos || one.opcode.rfind('v', 0) == 0;
  const bool short_float = slot.kind == Kind::f16 || slot.kind == Kind::bf16;
  return slot.kind != Kind::pred && !short_float && width_of(slot.kind) > 8 && !packed;
}

const CaseSlot* slot_at(const std::vector<CaseSlot>& slots, int r) {
  for (const auto& slot : slots)
    if (slot.r == r) return &slot;
  return nullptr;
}

/// One operand as PTX writes it: "%w1", "{%h1, _}", "0x7".
std::string operand_text(const InstructionCase& one, const OperandType& operand, int r, Operands operands) {
  const bool input = operand.role == Role::in || operand.role == Role::optional_in;
  std::string text;
  for (int k = 0; k < operand.vector; ++k) {
    const CaseSlot* slot = slot_at(input ? one.inputs : one.outputs, r + k);
    text += k == 0 ? "" : ", ";
    text += slot == nullptr ? "_"
            : input && operands == Operands::immediates && operand.vector == 1 && can_be_immediate(one, *slot)
                ? immediate(*slot)
                : register_name(*slot);
  }
  return operand.vector > 1 ? "{" + text + "}" : text;
}

/// "s8" of "cvt.rzi.s8.bf16": an integer that takes a register of its own width. Other conversions extend it.
std::string own_width_result(const std::string& opcode) {
  for (const char* type : {"u8", "s8", "s16"})
    if (opcode.rfind("cvt.", 0) == 0 && opcode.find(fmt::format(".{}.bf16", type)) != std::string::npos) return type;
  return {};
}

/// "d, a, b".
std::string operands_text(const InstructionCase& one, Operands operands) {
  std::string text;
  int r = 0;
  for (const auto& operand : one.row->meaning.operands) {
    const bool optional = operand.role == Role::optional_out || operand.role == Role::optional_in;
    const bool present = slot_at(one.inputs, r) != nullptr || slot_at(one.outputs, r) != nullptr;
    if (operand.role == Role::none) break;
    if (operand.role == Role::immediate) {
      text += fmt::format(", {}", one.imm);
    } else if (!optional || present) {
      text += operand.role == Role::optional_out ? "|" : r == 0 ? "" : ", ";
      text += operand_text(one, operand, r, operands);
    }
    r += operand.role == Role::immediate ? 0 : operand.vector;
  }
  return text;
}

/// Loads operand `slot` from word `index` of the lane's inputs.
std::string load_text(const CaseSlot& slot, std::size_t index) {
  const std::size_t offset = index * kLanesPerWarp * 8;
  if (slot.kind == Kind::pred)
    return fmt::format("  ld.global.u32 %word, [%in+{}];\n  setp.ne.u32 {}, %word, 0;\n", offset, register_name(slot));
  return fmt::format("  ld.global.{} {}, [%in+{}];\n", register_type(slot), register_name(slot), offset);
}
std::string store_text(const CaseSlot& slot, std::size_t index) {
  const std::size_t offset = index * kLanesPerWarp * 8;
  if (slot.kind == Kind::pred)
    return fmt::format("  selp.u32 %word, 1, 0, {};\n  st.global.u32 [%out+{}], %word;\n", register_name(slot), offset);
  return fmt::format("  st.global.{} [%out+{}], {};\n", register_type(slot), offset, register_name(slot));
}
std::string clear_text(const CaseSlot& slot) {
  if (slot.kind == Kind::pred) return fmt::format("  setp.ne.u32 {}, 0, 0;\n", register_name(slot));
  if (register_type(slot) == "b8") return fmt::format("  cvt.u8.u32 {}, 0;\n", register_name(slot));
  return fmt::format("  mov.{} {}, 0;\n", register_type(slot), register_name(slot));
}

constexpr const char* kPrologue = R"(  .reg .pred %p<8>, %on;
  .reg .b8 %b<8>;
  .reg .b16 %h<8>;
  .reg .b32 %w<8>, %word, %mask;
  .reg .b64 %d<8>, %in, %out, %lane;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ld.param.u32 %mask, [mask];
  mov.u32 %word, %tid.x;
  mul.wide.u32 %lane, %word, 8;
  add.s64 %in, %in, %lane;
  add.s64 %out, %out, %lane;
  shr.u32 %mask, %mask, %word;
  and.b32 %mask, %mask, 1;
  setp.ne.u32 %on, %mask, 0;
)";

/// The entry "c<number>" that runs a batch.
std::string instruction_kernel(const Batch& batch, std::size_t number, Operands operands) {
  const auto& one = batch.front();
  std::string text = fmt::format(".visible .entry c{}(.param .u64 in, .param .u64 out, .param .u32 mask) {{\n", number);
  text += kPrologue;
  for (std::size_t k = 0; k < one.inputs.size(); ++k) text += load_text(one.inputs[k], k);
  for (const auto& slot : one.outputs) text += clear_text(slot);
  text += instruction_text(one, "@%on ", operands);
  for (std::size_t k = 0; k < one.outputs.size(); ++k) text += store_text(one.outputs[k], k);
  return text + "  ret;\n}\n";
}

/// What lanes of a batch gave, as 32 words for each output.
struct BatchRun {
  std::uint32_t mask = 0;
  std::vector<std::uint64_t> results;
};

std::string check_batch(const Batch& batch, const BatchRun& run, std::size_t lanes) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto& one = batch[lane];
    const bool active = run.mask >> lane & 1;
    for (std::size_t k = 0; k < one.outputs.size(); ++k) {
      const auto& slot = one.outputs[k];
      const std::uint64_t got = run.results[k * kLanesPerWarp + lane] & width_mask(slot.kind);
      if (active ? !agrees(slot.value, got, slot.kind) : got != 0)
        return fmt::format("{}: {}: got {}{}", one.where, one.text, shown(got, slot.kind),
                           active ? "" : " in a lane whose guard is false");
    }
  }
  return {};
}

}  // namespace

std::string register_type(const CaseSlot& slot) {
  if (slot.kind == Kind::pred) return "pred";
  if (slot.own_width && width_of(slot.kind) == 8) return "b8";
  const Kind kind = slot.kind;
  return width_of(kind) <= 16 ? "b16" : width_of(kind) == 32 ? "b32" : "b64";
}
std::string register_name(const CaseSlot& slot) {
  const auto type = register_type(slot);
  return fmt::format("%{}{}",
                     type == "pred"  ? "p"
                     : type == "b8"  ? "b"
                     : type == "b16" ? "h"
                     : type == "b32" ? "w"
                                     : "d",
                     slot.r);
}

std::string instruction_text(const InstructionCase& one, const std::string& guard, Operands operands) {
  const auto narrow = own_width_result(one.opcode);
  if (narrow.empty()) return fmt::format("  {}{} {};\n", guard, one.opcode, operands_text(one, operands));
  const auto& slot = one.outputs.front();
  const char* own = narrow == "s16" ? "%h0" : "%b0";
  return fmt::format("  {0}{1} {2}, {3};\n  {0}cvt.{4}.{5} {6}, {2};\n", guard, one.opcode, own,
                     register_name(one.inputs.front()), narrow == "u8" ? "u16" : "s32", narrow, register_name(slot));
}

bool reads_carry(std::string_view opcode) {
  return opcode.substr(0, 4) == "addc" || opcode.substr(0, 4) == "subc" || opcode.substr(0, 4) == "madc";
}

bool loses_guard(std::string_view opcode) {
  return opcode.starts_with("testp.") || opcode == "vadd4.u32.u32.u32.add" || opcode == "vsub4.u32.u32.u32.add";
}

std::deque<std::string> instruction_modules(const std::vector<Batch>& all, Operands operands) {
  // Few kernels in each, for a device searches a module's whole text for a kernel.
  constexpr std::size_t kernels_each = 16;
  std::deque<std::string> modules;
  for (std::size_t number = 0; number < all.size(); ++number) {
    if (number % kernels_each == 0) modules.emplace_back(".version 8.1\n.target sm_90\n.address_size 64\n");
    modules.back() += instruction_kernel(all[number], number, operands);
  }
  return modules;
}

std::vector<std::string> wrong_cases(Device& device, const std::vector<Batch>& all, Operands operands,
                                     CompiledBy compiler) {
  constexpr std::size_t most_operands = 6;
  std::vector<std::string> wrong;
  std::vector<std::uint64_t> inputs(most_operands * kLanesPerWarp), outputs(inputs.size());
  const DevicePointer in = device.allocate("in", inputs.size() * 8), out = device.allocate("out", outputs.size() * 8);
  for (std::size_t number = 0; number < all.size(); ++number) {
    const Batch& batch = all[number];
    const std::size_t lanes = operands == Operands::immediates ? 1 : std::min(batch.size(), kLanesPerWarp);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (std::size_t k = 0; k < batch[lane].inputs.size(); ++k)
        inputs[k * kLanesPerWarp + lane] = batch[lane].inputs[k].value.bits;
    device.write(in, std::as_bytes(std::span(inputs)));
    const Kernel kernel = device.kernel(fmt::format("c{}", number));
    const bool guarded = compiler != CompiledBy::ptxas || !loses_guard(batch.front().opcode);
    for (const std::uint32_t mask : {0xffffffffu, 0x55555555u}) {
      if (mask != 0xffffffffu && !guarded) continue;
      device.fill(out, std::byte{0xee}, outputs.size() * 8);
      const std::vector<KernelArgument> arguments = {KernelArgument::of(in), KernelArgument::of(out),
                                                     KernelArgument::of(mask)};
      device.launch(kernel, {{1, 1, 1}, {kLanesPerWarp, 1, 1}}, arguments);
      device.synchronize();
      device.read(std::as_writable_bytes(std::span(outputs)), out);
      const auto difference = check_batch(batch, {mask, outputs}, lanes);
      if (!difference.empty()) wrong.push_back(difference);
    }
  }
  return wrong;
}

}  // namespace gpulab::simt
