#pragma once
// A PTX module as plain data: what the parser makes of the text. Nothing here knows any instruction.
// Strings are views into the module's own copy of the text (Module::text) or interned in Module::strings.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulab::ptx {

/// PTX state spaces of variables and parameters (PTX ISA, State Spaces).
enum class Space { reg, param, global, constant, shared, local };

/// Fundamental types, by name: "u32", "f64", "b16", "pred". Sizes in bytes; pred is 0.
struct Type {
  std::string_view name;
  std::uint32_t size = 0;
};

/// A variable: module-scope, function-local or a parameter. Arrays carry their total size.
struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type;
  std::uint32_t vector = 1;  ///< .v2, .v4
  bool is_array = false;
  bool is_extern = false;             ///< `.extern .shared` arrays: size 0, dynamic shared memory
  bool is_managed = false;            ///< .attribute(.managed)
  std::uint64_t size = 0;             ///< bytes, all elements
  std::uint32_t align = 1;            ///< bytes
  std::vector<std::uint8_t> initial;  ///< module-scope initial bytes; may be shorter than size, the rest is zero
  /// Addresses in initialisers: at byte `offset` of the variable, the address of `symbol` + addend. `size` low bytes of
  /// the address shifted right by `shift` bits: 8 and 0, but for packed structs, `0xFF00(symbol)`: 1 and 8.
  struct Relocation {
    std::uint64_t offset;
    std::string_view symbol;
    std::int64_t addend;
    bool generic;  ///< generic(symbol)
    std::uint8_t size = 8;
    std::uint8_t shift = 0;
  };
  std::vector<Relocation> relocations;
};

/// Where an instruction comes from. Index into Module::locations; chains lead from inlined code to its call site.
struct Location {
  std::uint32_t file = 0;  ///< as numbered by .file: see Module::files
  std::uint32_t line = 0, column = 0;
  std::string_view function;     ///< inlined function's (mangled) name, empty if not inlined
  std::int32_t inlined_at = -1;  ///< index of the call site's Location, -1: none
};

struct Operand {
  enum class Kind {
    reg,      ///< name
    special,  ///< %tid.x, %laneid, %clock64 … (name includes the component)
    integer,  ///< integer: any integer literal, two's complement (also WARP_SZ)
    f32,
    f64,         ///< bits: 0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX or a decimal floating literal (then f64)
    symbol,      ///< name + offset: variable or function used as a value (`mov.u64 %rd, s+4`), table of brx.idx
    address,     ///< [base + offset]: base in `name`, either a register (is_reg) or a symbol; empty name: absolute.
                 ///< What follows the base in brackets (`[texture, {x, y}]`) are operands of their own, behind it.
    vector,      ///< {elements}
    label,       ///< a label of the function: branch target
    underscore,  ///< `_`: discarded
  };
  Kind kind = Kind::reg;
  std::string_view name;
  bool is_reg = false;           ///< address: base is a register
  bool negated = false;          ///< `!p` or `-r` of a register (negative literals are already negative)
  std::int64_t integer = 0;      ///< integer value, or byte offset of symbol / address
  std::uint64_t bits = 0;        ///< f32 (low 32 bits) / f64 bit pattern
  std::string_view second;       ///< `p|q` destinations: the second register ("" if none, "_" if discarded)
  std::int32_t reg = -1;         ///< index into Function::registers of `name`, -1 if that is no register
  std::int32_t second_reg = -1;  ///< the same for `second`
  std::string_view selector;     ///< `r.b0`, `r.h1` (video instructions): "b0"
  std::vector<Operand> elements;
};

struct Instruction {
  std::string_view opcode;  ///< full dotted opcode: "ld.global.nc.v4.f32"
  std::string_view guard;   ///< predicate register of @p / @!p; empty: none
  bool guard_negated = false;
  std::int32_t guard_reg = -1;    ///< index into Function::registers
  std::vector<Operand> operands;  ///< calls: see CallSite
  std::int32_t call = -1;         ///< index into Function::calls
  std::int32_t location = -1;     ///< index into Module::locations, -1: none known
  std::uint32_t ptx_line = 0;     ///< 1-based line in the PTX text
  /// Of a load, bit k: its byte k is used (`.pragma "used_bytes_mask N"` in front of it); compilers read some bytes
  /// beside those that a program asks for.
  std::uint32_t used_bytes = ~std::uint32_t{0};
};

/// call{.uni} (results), target, (arguments), prototype-or-targets;
struct CallSite {
  std::vector<std::string_view> results;
  std::vector<Operand> arguments;  ///< names of param variables, or registers / immediates
  Operand target;                  ///< symbol (direct) or register (indirect)
  std::string_view prototype;      ///< .callprototype label or .calltargets label; empty: direct
};

/// label -> index of the instruction that follows it (== instructions.size(): end of the body)
struct Label {
  std::string_view name;
  std::uint32_t instruction = 0;
};
struct BranchTargets {  ///< name: .branchtargets L1, L2;
  std::string_view name;
  std::vector<std::string_view> labels;
};
struct Register {
  std::string_view name;  ///< "%r1"; of `.reg .b32 %r<10>` only those that occur; `.v4` registers as v.x, v.y …
  Type type;
};

/// Names are unique within their function: those of an inner scope that are taken get an "@2" behind them.
struct Function {
  std::string_view name;
  bool is_entry = false, is_extern = false, has_body = false;
  bool is_noreturn = false;
  std::vector<Variable> results;  ///< .func return parameters
  std::vector<Variable> parameters;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< local scope: .local, .shared, .param (call frames), .const
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<CallSite> calls;
  std::vector<BranchTargets> branch_targets;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> call_targets;
  std::vector<std::uint32_t> no_unroll;           ///< instructions before which `.pragma "nounroll"` stands
  std::uint32_t max_threads[3] = {0, 0, 0};       ///< .maxntid (0: none)
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< .reqnctapercluster
  std::uint32_t max_registers = 0;                ///< .maxnreg (0: none)
  std::uint32_t min_blocks_per_sm = 0;            ///< .minnctapersm
  std::uint32_t ptx_line = 0;
};

/// Moves only: the views point into its own strings.
struct Module {
  Module() = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() = default;

  std::string name;  ///< for messages: "reduce/kernels.cu"
  std::string_view text;
  std::shared_ptr<const std::string> copy;  ///< of the text; null: the caller of parse() keeps it
  std::deque<std::string> strings;          ///< storage of names that are not in the text (%r1 … of a range)
  int version_major = 0, version_minor = 0;
  std::string_view target;  ///< "sm_75"
  bool debug = false;       ///< `.target …, debug`: ptxas leaves the code as it is
  int address_size = 64;
  std::vector<std::pair<std::uint32_t, std::string_view>> files;  ///< .file number, path
  std::vector<Location> locations;
  std::vector<Variable> variables;  ///< module scope
  std::vector<Function> functions;  ///< one per name: a definition replaces its declarations
  std::vector<std::pair<std::string_view, std::string_view>> aliases;  ///< .alias name, function
};

}  // namespace gpulab::ptx
