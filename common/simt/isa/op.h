#pragma once
// What an instruction is to the simulator: one Row of one table (its form in the PTX manual's notation, its unit,
// its meaning), and the MicroOp that decode makes of each use. The inner loop is
//     while (op) op = op->run(warp, op);
// A handler executes its instruction for all active lanes and returns the next micro-op, or nullptr when the
// warp's scheduler has to decide (barrier, divergence that ended, exit, end of the time slice).
//
// This header is compiled for several x86-64 levels: everything inline here is `static`, so that the linker
// cannot keep an AVX copy for an older CPU.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpulab::simt {

inline constexpr int kLanes = 32;
inline constexpr std::uint32_t kFullMask = 0xffffffffu;
inline constexpr std::uint32_t kNoBlock = 0xffffffffu;

struct Warp;
struct MicroOp;
using Handler = const MicroOp* (*)(Warp&, const MicroOp*);

/// Modifiers that change an instruction's meaning at run time (bits of MicroOp::mods). Found by name in the opcode.
enum Mod : std::uint16_t {
  kRoundZero = 1,
  kRoundDown = 2,
  kRoundUp = 3,
  kRoundMask = 3,  // .rz .rm .rp (0: .rn)
  kFtz = 1 << 2,
  kSat = 1 << 3,
  kAnd = 1 << 4,
  kOr = 2 << 4,
  kXor = 3 << 4,
  kBoolMask = 3 << 4,       // setp/set: combine with a predicate
  kAddress32 = 1 << 6,      // the address register is 32 bits wide (set by decode)
  kOrdered = 1 << 7,        // .volatile .relaxed .acquire .release: other threads may watch
  kResultUsed = 1 << 8,     // atom: the old value is read later (set by decode)
  kOutsideClamps = 1 << 9,  // .clamp, .zero of surfaces: what an access outside becomes (none: a fault)
  kOutsideIsZero = 1 << 10,
};

/// One decoded operation: 32 bytes.
struct MicroOp {
  Handler run = nullptr;
  /// Operands in the order of Meaning::operands: register slots in units of 64 bytes (a 32-bit register of a
  /// warp is 2 slots: 32 lanes x 4 bytes; a 64-bit register 4), or predicate numbers.
  std::array<std::uint16_t, 6> r{};
  std::int32_t imm = 0;     ///< address offset in bytes, or index of a basic block, call site, jump table
  std::uint32_t site = 0;   ///< index of the PTX instruction: statistics, source lines, messages
  std::uint16_t mods = 0;   ///< Mod bits
  std::uint16_t extra = 0;  ///< instruction's own (sub-operation, lane count, …)
};
static_assert(sizeof(MicroOp) == 32);

// ---- what single instructions keep in a micro-op ----

/// %branch_if goes to one of two basic blocks, and its lanes meet again at a third: `imm`, r[2..3], r[4..5].
static inline void set_branch_blocks(MicroOp& op, std::uint32_t taken, std::uint32_t fall_through,
                                     std::uint32_t post_dominator) {
  op.imm = static_cast<std::int32_t>(taken);
  op.r[2] = static_cast<std::uint16_t>(fall_through);
  op.r[3] = static_cast<std::uint16_t>(fall_through >> 16);
  op.r[4] = static_cast<std::uint16_t>(post_dominator);
  op.r[5] = static_cast<std::uint16_t>(post_dominator >> 16);
}
/// Where lanes go whose predicate r[0] holds; or does not, where the branch is negated.
static inline std::uint32_t taken_block(const MicroOp* op) { return static_cast<std::uint32_t>(op->imm); }
static inline std::uint32_t fall_through_block(const MicroOp* op) {
  return op->r[2] | static_cast<std::uint32_t>(op->r[3]) << 16;
}
static inline std::uint32_t post_dominator_block(const MicroOp* op) {
  return op->r[4] | static_cast<std::uint32_t>(op->r[5]) << 16;
}
/// %branch_if and %guard: lanes whose predicate does not hold are meant.
static inline bool is_negated(const MicroOp* op) { return op->extra != 0; }

/// bar.red: what lanes get in r[0] when the barrier completes.
enum class BarrierReduction : std::uint16_t {
  none,  ///< a barrier without a reduction
  all,   ///< whether the predicate holds for all threads
  any,   ///< for any
  count  ///< for how many
};
static inline BarrierReduction barrier_reduction(const MicroOp* op) { return static_cast<BarrierReduction>(op->extra); }

