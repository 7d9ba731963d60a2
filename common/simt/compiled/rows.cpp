#include "common/simt/compiled/rows.h"

#include <fmt/format.h>

#include "common/simt/compiled/row_bitcode.h"
#include "common/simt/isa/instruction_set.h"

namespace gpulab::simt::compiled {

std::string row_name(RowNumber row) { return fmt::format("row_{}_{}_{}", row.table, row.row, row.mods); }

Rows::Rows(const Library& llvm, Context context, std::string& why) : llvm_(llvm), context_(context) {
  why = fmt::format("this build has no bitcode of the rows for the CPU level {}", cpu_level());
  // LLVM's own handler of errors ends the process.
  llvm.ContextSetDiagnosticHandler(
      context,
      [](LLVMDiagnostic* what, void* self) {
        Rows& rows = *static_cast<Rows*>(self);
        char* const text = rows.llvm_.GetDiagInfoDescription(what);
        rows.problem_ = text;
        rows.llvm_.DisposeMessage(text);
      },
      this);
  for (const RowBitcode& bitcode : row_bitcode()) {
    if (bitcode.level != cpu_level()) continue;
    LLVMBuffer* const buffer =
        llvm.CreateMemoryBufferWithMemoryRange(bitcode.bytes.data(), bitcode.bytes.size(), "rows", 0);
    Module module = nullptr;
    if (llvm.GetBitcodeModuleInContext2(context, buffer, &module) != 0) {
      why = fmt::format("{} is older than the clang that this was built with", llvm.path);
      return;
    }
    modules_.push_back(module);
    read(bitcode.table, module);
    why.clear();
  }
}

Rows::~Rows() {
  for (const Module module : modules_) llvm_.DisposeModule(module);
  llvm_.ContextSetDiagnosticHandler(
      context_, [](LLVMDiagnostic*, void*) {}, nullptr);
}

/// Renames the value functions, and has link() take those alone that somebody calls: so LLVM treats what has this
/// linkage. Rows that share a function have it by the name of the first.
void Rows::read(std::size_t table, Module module) {
  const Value global = llvm_.GetNamedGlobal(module, kValueTable);
  if (!global) return;
  llvm_.SetLinkage(global, kLinkOnceOdr);
  if (llvm_.GetNumOperands(llvm_.GetInitializer(global)) == 0) return;  // no row has a function
  const Value entries = llvm_.GetOperand(llvm_.GetInitializer(global), 0);
  const int count = llvm_.GetNumOperands(entries);
  for (int i = 0; i < count; ++i) {
    const Value entry = llvm_.GetOperand(entries, static_cast<unsigned>(i));
    const Value all = llvm_.GetOperand(entry, 1), one = llvm_.GetOperand(entry, 2);
    if (!llvm_.IsAFunction(all) || !llvm_.IsAFunction(one)) continue;
    const std::uint64_t row_and_mods = llvm_.ConstIntGetZExtValue(llvm_.GetOperand(entry, 0));
    const RowNumber number{table, row_and_mods / (kValueMods + 1),
                           static_cast<std::uint16_t>(row_and_mods % (kValueMods + 1))};
    std::size_t length = 0;
    const std::string known = llvm_.GetValueName2(all, &length);
    if (known.starts_with("row_")) {
      functions_[number] = known.substr(0, known.size() - 4);
      continue;
    }
    const std::string name = row_name(number);
    functions_[number] = name;
    if (all != one) llvm_.SetValueName2(one, (name + "_one").c_str(), name.size() + 4);
    llvm_.SetValueName2(all, (name + "_all").c_str(), name.size() + 4);
    llvm_.SetLinkage(all, kLinkOnceOdr);
    llvm_.SetLinkage(one, kLinkOnceOdr);
  }
}

void Rows::prepare(Module module) const {
  llvm_.SetDataLayout(module, llvm_.GetDataLayoutStr(modules_.front()));
  llvm_.SetTarget(module, llvm_.GetTarget(modules_.front()));
}

std::string Rows::link(Module module) {
  bool linked = true;
  for (const Module rows : modules_) linked = llvm_.LinkModules2(module, rows) == 0 && linked;  // which takes `rows`
  modules_.clear();
  return linked ? std::string{} : fmt::format("its rows cannot be linked: {}", problem_);
}

}  // namespace gpulab::simt::compiled
