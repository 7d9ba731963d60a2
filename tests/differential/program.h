#pragma once
// A random kernel as a tree. One tree has two readings that must agree: PTX text, which a device runs (write_ptx.h),
// and what each thread does by itself, one statement after another (evaluate.h).
//
// Every thread has the same registers: 6 predicates, 5 of 16 bits, 8 of 32, 6 of 64. They start from random data and
// are all written out at the end, so that no result goes unseen.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/dim3.h"
#include "tests/differential/instruction_pool.h"

namespace gpulab::differential {

enum class Class : std::uint8_t { pred, b16, b32, b64 };
inline constexpr std::array<int, 4> kRegisters = {6, 5, 8, 6};  ///< of each class
[[nodiscard]] constexpr int bits_of(Class c) { return c == Class::pred ? 1 : 8 << static_cast<int>(c); }

/// A register, or a literal.
struct Operand {
  Class cls = Class::b32;
  bool literal = false;
  int index = 0;           ///< of a register
  std::uint64_t bits = 0;  ///< of a literal
  bool operator==(const Operand&) const = default;
};

/// A predicate register, perhaps negated.
struct Condition {
  int pred = 0;
  bool negated = false;
};

enum class StatementKind : std::uint8_t {
  instruction,  ///< of the pool
  load,         ///< registers = memory
  store,        ///< memory = registers
  fetch,        ///< register = memory, memory = f(memory, operand): an atomic on the thread's own bytes
  reduce,       ///< memory = f(memory, operand): an atomic on what all threads share, in any order
  branch,       ///< if (condition) bodies[0] else bodies[1]
  loop,         ///< bodies[0], a bounded number of times that depends on the lane
  leave,        ///< if (condition) break, or continue
  table,        ///< brx: one of the bodies
  call,         ///< of a function of the program
  finish,       ///< if (condition) write the registers out and exit
  shuffle,      ///< what follows is executed by all threads of a block, or by the member mask
  vote,
  match,
  reduction,   ///< redux.sync
  exchange,    ///< through shared memory, between barriers
  block_vote,  ///< bar.red
};

enum class Space : std::uint8_t { input, own, rows, local, shared };
enum class Pattern : std::uint8_t { gather, unit, uniform };

/// One access: elements of `bytes`, 1, 2 or 4 of them.
struct Access {
  Space space = Space::input;
  Pattern pattern = Pattern::gather;
  char type = 'u';  ///< u, s, b, f
  int bytes = 4;
  int vector = 1;
  int fixed = 0;         ///< constant part of the address
  bool generic = false;  ///< by a generic address
};

struct Statement {
  StatementKind kind = StatementKind::instruction;
  bool guarded = false;
  Condition condition;           ///< guard, or what a branch, leave or finish asks
  int instruction = -1;          ///< index into the pool
  std::vector<Operand> out, in;  ///< in the instruction's order
  std::uint32_t immediate = 0;   ///< lop3's table, shuffle's clamp, …
  std::uint32_t members = ~0u;   ///< member mask
  int variant = 0;               ///< which shuffle, vote, atomic, function
  Access access;
  std::vector<std::vector<Statement>> bodies;
};

struct Program {
  std::uint64_t seed = 0;
  Dim3 grid, block;
  std::vector<std::vector<Statement>> functions;  ///< each may call those before it
  std::vector<Statement> statements;

  [[nodiscard]] std::uint32_t threads() const { return static_cast<std::uint32_t>(grid.volume() * block.volume()); }
};

/// Sizes in bytes. Every thread has bytes of its own in global, local and shared memory.
inline constexpr int kInputBytes = 4096, kOwnBytes = 128, kLocalBytes = 64, kSharedBytes = 64;
/// Rows of global memory in which neighbours are neighbours: one for each width, 16 bytes per thread.
inline constexpr int kRows = 5;
/// Counters that all threads share: 8 of each reduction, 8 bytes each.
inline constexpr int kReductions = 12, kCounterBytes = kReductions * 64;
inline constexpr int kWordsOut = 6 + 8 + 5 + 1;  ///< 64-bit words that a thread writes out

/// The atomics without a result whose order does not matter; `counter` rows by this order.
struct Reduction {
  const char* operation;
  const char* type;
  int bytes;
};
inline constexpr std::array<Reduction, kReductions> kReductionTable = {{{"add", "u32", 4},
                                                                        {"add", "u64", 8},
                                                                        {"min", "s32", 4},
                                                                        {"max", "s32", 4},
                                                                        {"min", "u32", 4},
                                                                        {"max", "u64", 8},
                                                                        {"min", "s64", 8},
                                                                        {"and", "b32", 4},
                                                                        {"or", "b64", 8},
                                                                        {"xor", "b32", 4},
                                                                        {"xor", "b64", 8},
                                                                        {"or", "b32", 4}}};

/// The atomics with a result, on bytes that are the thread's own. cas takes two operands.
inline constexpr std::size_t kFetches = 18;
inline constexpr std::array<Reduction, kFetches> kFetchTable = {{{"add", "u32", 4},
                                                                 {"add", "u64", 8},
                                                                 {"min", "s32", 4},
                                                                 {"min", "u64", 8},
                                                                 {"max", "u32", 4},
                                                                 {"max", "s64", 8},
                                                                 {"and", "b32", 4},
                                                                 {"and", "b64", 8},
                                                                 {"or", "b32", 4},
                                                                 {"xor", "b64", 8},
                                                                 {"inc", "u32", 4},
                                                                 {"dec", "u32", 4},
                                                                 {"exch", "b32", 4},
                                                                 {"exch", "b64", 8},
                                                                 {"cas", "b32", 4},
                                                                 {"cas", "b64", 8},
                                                                 {"max", "s32", 4},
                                                                 {"min", "u32", 4}}};

/// redux.sync's operations and types, by Statement::variant.
inline constexpr std::array<Reduction, 8> kWarpReductions = {{{"add", "u32", 4},
                                                              {"add", "s32", 4},
                                                              {"min", "u32", 4},
                                                              {"max", "u32", 4},
                                                              {"min", "s32", 4},
                                                              {"max", "s32", 4},
                                                              {"and", "b32", 4},
                                                              {"xor", "b32", 4}}};

}  // namespace gpulab::differential
