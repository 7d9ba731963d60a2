#include "common/simt/decode/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/demangle.h"
#include "common/error.h"
#include "common/simt/decode/decoder.h"
#include "common/simt/decode/fuse.h"
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
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].name == name) return &(module_symbols[name] = {Symbol::Where::function, code_address(i)});
  return nullptr;
}

namespace {

constexpr std::uint64_t kReservedShared = 1024;  ///< bytes: %reserved_smem_offset_… (sm_80 and later)

/// Shared variables of the module and of its functions get offsets; dynamic shared memory starts behind them all.
void layout_shared(Decoder& decoder, const std::vector<FunctionInfo>& functions) {
  std::uint64_t end = 0, gaps = 0;
  const std::uint64_t gap = decoder.context.watches & kGapsInShared ? 2 * 128 : 0;  // whole rounds of the banks
  std::vector<std::string_view> dynamic;
  std::uint64_t dynamic_align = 16;
  const auto place = [&](const ptx::Variable& variable) {
    if (variable.space != ptx::Space::shared || decoder.module_symbols.count(variable.name)) return;
    const std::uint64_t align = std::max(variable.align, 1u);
    if (variable.is_extern || variable.size == 0) {
      dynamic.push_back(variable.name);
      dynamic_align = std::max(dynamic_align, align);
      decoder.module_symbols[variable.name] = {Symbol::Where::shared, 0};
      return;
    }
    end = (end + align - 1) / align * align;
    decoder.module_symbols[variable.name] = {Symbol::Where::shared, end + gaps};
    decoder.program.shared_variables.push_back({variable.name, end + gaps, variable.size, false});
    end += variable.size;
    gaps += gap;
  };
  for (const auto& variable : decoder.module.variables) {
    // nvcc lifts a kernel's shared arrays to module scope: only those that this program names count.
    const auto uses = [&](const FunctionInfo& info) {
      for (const auto& instruction : info.function->instructions)
        for (const auto& operand : instruction.operands)
          if (operand.name == variable.name) return true;
      return false;
    };
    if (variable.space == ptx::Space::shared && std::any_of(functions.begin(), functions.end(), uses)) place(variable);
  }
  for (const auto& info : functions)
    for (const auto& variable : info.function->variables) place(variable);
  decoder.program.static_shared_bytes = static_cast<std::uint32_t>(end);
  // The system's own shared memory, where cooperative groups of several warps keep their barriers: only if asked for.
  const auto asks = [](const FunctionInfo& info) {
    for (const auto& instruction : info.function->instructions)
      for (const auto& operand : instruction.operands)
        if (operand.name.starts_with("%reserved_smem_offset")) return true;
    return false;
  };
  if (std::any_of(functions.begin(), functions.end(), asks)) {
    end = (end + 127) / 128 * 128;
    decoder.program.reserved_shared_offset = static_cast<std::uint32_t>(end);
    end += kReservedShared;
  }
  const std::uint64_t start = (end + dynamic_align - 1) / dynamic_align * dynamic_align;
  decoder.program.dynamic_shared_offset = static_cast<std::uint32_t>((dynamic.empty() ? end : start) + gaps);
  for (const auto name : dynamic) {
    decoder.module_symbols[name] = {Symbol::Where::shared, start + gaps};
    decoder.program.shared_variables.push_back({name, start + gaps, 0, true});
  }
}

const ptx::Function* find_function(const ptx::Module& module, std::string_view name) {
  for (const auto& function : module.functions)
    if (function.name == name && function.has_body) return &function;
  return nullptr;
}

bool calls_indirectly(const ptx::Function& function) {
  return std::any_of(function.calls.begin(), function.calls.end(),
                     [](const auto& call) { return call.target.kind == ptx::Operand::Kind::reg; });
}

/// The entry and every function that it can reach: by calls, or by an address that it takes.
void collect_functions(Decoder& decoder, std::string_view entry) {
  auto& functions = decoder.program.functions;
  const auto add = [&](std::string_view name) {
    const ptx::Function* function = find_function(decoder.module, name);
    if (!function || decoder.function_index.count(name)) return;
    if (function->is_entry && !functions.empty()) return;  // a kernel that this one launches runs as a grid of its own
    decoder.function_index[name] = static_cast<std::uint32_t>(functions.size());
    functions.emplace_back().function = function;
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
}

/// Callees of each function, as indices; an indirect call may reach every function but the entry.
std::vector<std::vector<std::uint32_t>> call_graph(const Decoder& decoder) {
  const auto& functions = decoder.program.functions;
  std::vector<std::vector<std::uint32_t>> callees(functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const auto& call : functions[i].function->calls) {
      if (call.target.kind == ptx::Operand::Kind::reg) {
        for (std::uint32_t k = 1; k < functions.size(); ++k) callees[i].push_back(k);
      } else if (const auto found = decoder.function_index.find(call.target.name);
                 found != decoder.function_index.end()) {
        callees[i].push_back(found->second);
      }
    }
  }
  return callees;
}

constexpr std::uint32_t kRecursiveStack = 32 << 10;  ///< bytes per lane for frames of recursive functions

/// Marks recursive functions and sizes the local memory of a lane by the deepest chain of frames.
void layout_stack(Decoder& decoder) {
  auto& functions = decoder.program.functions;
  const auto callees = call_graph(decoder);
  const auto count = functions.size();
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> open(callees[i].begin(), callees[i].end());
    while (!open.empty()) {
      const auto k = open.back();
      open.pop_back();
      if (reaches[i][k]) continue;
      reaches[i][k] = true;
      open.insert(open.end(), callees[k].begin(), callees[k].end());
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    functions[i].recursive = reaches[i][i];
    decoder.program.recursive = decoder.program.recursive || functions[i].recursive;
  }
  const auto depth = [&](auto& self, std::size_t i) -> std::uint32_t {
    std::uint32_t deepest = 0;
    for (const auto k : callees[i])
      if (!functions[k].recursive) deepest = std::max(deepest, self(self, k));
    return functions[i].frame_bytes + deepest;
  };
  std::uint32_t bytes = depth(depth, 0);
  if (decoder.program.recursive) bytes += kRecursiveStack;
  decoder.program.local_bytes = (bytes + 15) / 16 * 16;
}

}  // namespace

std::unique_ptr<Program> decode(const std::shared_ptr<const ptx::Module>& module, std::string_view entry,
                                const DecodeContext& context) {
  auto program = std::make_unique<Program>();
  program->module = module;
  program->name = kernel_name(entry);
  Decoder decoder(*module, *program, context);
  collect_functions(decoder, entry);
  layout_shared(decoder, program->functions);
  std::vector<FunctionDecoder> functions;
  functions.reserve(program->functions.size());
  for (std::uint32_t i = 0; i < program->functions.size(); ++i) {
    FunctionDecoder& function = functions.emplace_back(decoder, i);
    function.make_items();
    function.layout_frame();
    function.allocate();
  }
  layout_stack(decoder);
  for (auto& function : functions) function.emit();
  fuse(*program);
  for (auto& block : program->blocks) block.first = program->ops.data() + block.first_op;
  return program;
}

}  // namespace gpulab::simt
