#include "common/simt/compiled/ahead/keeper.h"

#include <utility>

#include "common/simt/compiled/emit/emit.h"
#include "common/simt/compiled/llvm/passes.h"
#include "common/simt/isa/instruction_set.h"

namespace gpulab::simt::compiled {

namespace {

Keeper& keeper_in_use() {
  static Keeper keeper;
  return keeper;
}

/// An LLVM message, which is given back.
std::string taken(const Library& llvm, char* message) {
  std::string text = message ? message : "LLVM does not say why";
  if (message) llvm.DisposeMessage(message);
  return text;
}

}  // namespace

void keep_code(Keeper keeper) { keeper_in_use() = std::move(keeper); }
const Keeper& code_keeper() { return keeper_in_use(); }

std::string write_object(const Library& llvm, Context context, Module module, const std::string& function,
                         const std::string& path) {
  constexpr int level = 2, position_independent = 2, default_code_model = 0, object = 1;
  const std::string cpu = "x86-64-" + std::string(cpu_level()), triple = llvm.GetTarget(module);
  set_attributes(llvm, context, module, {cpu, ""});
  llvm.SetValueName2(llvm.GetNamedFunction(module, Emitter::kFunction), function.data(), function.size());
  LLVMTarget* target = nullptr;
  char* message = nullptr;
  if (llvm.GetTargetFromTriple(triple.c_str(), &target, &message) != 0) return taken(llvm, message);
  LLVMMachine* const machine = llvm.CreateTargetMachine(target, triple.c_str(), cpu.c_str(), "", level,
                                                        position_independent, default_code_model);
  if (!machine) return "LLVM makes no code for " + cpu;
  std::string why = optimise(llvm, module, machine);
  if (why.empty() && llvm.TargetMachineEmitToFile(machine, module, path.c_str(), object, &message) != 0)
    why = taken(llvm, message);
  llvm.DisposeTargetMachine(machine);
  return why;
}

}  // namespace gpulab::simt::compiled
