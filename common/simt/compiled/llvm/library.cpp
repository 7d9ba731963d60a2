#include "common/simt/compiled/llvm/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <vector>

namespace gpulab::simt::compiled {

namespace {

#if defined(__x86_64__)
#define GPULAB_LLVM_HOST "X86"
constexpr const char* kTriplet = "x86_64-linux-gnu";
#else
#define GPULAB_LLVM_HOST "AArch64"
constexpr const char* kTriplet = "aarch64-linux-gnu";
#endif

/// By full path, so that neither the environment nor the working directory decides whose code runs here.
std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  for (int version = 15; version <= 19; ++version) {
    paths.push_back(fmt::format("/usr/lib/{}/libLLVM-{}.so.1", kTriplet, version));
    paths.push_back(fmt::format("/usr/lib/{}/libLLVM.so.{}.1", kTriplet, version));
    paths.push_back(fmt::format("/usr/lib/llvm-{}/lib/libLLVM.so.1", version));
  }
  return paths;
}

void* opened(const std::string& path) {
  int mode = RTLD_NOW | RTLD_LOCAL;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  mode |= RTLD_DEEPBIND;  // its own symbols before ours, should a program of the user's have another LLVM
#endif
  return dlopen(path.c_str(), mode);
}

/// Fills in the functions; the name of the first that is missing, or nullptr.
const char* resolve(void* handle, Library& library) {
  const auto find = [&]<typename F>(const char* name, F*& function) {
    function = reinterpret_cast<F*>(dlsym(handle, name));
    return function ? nullptr : name;
  };
#define GPULAB_LLVM_FIND(result, name, arguments) find("LLVM" #name, library.name),
  for (const char* missing : {GPULAB_LLVM_FUNCTIONS(GPULAB_LLVM_FIND) static_cast<const char*>(nullptr)})
    if (missing) return missing;
#undef GPULAB_LLVM_FIND
  for (const char* part :
       {"LLVMInitialize" GPULAB_LLVM_HOST "TargetInfo", "LLVMInitialize" GPULAB_LLVM_HOST "Target",
        "LLVMInitialize" GPULAB_LLVM_HOST "TargetMC", "LLVMInitialize" GPULAB_LLVM_HOST "AsmPrinter"}) {
    const auto start = reinterpret_cast<void (*)()>(dlsym(handle, part));
    if (!start) return part;
    start();
  }
  library.LinkInMCJIT();
  return nullptr;
}

/// Written, then executed, never both: where a system forbids the second, LLVM would end the process.
bool can_execute_memory() {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  const bool can = mprotect(page, bytes, PROT_READ | PROT_EXEC) == 0;
  munmap(page, bytes);
  return can;
}

/// LLVM's level 0 makes code in a third of the time, but leaves values in memory from basic block to basic block, which
/// is slower than the interpreter; with level 2's registers it takes 0.6 of the time, and its code is a sixth slower
/// than level 2's. The option is of the whole library: where a user's program has loaded the same one before, it stays
/// as it is. For arm64 level 0 is another thing, GlobalISel, of which nothing is known here.
void choose_registers([[maybe_unused]] Library& library) {
#if defined(__x86_64__)
  const char* const words[] = {"gpulab", "-optimize-regalloc"};
  library.ParseCommandLineOptions(2, words, "");
  library.is_quick = true;
#endif
}

std::unique_ptr<Library> load(std::string& why) {
  why = "this system forbids memory that is written and then executed";
  if (!can_execute_memory()) return nullptr;
  why = "there is no libllvm15 to libllvm19";
  for (const std::string& path : candidates()) {
    if (access(path.c_str(), R_OK) != 0) continue;
    void* const of_program = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (of_program) dlclose(of_program);
    void* handle = opened(path);
    if (!handle) {
      why = fmt::format("{} cannot be loaded", path);
      continue;
    }
    auto library = std::make_unique<Library>();
    library->path = path;
    if (const char* missing = resolve(handle, *library)) {
      why = fmt::format("{} lacks {}", path, missing);
      continue;
    }
    if (of_program == nullptr) choose_registers(*library);
    return library;
  }
  return nullptr;
}

}  // namespace

void Library::make_tables() const {
  for (const unsigned level : {2U, 0U}) make_tables(level);
}

void Library::make_tables(unsigned level) const {
  constexpr int add = 8;  // LLVMAdd
  const Context context = ContextCreate();
  const Module module = ModuleCreateWithNameInContext("gpulab_tables", context);
  Type pointer = PointerTypeInContext(context, 0);
  const Value function = AddFunction(module, "tables", FunctionType(VoidTypeInContext(context), &pointer, 1, 0));
  const Builder builder = CreateBuilderInContext(context);
  PositionBuilderAtEnd(builder, AppendBasicBlockInContext(context, function, ""));
  const Value place = GetParam(function, 0);
  for (const unsigned lanes : {16U, 5U}) {  // a type that the processor has, and one that LLVM has to take apart
    const Type vector = VectorType(IntTypeInContext(context, 32), lanes);
    const Value value = BuildLoad2(builder, vector, place, "");
    BuildStore(builder, BuildBinOp(builder, add, value, value, ""), place);
  }
  BuildRetVoid(builder);
  DisposeBuilder(builder);
  EngineOptions options{};
  InitializeMCJITCompilerOptions(&options, sizeof options);
  options.level = level;
  LLVMEngine* engine = nullptr;
  char* error = nullptr;
  if (CreateMCJITCompilerForModule(&engine, module, &options, sizeof options, &error) != 0) {
    DisposeMessage(error);
  } else {
    LLVMPassOptions* const passes = CreatePassBuilderOptions();
    LLVMError* const failed =
        RunPasses(module, "function(sroa,instcombine,simplifycfg)", GetExecutionEngineTargetMachine(engine), passes);
    DisposePassBuilderOptions(passes);
    if (failed != nullptr) DisposeErrorMessage(GetErrorMessage(failed));
    (void)GetFunctionAddress(engine, "tables");
    DisposeExecutionEngine(engine);
  }
  ContextDispose(context);
}

std::string Library::installed() {
  for (const std::string& path : candidates())
    if (access(path.c_str(), R_OK) == 0) return path;
  return {};
}

const Library* Library::get(std::string& why) {
  static std::mutex mutex;
  static bool tried = false;
  static std::string reason;
  // Never deleted: what was compiled is freed by it, also at the end of a program, in whatever order statics go then.
  static const Library* library = nullptr;
  const std::lock_guard lock(mutex);
  if (!tried) library = load(reason).release();
  tried = true;
  why = library != nullptr ? std::string{} : reason;
  return library;
}

}  // namespace gpulab::simt::compiled
