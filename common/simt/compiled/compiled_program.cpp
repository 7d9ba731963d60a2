#include "common/simt/compiled/compiled_program.h"

#include <algorithm>
#include <atomic>
#include <functional>

#include "common/simt/compiled/ahead/keeper.h"
#include "common/simt/compiled/ahead/recorder.h"
#include "common/simt/compiled/emit/emit.h"
#include "common/simt/compiled/hot_blocks.h"
#include "common/simt/compiled/llvm/passes.h"

namespace gpulab::simt::compiled {

namespace {

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

/// What is given to LLVM.
struct Emitted {
  Module module = nullptr;  ///< none: no basic block is worth it
  std::vector<bool> hot{};  ///< by basic block: it is code
  std::size_t size = 0;     ///< instructions, about
};

/// Of the basic blocks that execute the most as many as LLVM makes code of within seconds.
Emitted emit_hot(const Library& llvm, Context context, const Operations& operations, const CodeRequest& request,
                 const RowNames& rows, Points& points) {
  constexpr std::size_t most = CompiledProgram::kMostOps, most_hot = CompiledProgram::kMostHotOps;
  for (std::size_t most_ops = request.executed.empty() ? most : most_hot; most_ops > 0; most_ops /= 2) {
    Emitted emitted;
    emitted.hot = hot_blocks(operations, request.executed, most_ops);
    if (std::ranges::none_of(emitted.hot, std::identity{})) break;
    points.called.clear();
    points.through.clear();
    points.lines.clear();
    points.sectors.clear();
    points.addresses.clear();
    emitted.module = llvm.ModuleCreateWithNameInContext("gpulab", context);
    rows.prepare(emitted.module);
    Flow flow(operations, request.block);
    CodeBuilder builder(llvm, context);
    Emitter(builder, emitted.module, operations, flow, rows, points, emitted.hot).emit(request.masked);
    emitted.size = builder.size();
    points.code.addresses = points.addresses.data();
    if (emitted.size <= kMostInstructions) return emitted;
    llvm.DisposeModule(emitted.module);
  }
  return {};
}

/// The rows' code comes in, and what LLVM could not take is found; what that is, or nothing.
std::string completed(const Library& llvm, Context context, Module module, Rows& rows) {
  std::string why = rows.link(module);
  if (why.empty()) {
    char* const cpu = llvm.GetHostCPUName();
    char* const features = llvm.GetHostCPUFeatures();
    set_attributes(llvm, context, module, {cpu, features});
    llvm.DisposeMessage(cpu);
    llvm.DisposeMessage(features);
    why = missing_function(llvm, module);
  }
  char* problem = nullptr;
  if (why.empty() && llvm.VerifyModule(module, 2, &problem) != 0)
    why = std::string("LLVM refuses its code: ") + problem;
  if (problem) llvm.DisposeMessage(problem);
  return why;
}

std::atomic<std::uint64_t> programs_made{0};

}  // namespace

struct CompiledProgram::Engine {
  const Library& llvm;
  Context context;
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
  [[nodiscard]] Code compile(Module module, bool quick, std::string& why);
};

/// Takes the module.
Code CompiledProgram::Engine::compile(Module module, bool quick, std::string& why) {
  EngineOptions options{};
  llvm.InitializeMCJITCompilerOptions(&options, sizeof(options));
  options.level = quick ? 0 : 2;
  char* error = nullptr;
  if (llvm.CreateMCJITCompilerForModule(&engine, module, &options, sizeof(options), &error) != 0) {
    why = error;
    llvm.DisposeMessage(error);
    engine = nullptr;
    return nullptr;
  }
  why = optimise(llvm, module, llvm.GetExecutionEngineTargetMachine(engine));
  if (!why.empty()) return nullptr;
  const Code code = reinterpret_cast<Code>(llvm.GetFunctionAddress(engine, Emitter::kFunction));
  if (!code) why = "LLVM gave no code";
  return code;
}

std::uint64_t CompiledProgram::made() { return programs_made; }
CompiledProgram::CompiledProgram() : points_(std::make_unique<Points>()) {}
CompiledProgram::~CompiledProgram() = default;

/// Code is there: the program's blocks as they begin in it.
void CompiledProgram::enter_at(const Program& program, const CodeRequest& request, const std::vector<bool>& hot) {
  entries_.reserve(program.blocks.size());
  for (std::uint32_t i = 0; i < program.blocks.size(); ++i) {
    entries_.push_back(
        entry_point(points_->plain.data() + program.blocks[i].first_op, points_->code, i, request.masked));
    entries_.back().refused = request.refused;
    entries_.back().instructions = program.blocks[i].instructions;
    blocks_.push_back(program.blocks[i]);
    blocks_.back().first = hot[i] ? &entries_.back().op : entries_.back().original;
  }
  ++programs_made;
}

std::unique_ptr<CompiledProgram> CompiledProgram::make(const Program& program, const CodeRequest& request,
                                                       std::string& why) {
  const Library* const llvm = Library::get(why);
  if (!llvm) return nullptr;
  if (program.functions.size() != 1) return why = "it calls functions", nullptr;
  std::unique_ptr<CompiledProgram> made(new CompiledProgram);
  made->engine_ = std::make_unique<Engine>(*llvm);
  Engine& engine = *made->engine_;
  made->points_->plain = each_by_itself(program);
  Rows rows(*llvm, engine.context, why);
  if (!why.empty()) return nullptr;
  const Operations operations(program, rows);
  if (!operations.consistent) return why = "its registers are not understood", nullptr;
  const Emitted emitted = emit_hot(*llvm, engine.context, operations, request, rows, *made->points_);
  if (!emitted.module) return why = "its basic blocks are too long", nullptr;
  const Module module = emitted.module;
  const bool quick = llvm->is_quick && !request.thorough && emitted.size >= kLeastQuick;
  if (quick) made->cost_of_thorough_ = emitted.size * kWorkOfInstruction;
  if (request.is_worth && !request.is_worth(emitted.size * (quick ? kQuickWorkOfInstruction : kWorkOfInstruction))) {
    llvm->DisposeModule(module);
    return why = "it takes longer to make than it is worth so far", nullptr;
  }
  why = completed(*llvm, engine.context, module, rows);
  if (!why.empty() || code_keeper()) {
    if (why.empty()) keep(program, request, engine, module, rows);
    llvm->DisposeModule(module);
    return nullptr;
  }
  made->points_->code.run = engine.compile(module, quick, why);
  if (!made->points_->code.run) return nullptr;
  made->enter_at(program, request, emitted.hot);
  return made;
}

void CompiledProgram::keep(const Program& program, const CodeRequest& request, const Engine& engine, Module module,
                           const RowNames& rows) {
  std::vector<ReadyRow> numbers;
  for (const auto& [row, name] : rows.all())
    numbers.push_back({static_cast<std::uint16_t>(row.table), static_cast<std::uint16_t>(row.row), row.mods});
  const ReadyRows names(numbers);
  const Operations operations(program, names);
  CompiledProgram recorded_one;
  recorded_one.points_->plain = each_by_itself(program);
  const std::size_t size = emit_hot(recorder(), nullptr, operations, request, names, *recorded_one.points_).size;
  code_keeper()({program, outline_of(program), recorded(), numbers, size,
                 [&](const std::string& function, const std::string& path) {
                   return write_object(engine.llvm, engine.context, module, function, path);
                 }});
}

std::unique_ptr<CompiledProgram> CompiledProgram::ready(const Program& program, const CodeRequest& request) {
  const ReadyLevel* const level = ready_level();
  if (!level || program.functions.size() != 1) return nullptr;
  const Outline outline = outline_of(program);
  if (!may_be_ready(*level, outline)) return nullptr;
  std::unique_ptr<CompiledProgram> made(new CompiledProgram);
  made->points_->plain = each_by_itself(program);
  const ReadyRows rows(level->rows);
  const Operations operations(program, rows);
  if (!operations.consistent) return nullptr;
  const Emitted emitted = emit_hot(recorder(), nullptr, operations, request, rows, *made->points_);
  made->points_->code.run = emitted.module ? find_ready(*level, outline, recorded()) : nullptr;
  if (!made->points_->code.run) return nullptr;
  made->enter_at(program, request, emitted.hot);
  return made;
}

}  // namespace gpulab::simt::compiled
