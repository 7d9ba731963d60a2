#pragma once
// LLVM, loaded at run time by its C API where the machine has it (Debian's libllvm15 to libllvm19): nothing here needs
// it to build, and without it the interpreter serves.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gpulab::simt::compiled {

// Named as in LLVM's C API, which hands out pointers to what it does not say.
struct LLVMContext;
struct LLVMModule;
struct LLVMType;
struct LLVMValue;
struct LLVMBlock;
struct LLVMBuilder;
struct LLVMBuffer;
struct LLVMAttribute;
struct LLVMEngine;
struct LLVMMachine;
struct LLVMTarget;
struct LLVMPassOptions;
struct LLVMError;
struct LLVMDiagnostic;
using Context = LLVMContext*;
using Module = LLVMModule*;
using Type = LLVMType*;
using Value = LLVMValue*;
using Block = LLVMBlock*;
using Builder = LLVMBuilder*;

/// Values of LLVM's enumerations, which its C API keeps from version to version.
enum Opcode : int { kAdd = 8, kSub = 10, kMul = 12, kShl = 20, kLShr = 21, kAnd = 23, kOr = 24, kXor = 25 };
enum Cast : int { kTrunc = 30, kZExt = 31, kSExt = 32, kBitCast = 41 };
enum Compare : int {
  kEqual = 32,
  kNotEqual = 33,
  kUnsignedLess = 36,
  kUnsignedLessEqual = 37,
  kSignedGreaterEqual = 39,
  kSignedLess = 40,
  kSignedLessEqual = 41
};
enum Linkage : int { kLinkOnceOdr = 3, kInternal = 8 };
inline constexpr unsigned kOfFunction = ~0u;  ///< where an attribute belongs

struct EngineOptions {
  unsigned level;  ///< of optimisation
  int code_model;
  int no_frame_pointer_elimination, fast_selection;
  void* memory_manager;
};

