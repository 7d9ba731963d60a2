#pragma once
// Which arrays an access may mean: those that its address was worked out from, by the code that leads to it. So an
// index that runs past the end of one array and far into another is told, though no byte there is forbidden.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// Bit i: Program::shared_variables[i]. 0: any, for nobody knows (the address was loaded, passed to a function, chosen
/// between a variable and something else …).
using SharedVariables = std::uint64_t;

/// By site.
[[nodiscard]] std::vector<SharedVariables> meant_variables(const Program& program);

/// A variable in the frame of a function, as debugging information has it (nvcc -G).
struct LocalVariable {
  std::string name;
  std::uint64_t offset = 0, end = 0;  ///< bytes of the frame; up to the next variable
};

/// Those that accesses mean. Without -G PTX tells of one array for all that a function has, and nothing is known.
class LocalVariables {
 public:
  LocalVariables() = default;
  explicit LocalVariables(const Program& program);
  /// Reading debugging information takes as long as the text is.
  [[nodiscard]] bool are_of(const Program& program) const;
  /// nullptr: any.
  [[nodiscard]] const LocalVariable* meant_by(std::uint32_t site) const {
    return site < meant_.size() ? meant_[site] : nullptr;
  }

 private:
  std::shared_ptr<const ptx::Module> module_;  ///< kept, so that no other one has its place
  const ptx::Function* kernel_ = nullptr;
  std::deque<LocalVariable> all_;
  std::vector<const LocalVariable*> meant_;  ///< by site; empty: nothing is known
};

}  // namespace gpulab::simt