/// How a value sits in a register. Sub-word values occupy 32-bit lanes, upper bits zero; readers truncate.
enum class Kind : std::uint8_t { none, pred, u8, s8, u16, s16, f16, bf16, u32, s32, f32, u64, s64, f64 };

/// 0: 32-bit slots, 1: 64-bit slots, 2: predicates.
constexpr int register_class(Kind kind) { return kind == Kind::pred ? 2 : kind >= Kind::u64 ? 1 : 0; }

enum class Role : std::uint8_t {
  none,
  out,           ///< written
  in,            ///< read: register, immediate, special register, or symbol's address
  optional_in,   ///< read, may be absent (then the slot of a zero / false predicate)
  optional_out,  ///< `p|q`'s second destination or `_`; r = kNoOperand when absent
  address,       ///< [a+imm]: r = register slot (or a zero constant), imm = offset; kAddress32 by register width
  label,         ///< branch target: imm = basic block
  immediate,     ///< integer literal only: MicroOp::imm
};
inline constexpr std::uint16_t kNoOperand = 0xffff;

struct OperandType {
  Role role = Role::none;
  Kind kind = Kind::none;
  std::uint8_t vector = 1;  ///< 2, 4: {a,b,c,d} takes that many consecutive entries of MicroOp::r
};

/// What decode and the statistics must know beyond operands.
enum class Unit : std::uint8_t {
  alu,
  fp32,
  fp64,
  sfu,
  conversion,
  control,
  global,
  shared,
  local,
  constant,
  param,
  generic,
  atomic,
  barrier,
  warp,
  matrix,
  async,
  texture,
  system
};

enum Trait : std::uint16_t {
  kLoad = 1,
  kStore = 2,
  kAtomic = 4,
  kCollective = 8,  ///< .sync: waits for the lanes of its member mask; never executed under a guard trampoline
  kEndsBlock = 16,  ///< branch, ret, exit, trap: the last of a basic block
  kBarrier = 32,
  kConditional = 64,    ///< takes its guard itself (bra)
  kSideEffect = 128,    ///< scheduling point: not under a guard trampoline either (calls)
  kOperandTable = 512,  ///< more operands than MicroOp::r holds: they lie in Program::operand_table (see operands())
  kCopies = 1024,       ///< the result is the source's value as it is
  kEarlyClobber = 256,  ///< destinations must not share slots with sources (several destinations, lane exchange)
};

/// A result and up to four operands: lanes as registers hold them, or the bits of a predicate.
using ValueFunction = void (*)(void* to, const void* a, const void* b, const void* c, const void* d);
/// What a handler does, of values that lie elsewhere than in a warp's registers.
struct RowValues {
  ValueFunction all = nullptr;  ///< of all 32 lanes
  ValueFunction one = nullptr;  ///< of one lane, which stands for all
};
/// The modifiers with which a row may have such functions.
inline constexpr std::uint16_t kValueMods = kRoundMask | kFtz | kSat;

/// An instruction's meaning: handlers and operand types. `modified` is used when a Mod of the opcode is set (rounding,
/// ftz, sat …; null: `run` reads op->mods itself); `counted` when counters are on.
struct Meaning {
  Handler run = nullptr, modified = nullptr, counted = nullptr;
  std::array<OperandType, 6> operands{};
  std::uint16_t traits = 0;
  std::uint16_t extra = 0;        ///< copied to MicroOp::extra
  std::uint8_t width = 0;         ///< memory: bytes that a lane moves per request; 0: those of its first operand
  Handler followed = nullptr;     ///< an access that has the pattern of Warp::leads[extra] (fuse.h)
  Handler then_branch = nullptr;  ///< a comparison that also executes the %branch_if behind it (fuse.h)
#if defined(SIMT_COMPILED)        // the rows as bitcode, for the compiled tier: scripts/cmake/isa.cmake
  std::array<RowValues, kValueMods + 1> values{};  ///< by these modifiers; an opcode with others has none
#endif
};

/// One instruction. `form` is the PTX manual's notation: optional modifiers in {…}, alternatives separated by
/// commas, "add{.sat}.s32 d, a, b"; "(.s32,.u32)" requires one of its alternatives. See form.h.
struct Row {
  const char* form;
  Unit unit;
  Meaning meaning;
};

}  // namespace gpulab::simt