// clang-format off
#define GPULAB_LLVM_FUNCTIONS(F) \
  F(Context, ContextCreate, ()) \
  F(void, ContextDispose, (Context)) \
  F(char*, GetDiagInfoDescription, (LLVMDiagnostic*)) \
  F(void, ContextSetDiagnosticHandler, (Context, void (*)(LLVMDiagnostic*, void*), void*)) \
  F(Module, ModuleCreateWithNameInContext, (const char*, Context)) \
  F(void, DisposeModule, (Module)) \
  F(const char*, GetDataLayoutStr, (Module)) \
  F(void, SetDataLayout, (Module, const char*)) \
  F(const char*, GetTarget, (Module)) \
  F(void, SetTarget, (Module, const char*)) \
  F(Type, VoidTypeInContext, (Context)) \
  F(Type, IntTypeInContext, (Context, unsigned)) \
  F(Type, PointerTypeInContext, (Context, unsigned)) \
  F(Type, PointerType, (Type, unsigned)) \
  F(Type, VectorType, (Type, unsigned)) \
  F(Type, FunctionType, (Type, Type*, unsigned, int)) \
  F(Value, AddFunction, (Module, const char*, Type)) \
  F(Value, GetParam, (Value, unsigned)) \
  F(Block, AppendBasicBlockInContext, (Context, Value, const char*)) \
  F(Builder, CreateBuilderInContext, (Context)) \
  F(void, DisposeBuilder, (Builder)) \
  F(void, PositionBuilderAtEnd, (Builder, Block)) \
  F(Block, GetInsertBlock, (Builder)) \
  F(Value, ConstInt, (Type, unsigned long long, int)) \
  F(Value, ConstNull, (Type)) \
  F(Value, GetUndef, (Type)) \
  F(Value, ConstVector, (Value*, unsigned)) \
  F(Value, ConstIntToPtr, (Value, Type)) \
  F(Value, BuildAlloca, (Builder, Type, const char*)) \
  F(Value, BuildLoad2, (Builder, Type, Value, const char*)) \
  F(Value, BuildStore, (Builder, Value, Value)) \
  F(void, SetAlignment, (Value, unsigned)) \
  F(Value, BuildGEP2, (Builder, Type, Value, Value*, unsigned, const char*)) \
  F(Value, BuildBinOp, (Builder, int, Value, Value, const char*)) \
  F(Value, BuildICmp, (Builder, int, Value, Value, const char*)) \
  F(Value, BuildCast, (Builder, int, Value, Type, const char*)) \
  F(Value, BuildSelect, (Builder, Value, Value, Value, const char*)) \
  F(Value, BuildCondBr, (Builder, Value, Block, Block)) \
  F(Value, BuildBr, (Builder, Block)) \
  F(Value, BuildSwitch, (Builder, Value, Block, unsigned)) \
  F(void, AddCase, (Value, Value, Block)) \
  F(Value, BuildRet, (Builder, Value)) \
  F(Value, BuildRetVoid, (Builder)) \
  F(Value, BuildUnreachable, (Builder)) \
  F(Value, BuildCall2, (Builder, Type, Value, Value*, unsigned, const char*)) \
  F(Value, BuildPhi, (Builder, Type, const char*)) \
  F(void, AddIncoming, (Value, Value*, Block*, unsigned)) \
  F(Value, BuildShuffleVector, (Builder, Value, Value, Value, const char*)) \
  F(Value, BuildInsertElement, (Builder, Value, Value, Value, const char*)) \
  F(Value, BuildExtractElement, (Builder, Value, Value, const char*)) \
  F(LLVMAttribute*, CreateStringAttribute, (Context, const char*, unsigned, const char*, unsigned)) \
  F(LLVMAttribute*, CreateEnumAttribute, (Context, unsigned, std::uint64_t)) \
  F(unsigned, GetEnumAttributeKindForName, (const char*, std::size_t)) \
  F(void, AddAttributeAtIndex, (Value, unsigned, LLVMAttribute*)) \
  F(void, RemoveEnumAttributeAtIndex, (Value, unsigned, unsigned)) \
  F(void, RemoveStringAttributeAtIndex, (Value, unsigned, const char*, unsigned)) \
  F(LLVMBuffer*, CreateMemoryBufferWithMemoryRange, (const char*, std::size_t, const char*, int)) \
  F(int, GetBitcodeModuleInContext2, (Context, LLVMBuffer*, Module*)) \
  F(int, LinkModules2, (Module, Module)) \
  F(Value, GetNamedGlobal, (Module, const char*)) \
  F(Value, GetNamedFunction, (Module, const char*)) \
  F(Value, GetInitializer, (Value)) \
  F(unsigned long long, ConstIntGetZExtValue, (Value)) \
  F(Value, GetOperand, (Value, unsigned)) \
  F(int, GetNumOperands, (Value)) \
  F(Value, IsAFunction, (Value)) \
  F(void, SetValueName2, (Value, const char*, std::size_t)) \
  F(const char*, GetValueName2, (Value, std::size_t*)) \
  F(void, SetLinkage, (Value, int)) \
  F(Value, GetFirstFunction, (Module)) \
  F(Value, GetNextFunction, (Value)) \
  F(int, IsDeclaration, (Value)) \
  F(int, VerifyModule, (Module, int, char**)) \
  F(void, DisposeMessage, (char*)) \
  F(LLVMPassOptions*, CreatePassBuilderOptions, ()) \
  F(void, DisposePassBuilderOptions, (LLVMPassOptions*)) \
  F(LLVMError*, RunPasses, (Module, const char*, LLVMMachine*, LLVMPassOptions*)) \
  F(char*, GetErrorMessage, (LLVMError*)) \
  F(void, DisposeErrorMessage, (char*)) \
  F(void, LinkInMCJIT, ()) \
  F(void, ParseCommandLineOptions, (int, const char* const*, const char*)) \
  F(void, InitializeMCJITCompilerOptions, (EngineOptions*, std::size_t)) \
  F(int, CreateMCJITCompilerForModule, (LLVMEngine**, Module, EngineOptions*, std::size_t, char**)) \
  F(std::uint64_t, GetFunctionAddress, (LLVMEngine*, const char*)) \
  F(LLVMMachine*, GetExecutionEngineTargetMachine, (LLVMEngine*)) \
  F(int, GetTargetFromTriple, (const char*, LLVMTarget**, char**)) \
  F(LLVMMachine*, CreateTargetMachine, (LLVMTarget*, const char*, const char*, const char*, int, int, int)) \
  F(int, TargetMachineEmitToFile, (LLVMMachine*, Module, const char*, int, char**)) \
  F(void, DisposeTargetMachine, (LLVMMachine*)) \
  F(void, DisposeExecutionEngine, (LLVMEngine*)) \
  F(char*, GetHostCPUName, ()) \
  F(char*, GetHostCPUFeatures, ())
// clang-format on

/// LLVM's functions without their prefix: `library.BuildAdd` is LLVMBuildAdd.
struct Library {
#define GPULAB_LLVM_MEMBER(result, name, arguments) result(*name) arguments = nullptr;
  GPULAB_LLVM_FUNCTIONS(GPULAB_LLVM_MEMBER)
#undef GPULAB_LLVM_MEMBER
  std::string path;       ///< of the file
  bool is_quick = false;  ///< at level 0 it gives values registers, too, as at level 2

  /// Loaded when first asked for, and kept. nullptr where there is none that fits; `why` then says what is missing.
  [[nodiscard]] static const Library* get(std::string& why);
  /// Makes code of a few lines that nobody runs. LLVM makes tables when it first needs them, and they go when the
  /// process ends, those that came last first: whoever is to wait for code then registers that behind them.
  void make_tables() const;
  /// The file that get() would open first; empty: there is none.
  [[nodiscard]] static std::string installed();

 private:
  void make_tables(unsigned level) const;
};

}  // namespace gpulab::simt::compiled
