// Where a program's shared variables lie, and how much local memory the frames of its calls take.

#include "common/simt/decode/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "common/demangle.h"
#include "common/error.h"
#include "common/ptx/extent.h"
#include "common/simt/decode/stack.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

namespace {

constexpr std::uint64_t kReservedShared = 1024;  ///< bytes: %reserved_smem_offset_… (sm_80 and later)
constexpr std::string_view kAsksForReserved = "%reserved_smem_offset";

/// What the instructions of a program name.
struct Names {
  std::unordered_set<std::string_view> all;
  bool reserved_shared = false;
  explicit Names(const std::vector<FunctionInfo>& functions) {
    for (const auto& info : functions)
      for (const auto& instruction : info.function->instructions)
        for (const auto& operand : instruction.operands) {
          all.insert(operand.name);
          reserved_shared = reserved_shared || operand.name.starts_with(kAsksForReserved);
        }
  }
};

/// The shared segment of a block while it is laid out.
class SharedSegment {
 public:
  explicit SharedSegment(Decoder& decoder)
      : decoder_(decoder),
        layout_(decoder.context.most_shared_bytes),
        gap_(decoder.context.watches & kGapsInShared ? 2 * 128 : 0) {}  // whole rounds of the banks

  void place(const ptx::Variable& variable) {
    if (variable.space != ptx::Space::shared || decoder_.module_symbols.count(variable.name)) return;
    if (variable.is_extern || variable.size == 0) {
      dynamic_.push_back(variable.name);
      dynamic_align_ = std::max<std::uint64_t>(dynamic_align_, variable.align);
      decoder_.module_symbols[variable.name] = {Symbol::Where::shared, 0};
      return;
    }
    const std::uint64_t at = place(variable.name, variable.size, variable.align) + gaps_;
    decoder_.module_symbols[variable.name] = {Symbol::Where::shared, at};
    decoder_.program.shared_variables.push_back({variable.name, at, variable.size, false});
    gaps_ += gap_;
  }

  /// Dynamic shared memory starts behind all variables, and behind the system's own part where the kernel asks for it.
  void finish(bool reserved) {
    Program& program = decoder_.program;
    program.static_shared_bytes = static_cast<std::uint32_t>(layout_.end());
    std::uint64_t end = layout_.end();
    if (!dynamic_.empty()) end = place(dynamic_.front(), 0, dynamic_align_);
    if (reserved) {
      const std::uint64_t at = (layout_.end() + 127) / 128 * 128;
      program.reserved_shared_offset = static_cast<std::uint32_t>(at);
      end = at + kReservedShared;
      if (!dynamic_.empty()) end = (end + dynamic_align_ - 1) / dynamic_align_ * dynamic_align_;
    }
    program.dynamic_shared_offset = static_cast<std::uint32_t>(end + gaps_);
    for (const auto name : dynamic_) {
      decoder_.module_symbols[name] = {Symbol::Where::shared, end + gaps_};
      program.shared_variables.push_back({name, end + gaps_, 0, true});
    }
  }

 private:
  std::uint64_t place(std::string_view name, std::uint64_t bytes, std::uint64_t align) {
    if (const auto at = layout_.place(bytes, align)) return *at;
    throw usage_error(
        fmt::format("a block has at most {} bytes of shared memory: '{}', {} bytes aligned to {}, does not "
                    "fit behind the {} before it",
                    decoder_.context.most_shared_bytes, demangle(name), bytes, align, layout_.end()),
        {}, decoder_.program.name);
  }

