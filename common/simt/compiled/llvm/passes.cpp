#include "common/simt/compiled/llvm/passes.h"

#include <cstddef>
#include <string_view>

#include "common/simt/compiled/emit/emit.h"

namespace gpulab::simt::compiled {

namespace {

/// Registers out of memory, rows into their callers, and what is left of both: a tenth of the time of -O2.
constexpr const char* kPasses =
    "always-inline,globaldce,function(sroa,early-cse,instcombine,simplifycfg,early-cse,adce)";

void add_text_attribute(const Library& llvm, Context context, Value function, std::string_view name,
                        std::string_view text) {
  llvm.AddAttributeAtIndex(function, kOfFunction,
                           llvm.CreateStringAttribute(context, name.data(), static_cast<unsigned>(name.size()),
                                                      text.data(), static_cast<unsigned>(text.size())));
}

}  // namespace

void set_attributes(const Library& llvm, Context context, Module module, const TargetCpu& cpu) {
  const auto kind = [&](std::string_view name) { return llvm.GetEnumAttributeKindForName(name.data(), name.size()); };
  for (Value f = llvm.GetFirstFunction(module); f; f = llvm.GetNextFunction(f)) {
    if (llvm.IsDeclaration(f)) continue;
    for (const std::string_view name : {"target-cpu", "target-features", "tune-cpu"})
      llvm.RemoveStringAttributeAtIndex(f, kOfFunction, name.data(), static_cast<unsigned>(name.size()));
    add_text_attribute(llvm, context, f, "target-cpu", cpu.name);
    add_text_attribute(llvm, context, f, "target-features", cpu.features);
    add_text_attribute(llvm, context, f, "prefer-vector-width", "512");
    add_text_attribute(llvm, context, f, "min-legal-vector-width", "512");
    std::size_t length = 0;
    if (std::string_view(llvm.GetValueName2(f, &length)) == Emitter::kFunction) continue;
    llvm.RemoveEnumAttributeAtIndex(f, kOfFunction, kind("noinline"));
    llvm.RemoveEnumAttributeAtIndex(f, kOfFunction, kind("optnone"));
    llvm.AddAttributeAtIndex(f, kOfFunction, llvm.CreateEnumAttribute(context, kind("alwaysinline"), 0));
    llvm.SetLinkage(f, kInternal);
  }
}

std::string missing_function(const Library& llvm, Module module) {
  for (Value f = llvm.GetFirstFunction(module); f; f = llvm.GetNextFunction(f)) {
    std::size_t length = 0;
    const std::string_view name = llvm.GetValueName2(f, &length);
    if (llvm.IsDeclaration(f) && !name.starts_with("llvm.")) return std::string(name);
  }
  return {};
}

std::string optimise(const Library& llvm, Module module, LLVMMachine* machine) {
  LLVMPassOptions* const options = llvm.CreatePassBuilderOptions();
  LLVMError* const error = llvm.RunPasses(module, kPasses, machine, options);
  llvm.DisposePassBuilderOptions(options);
  if (!error) return {};
  char* const text = llvm.GetErrorMessage(error);
  std::string why = text;
  llvm.DisposeErrorMessage(text);
  return why;
}

}  // namespace gpulab::simt::compiled
