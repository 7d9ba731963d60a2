#include "common/simt/decode/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/demangle.h"
#include "common/error.h"
#include "common/simt/decode/decoder.h"
#include "common/simt/decode/fuse.h"
#include "common/simt/decode/layout.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

// ---- slots ----

std::uint16_t SlotPool::take(bool wide) {
  const std::uint32_t slot = program_.slots;
  program_.slots += wide ? 4 : 2;
  if (program_.slots > 0xffff)
    throw usage_error(fmt::format("kernel {} needs more registers than the simulator has", program_.name));
  return static_cast<std::uint16_t>(slot);
}

std::uint16_t SlotPool::constant(bool wide, std::uint64_t bits) {
  const auto [entry, fresh] = constants_.try_emplace({wide, bits});
  if (fresh) {
    entry->second = take(wide);
    program_.constants.push_back({entry->second, wide, bits});
  }
  return entry->second;
}

std::uint16_t SlotPool::special(bool wide, const SpecialRegister& which) {
  const auto [entry, fresh] = specials_.try_emplace({wide, &which});
  if (fresh) {
    entry->second = take(wide);
    program_.specials.push_back({entry->second, wide, &which});
  }
  return entry->second;
}

std::uint16_t SlotPool::parameter(bool wide, Kind kind, std::uint32_t offset) {
  const auto [entry, fresh] = parameters_.try_emplace({wide, kind, offset});
  if (fresh) {
    entry->second = take(wide);
    program_.parameters.push_back({entry->second, wide, kind, offset});
  }
  return entry->second;
}

std::uint16_t SlotPool::scratch(int register_class, int k) {
  const auto [entry, fresh] = scratch_.try_emplace({register_class, k});
  if (fresh)
    entry->second = register_class == 2 ? static_cast<std::uint16_t>(program_.preds++) : take(register_class == 1);
  return entry->second;
}

std::uint16_t SlotPool::constant_pred(bool value) {
  int& number = preds_[value];
  if (number < 0) {
    number = static_cast<int>(program_.preds++);
    if (value) program_.true_pred = number;
  }
  return static_cast<std::uint16_t>(number);
}

// ---- symbols ----

const Symbol* Decoder::find_module_symbol(std::string_view name) {
  if (const auto found = module_symbols.find(name); found != module_symbols.end()) return &found->second;
  if (const auto address = context.address_of(name)) return &(module_symbols[name] = {Symbol::Where::global, *address});
  const auto function = module_functions.find(name);
  if (function == module_functions.end()) return nullptr;
  return &(module_symbols[name] = {Symbol::Where::function, code_address(function->second)});
}

namespace {

constexpr std::uint64_t kMostInstructions = 1 << 19;  ///< of a kernel and all that it calls

bool calls_indirectly(const ptx::Function& function) {
  return std::any_of(function.calls.begin(), function.calls.end(),
                     [](const auto& call) { return call.target.kind == ptx::Operand::Kind::reg; });
}

/// The entry and every function that it can reach: by calls, or by an address that it takes.
void collect_functions(Decoder& decoder, std::string_view entry) {
  auto& functions = decoder.program.functions;
  decoder.program.function_numbers.assign(decoder.module.functions.size(), -1);
  const auto add = [&](std::string_view name) {
    const auto found = decoder.module_functions.find(name);
    if (found == decoder.module_functions.end() || decoder.function_index.count(name)) return;
    const ptx::Function& function = decoder.module.functions[found->second];
    if (!function.has_body) return;
    if (function.is_entry && !functions.empty()) return;  // a kernel that this one launches runs as a grid of its own
    decoder.function_index[name] = static_cast<std::uint32_t>(functions.size());
    decoder.program.function_numbers[found->second] = static_cast<std::int32_t>(functions.size());
    functions.emplace_back().function = &function;
  };
  add(entry);
  if (functions.empty()) throw usage_error(fmt::format("no kernel '{}' in {}", entry, decoder.module.name));
  bool indirect = false;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const ptx::Function& function = *functions[i].function;
    for (const auto& call : function.calls)
      if (call.target.kind != ptx::Operand::Kind::reg) add(call.target.name);
    for (const auto& instruction : function.instructions)
      for (const auto& operand : instruction.operands)
        if (operand.kind == ptx::Operand::Kind::symbol) add(operand.name);
    indirect = indirect || calls_indirectly(function);
  }
  // Tables of function pointers live in initialised variables: with indirect calls, every function may be reached.
  if (indirect)
    for (const auto& function : decoder.module.functions)
      if (!function.is_entry) add(function.name);
  std::uint64_t instructions = 0;
  for (const auto& info : functions) instructions += info.function->instructions.size();
  if (instructions > kMostInstructions)
    throw usage_error(fmt::format("kernel {} has {} instructions, with those of the functions that it calls: the "
                                  "simulator takes at most {}",
                                  decoder.program.name, instructions, kMostInstructions),
                      "unroll less", decoder.module.name);
}

}  // namespace

std::unique_ptr<Program> decode(const std::shared_ptr<const ptx::Module>& module, std::string_view entry,
                                const DecodeContext& context) {
  auto program = std::make_unique<Program>();
  program->module = module;
  program->name = kernel_name(entry);
  Decoder decoder(*module, *program, context);
  collect_functions(decoder, entry);
  layout_shared(decoder);
  std::vector<FunctionDecoder> functions;
  functions.reserve(program->functions.size());
  for (std::uint32_t i = 0; i < program->functions.size(); ++i) {
    FunctionDecoder& function = functions.emplace_back(decoder, i);
    function.make_items();
    function.layout_frame();
    function.allocate();
  }
  layout_stack(decoder);
  if (context.watches & kWatchWays) find_waiting(decoder, functions);
  for (auto& function : functions) function.emit();
  fuse(*program);
  for (auto& block : program->blocks) block.first = program->ops.data() + block.first_op;
  return program;
}

}  // namespace gpulab::simt
