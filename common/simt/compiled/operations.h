#pragma once
// A program's micro-ops as the compiled tier sees them: which become code, which are called, where it leaves, and which
// registers each reads and writes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/compiled/rows.h"
#include "common/simt/decode/program.h"

namespace gpulab::simt::compiled {

/// A register of a warp: its slot, or Program::slots and its number where it is a predicate.
using Variable = std::uint32_t;
inline constexpr Variable kNoVariable = ~0u;

/// What a result's lanes follow from where those of the operands differ by constants.
enum class Line : std::uint8_t {
  none,
  sum,
  difference,
  product,
  multiply_add,
  shift,
  copy,
  widen_unsigned,
  widen_signed,
  wide_product_unsigned,
  wide_product_signed
};

struct Operation {
  enum class Kind : std::uint8_t {
    nothing,    ///< an observer's, of warps that are not watched
    value,      ///< the row's ValueFunction
    access,     ///< a load or store of 4 or 8 bytes, code where its addresses follow from lane 0's; of global and local
                ///< memory one of several such values, too
    handler,    ///< the handler is called and always goes on behind itself
    through,    ///< the handler is called and may end the warp's turn
    branch,     ///< to one block
    branch_if,  ///< to one of two
    leave       ///< the interpreter goes on here
  };
  Kind kind = Kind::leave;
  const MicroOp* op = nullptr;
  std::uint32_t count = 1;  ///< micro-ops: a guard, what it guards, and its end are one operation
  std::vector<Variable> in, out;
  bool ends_kernel = false;    ///< leave: all lanes are done
  bool plain_barrier = false;  ///< through: a barrier of the whole block without a result, which ends the turn
  bool collective = false;  ///< through: a whole warp whose lanes have one member mask (`members`) executes it at once
  bool shuffle = false;     ///< a collective that is one
  const Row* row_of_warp = nullptr;  ///< a collective's
  Variable members = kNoVariable;
  bool takes_turn = false;  ///< it may take of the warp's turn beside its instructions: a poll
  bool known = false;       ///< `in` and `out` are all that it reads and writes
  RowNumber row{};          ///< value
  enum class Division : std::uint8_t { none, quotient, remainder };
  Division division = Division::none;  ///< value: of unsigned words
  Line line = Line::none;
  enum class Comparison : std::uint8_t { none, ordered, equality };
  Comparison comparison = Comparison::none;  ///< value: of two integers, a predicate
  bool is_signed = false;                    ///< those
  // access
  const Meaning* meaning = nullptr;
  bool load = false, shared = false, local = false, counted = false;
  std::uint32_t width = 0;   ///< bytes, of a lane
  std::uint32_t values = 1;  ///< of a lane
  Variable address = 0, data = 0;
};

struct Operations {
  Operations(const Program& program, const RowNames& rows);

  const Program& program;
  std::vector<std::vector<Operation>> blocks;
  std::vector<bool> wide;     ///< by variable: 64-bit lanes
  std::vector<bool> written;  ///< by variable: some operation may write it
  bool may_poll = false;      ///< some operation takes_turn
  bool consistent = true;     ///< each register has one width

  [[nodiscard]] Variable predicate(std::uint16_t number) const { return program.slots + number; }
  [[nodiscard]] bool is_predicate(Variable v) const { return v >= program.slots; }
  [[nodiscard]] std::size_t variables() const { return std::size_t{program.slots} + program.preds; }
  [[nodiscard]] std::vector<std::uint32_t> successors(std::size_t block) const;

 private:
  struct Decoder;
  std::vector<bool> noted_;  ///< by variable: its width is known
  void note(Variable v, bool is_wide);
};

}  // namespace gpulab::simt::compiled
