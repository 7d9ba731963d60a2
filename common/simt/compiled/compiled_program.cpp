#include "common/simt/compiled/compiled_program.h"

#include <algorithm>
#include <atomic>
#include <functional>

#include "common/simt/compiled/emit/emit.h"
#include "common/simt/compiled/hot_blocks.h"

namespace gpulab::simt::compiled {

namespace {

/// Registers out of memory, rows into their callers, and what is left of both: a tenth of the time of -O2.
constexpr const char* kPasses =
    "always-inline,globaldce,function(sroa,early-cse,instcombine,simplifycfg,early-cse,adce)";

/// The copy of the micro-ops in which every access looks for its pattern itself: the interpreter runs it wherever there
/// is code, so that lanes that stop at one instruction stop at one micro-op.
std::vector<MicroOp> each_by_itself(const Program& program) {
  std::vector<MicroOp> ops = program.ops;
  for (MicroOp& op : ops) {
    const Meaning& meaning = program.sites[op.site].row->meaning;
    if (!meaning.followed) continue;
    if (op.run == meaning.followed) op.run = meaning.counted ? meaning.counted : meaning.run;
    if (op.run == meaning.counted) op.extra = 0;  // nobody follows it
  }
  return ops;
}

/// Warp instructions that the interpreter executes, on one thread, while LLVM makes code of one of its own: 40 µs, at 8
/// ns each.
constexpr std::uint64_t kWorkOfInstruction = 5000;
/// The same where LLVM selects instructions quickly, and from how many on it does: less is code soon enough.
constexpr std::uint64_t kQuickWorkOfInstruction = 3200;
constexpr std::size_t kLeastQuick = 2500;
/// LLVM takes some five seconds for so many; for more, it takes longer for each.
constexpr std::size_t kMostInstructions = 60'000;

void add_text_attribute(const Library& llvm, Context context, Value function, std::string_view name,
                        std::string_view text) {
  llvm.AddAttributeAtIndex(function, kOfFunction,
                           llvm.CreateStringAttribute(context, name.data(), static_cast<unsigned>(name.size()),
                                                      text.data(), static_cast<unsigned>(text.size())));
}

/// All functions are code for this CPU; rows go into their caller.
void set_attributes(const Library& llvm, Context context, Module module) {
  char* const cpu = llvm.GetHostCPUName();
  char* const features = llvm.GetHostCPUFeatures();
  const auto kind = [&](std::string_view name) { return llvm.GetEnumAttributeKindForName(name.data(), name.size()); };
  for (Value f = llvm.GetFirstFunction(module); f; f = llvm.GetNextFunction(f)) {
    if (llvm.IsDeclaration(f)) continue;
    for (const std::string_view name : {"target-cpu", "target-features", "tune-cpu"})
      llvm.RemoveStringAttributeAtIndex(f, kOfFunction, name.data(), static_cast<unsigned>(name.size()));
    add_text_attribute(llvm, context, f, "target-cpu", cpu);
    add_text_attribute(llvm, context, f, "target-features", features);
    add_text_attribute(llvm, context, f, "prefer-vector-width", "512");
    add_text_attribute(llvm, context, f, "min-legal-vector-width", "512");
    std::size_t length = 0;
    if (std::string_view(llvm.GetValueName2(f, &length)) == Emitter::kFunction) continue;
    llvm.RemoveEnumAttributeAtIndex(f, kOfFunction, kind("noinline"));
    llvm.RemoveEnumAttributeAtIndex(f, kOfFunction, kind("optnone"));
    llvm.AddAttributeAtIndex(f, kOfFunction, llvm.CreateEnumAttribute(context, kind("alwaysinline"), 0));
    llvm.SetLinkage(f, kInternal);
  }
  llvm.DisposeMessage(cpu);
  llvm.DisposeMessage(features);
}

/// A function that nobody defines: LLVM would end the process when it does not find it.
std::string missing_function(const Library& llvm, Module module) {
  for (Value f = llvm.GetFirstFunction(module); f; f = llvm.GetNextFunction(f)) {
    std::size_t length = 0;
    const std::string_view name = llvm.GetValueName2(f, &length);
    if (llvm.IsDeclaration(f) && !name.starts_with("llvm.")) return std::string(name);
  }
  return {};
}

}  // namespace

/// What is given to LLVM.
struct CompiledProgram::Emitted {
  Module module = nullptr;  ///< none: no basic block is worth it
  std::vector<bool> hot{};  ///< by basic block: it is code
  std::size_t size = 0;     ///< instructions, about
};

struct CompiledProgram::Engine {
  const Library& llvm;
  Context context;
  Points points{};
  LLVMEngine* engine = nullptr;  ///< has the module
  explicit Engine(const Library& library) : llvm(library), context(library.ContextCreate()) {
    // LLVM 15 and 16 know typed pointers, too: a context has those of the first bitcode that it reads (clang 14's are
    // typed), but for one that has made a pointer by its element's type before, which settles that they have none.
    llvm.PointerType(llvm.IntTypeInContext(context, 8), 0);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    if (engine) llvm.DisposeExecutionEngine(engine);
    llvm.ContextDispose(context);
  }
  [[nodiscard]] Emitted emit_hot(const Operations& operations, const CodeRequest& request, const Rows& rows);
  [[nodiscard]] bool optimise(Module module, std::string& why) const;
  [[nodiscard]] bool compile(Module module, bool quick, std::string& why);
};

/// Of the basic blocks that execute the most as many as LLVM makes code of within seconds.
CompiledProgram::Emitted CompiledProgram::Engine::emit_hot(const Operations& operations, const CodeRequest& request,
                                                           const Rows& rows) {
  for (std::size_t most_ops = request.executed.empty() ? kMostOps : kMostHotOps; most_ops > 0; most_ops /= 2) {
    Emitted emitted;
    emitted.hot = hot_blocks(operations, request.executed, most_ops);
    if (std::ranges::none_of(emitted.hot, std::identity{})) break;
    points.called.clear();
    points.through.clear();
    points.lines.clear();
    emitted.module = llvm.ModuleCreateWithNameInContext("gpulab", context);
    rows.prepare(emitted.module);
    Flow flow(operations, request.block);
    CodeBuilder builder(llvm, context);
    Emitter(builder, emitted.module, operations, flow, rows, points, emitted.hot).emit(request.masked);
    emitted.size = builder.size();
    if (emitted.size <= kMostInstructions) return emitted;
    llvm.DisposeModule(emitted.module);
  }
  return {};
}

bool CompiledProgram::Engine::optimise(Module module, std::string& why) const {
  LLVMPassOptions* const options = llvm.CreatePassBuilderOptions();
  LLVMError* const error = llvm.RunPasses(module, kPasses, llvm.GetExecutionEngineTargetMachine(engine), options);
  llvm.DisposePassBuilderOptions(options);
  if (!error) return true;
  char* const text = llvm.GetErrorMessage(error);
  why = text;
  llvm.DisposeErrorMessage(text);
  return false;
}

/// Takes the module.
bool CompiledProgram::Engine::compile(Module module, bool quick, std::string& why) {
  EngineOptions options{};
  llvm.InitializeMCJITCompilerOptions(&options, sizeof(options));
  options.level = quick ? 0 : 2;
  char* error = nullptr;
  if (llvm.CreateMCJITCompilerForModule(&engine, module, &options, sizeof(options), &error) != 0) {
    why = error;
    llvm.DisposeMessage(error);
    engine = nullptr;
    return false;
  }
  if (!optimise(module, why)) return false;
  points.code = reinterpret_cast<Code>(llvm.GetFunctionAddress(engine, Emitter::kFunction));
  if (!points.code) why = "LLVM gave no code";
  return points.code != nullptr;
}

namespace {
std::atomic<std::uint64_t> programs_made{0};
}

std::uint64_t CompiledProgram::made() { return programs_made; }
CompiledProgram::CompiledProgram() = default;
CompiledProgram::~CompiledProgram() = default;

std::unique_ptr<CompiledProgram> CompiledProgram::make(const Program& program, const CodeRequest& request,
                                                       std::string& why) {
  const Library* const llvm = Library::get(why);
  if (!llvm) return nullptr;
  if (program.functions.size() != 1) return why = "it calls functions", nullptr;
  std::unique_ptr<CompiledProgram> made(new CompiledProgram);
  made->engine_ = std::make_unique<Engine>(*llvm);
  Engine& engine = *made->engine_;
  engine.points.plain = each_by_itself(program);
  Rows rows(*llvm, engine.context, why);
  if (!why.empty()) return nullptr;
  const Operations operations(program, rows);
  if (!operations.consistent) return why = "its registers are not understood", nullptr;
  const Emitted emitted = engine.emit_hot(operations, request, rows);
  if (!emitted.module) return why = "its basic blocks are too long", nullptr;
  const Module module = emitted.module;
  const bool quick = llvm->is_quick && !request.thorough && emitted.size >= kLeastQuick;
  if (quick) made->cost_of_thorough_ = emitted.size * kWorkOfInstruction;
  if (request.is_worth && !request.is_worth(emitted.size * (quick ? kQuickWorkOfInstruction : kWorkOfInstruction))) {
    llvm->DisposeModule(module);
    return why = "it takes longer to make than it is worth so far", nullptr;
  }
  why = rows.link(module);
  if (why.empty()) {
    set_attributes(*llvm, engine.context, module);
    why = missing_function(*llvm, module);
  }
  char* problem = nullptr;
  if (why.empty() && llvm->VerifyModule(module, 2, &problem) != 0)
    why = std::string("LLVM refuses its code: ") + problem;
  if (problem) llvm->DisposeMessage(problem);
  if (!why.empty()) {
    llvm->DisposeModule(module);
    return nullptr;
  }
  if (!engine.compile(module, quick, why)) return nullptr;
  made->entries_.reserve(program.blocks.size());
  for (std::uint32_t i = 0; i < program.blocks.size(); ++i) {
    made->entries_.push_back(
        entry_point(engine.points.plain.data() + program.blocks[i].first_op, engine.points.code, i, request.masked));
    made->entries_.back().refused = request.refused;
    made->entries_.back().instructions = program.blocks[i].instructions;
    made->blocks_.push_back(program.blocks[i]);
    made->blocks_.back().first = emitted.hot[i] ? &made->entries_.back().op : made->entries_.back().original;
  }
  ++programs_made;
  return made;
}

}  // namespace gpulab::simt::compiled