  Decoder& decoder_;
  Layout layout_;
  std::uint64_t gap_, gaps_ = 0, dynamic_align_ = 16;
  std::vector<std::string_view> dynamic_;
};

/// Who calls whom, by index into Program::functions. The node behind the last function stands for what an indirect call
/// may reach: every function but the entry.
class CallGraph {
 public:
  explicit CallGraph(const Decoder& decoder) : callees_(decoder.program.functions.size() + 1) {
    const auto& functions = decoder.program.functions;
    const auto anything = static_cast<std::uint32_t>(functions.size());
    for (std::uint32_t k = 1; k < anything; ++k) callees_[anything].push_back(k);
    for (std::uint32_t i = 0; i < anything; ++i)
      for (const auto& call : functions[i].function->calls)
        if (call.target.kind == ptx::Operand::Kind::reg)
          callees_[i].push_back(anything);
        else if (const auto found = decoder.function_index.find(call.target.name);
                 found != decoder.function_index.end())
          callees_[i].push_back(found->second);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& callees(std::uint32_t node) const { return callees_[node]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(callees_.size()); }

 private:
  std::vector<std::vector<std::uint32_t>> callees_;
};

/// Tarjan's strongly connected components, with a stack of its own; visit(members) sees a component after all that it
/// calls.
template <typename Visit>
void for_each_component(const CallGraph& graph, Visit visit) {
  constexpr std::uint32_t unseen = UINT32_MAX;
  std::vector<std::uint32_t> order(graph.size(), unseen), low(graph.size()), open;
  std::vector<bool> is_open(graph.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;
  std::uint32_t clock = 0;
  const auto enter = [&](std::uint32_t node) {
    order[node] = low[node] = clock++;
    open.push_back(node);
    is_open[node] = true;
    stack.emplace_back(node, 0);
  };
  for (std::uint32_t start = 0; start < graph.size(); ++start) {
    if (order[start] == unseen) enter(start);
    while (!stack.empty()) {
      const std::uint32_t node = stack.back().first;
      if (stack.back().second < graph.callees(node).size()) {
        const std::uint32_t to = graph.callees(node)[stack.back().second++];
        if (order[to] == unseen)
          enter(to);
        else if (is_open[to])
          low[node] = std::min(low[node], order[to]);
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().first] = std::min(low[stack.back().first], low[node]);
      if (low[node] != order[node]) continue;
      const auto first =
          static_cast<std::size_t>(std::find(open.rbegin(), open.rend(), node).base() - open.begin()) - 1;
      const std::vector<std::uint32_t> members(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
      open.resize(first);
      for (const auto member : members) is_open[member] = false;
      visit(members);
    }
  }
}

}  // namespace

void layout_shared(Decoder& decoder) {
  const auto& functions = decoder.program.functions;
  const Names names(functions);
  SharedSegment segment(decoder);
  // nvcc lifts a kernel's shared arrays to module scope: only those that this program names count.
  for (const auto& variable : decoder.module.variables)
    if (variable.space == ptx::Space::shared && names.all.contains(variable.name)) segment.place(variable);
  for (const auto& info : functions)
    for (const auto& variable : info.function->variables) segment.place(variable);
  segment.finish(names.reserved_shared);
}

void layout_stack(Decoder& decoder) {
  Program& program = decoder.program;
  auto& functions = program.functions;
  const CallGraph graph(decoder);
  const auto anything = static_cast<std::uint32_t>(functions.size());
  std::vector<std::uint64_t> depth(graph.size());  ///< of what is called one inside the other, its own frame included
  std::vector<bool> recursive(graph.size());
  for_each_component(graph, [&](const std::vector<std::uint32_t>& members) {
    const auto& own = graph.callees(members.front());
    const bool again = members.size() > 1 || std::find(own.begin(), own.end(), members.front()) != own.end();
    for (const auto member : members) recursive[member] = again;
    for (const auto member : members) {
      for (const auto callee : graph.callees(member))
        if (!recursive[callee] || callee == anything) depth[member] = std::max(depth[member], depth[callee]);
      if (member != anything) depth[member] += functions[member].frame_bytes;
    }
  });
  for (std::uint32_t i = 0; i < anything; ++i) {
    functions[i].recursive = recursive[i];
    if (recursive[i]) functions[i].frame_bytes = std::max(functions[i].frame_bytes, kLeastFrame);
    program.recursive = program.recursive || recursive[i];
  }
  const std::uint64_t bytes = (depth[0] + (program.recursive ? kRecursiveStack : 0) + 15) / 16 * 16;
  if (bytes > kMostLocalBytes)
    throw usage_error(
        fmt::format("the variables of the functions that kernel {} calls one inside the other need {} bytes "
                    "of local memory, of which a thread has {}",
                    program.name, bytes, kMostLocalBytes),
        "put large arrays into global memory", decoder.module.name);
  program.local_bytes = static_cast<std::uint32_t>(bytes);
}

}  // namespace gpulab::simt
