#pragma once
// The bitcode of the rows (row_bitcode.h), read into an LLVM context: which rows have a ValueFunction, and their code.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simt/compiled/llvm/library.h"

namespace gpulab::simt::compiled {

/// A row's place in InstructionSet::tables(), and modifiers of an opcode (kValueMods).
struct RowNumber {
  std::size_t table = 0, row = 0;
  std::uint16_t mods = 0;
  auto operator<=>(const RowNumber&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy's own fault
};

/// "row_6_17_0"
[[nodiscard]] std::string row_name(RowNumber row);

/// Which rows have a ValueFunction, and what it is called.
class RowNames {
 public:
  RowNames() = default;
  virtual ~RowNames() = default;
  RowNames(const RowNames&) = delete;
  RowNames& operator=(const RowNames&) = delete;

  [[nodiscard]] bool has(RowNumber row) const { return functions_.contains(row); }
  /// "row_6_17_0_all", or "…_one": declared by that name in another module, link() brings the code.
  [[nodiscard]] std::string name_of(RowNumber row, bool all) const {
    return functions_.at(row) + (all ? "_all" : "_one");
  }
  [[nodiscard]] const std::map<RowNumber, std::string>& all() const { return functions_; }
  /// Gives `module` the layout of the target.
  virtual void prepare(Module /*module*/) const {}

 protected:
  std::map<RowNumber, std::string> functions_;  ///< the name without "_all"
};

class Rows : public RowNames {
 public:
  /// Reads the bitcode of the level in use (cpu_level()), function bodies not yet. `why` says what is missing, else is
  /// empty.
  Rows(const Library& llvm, Context context, std::string& why);
  ~Rows() override;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void prepare(Module module) const override;
  /// Moves what `module` calls into it; what keeps it from that, or nothing. These rows are then used up.
  std::string link(Module module);

 private:
  void read(std::size_t table, Module module);
  const Library& llvm_;
  Context context_;
  std::vector<Module> modules_;
  std::string problem_;  ///< that LLVM told last
};

}  // namespace gpulab::simt::compiled
