#pragma once
// Which element an access means, in terms of what its address is computed from: for advice, which has to tell an update
// of one element (++bins[k]) from a read of a neighbour (s[t] += s[t + 1]).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ptx/module.h"

namespace gpulab::simt {

/// What goes into a value, however it is computed.
struct Ingredients {
  bool block = false;      ///< blockIdx
  bool grid = false;       ///< gridDim
  bool block_dim = false;  ///< blockDim
  bool parameters = false;
  bool memory = false;  ///< what was loaded, comes from another lane or from a function
};

/// Of one function; all instructions are its own.
class AddressForms {
 public:
  explicit AddressForms(const ptx::Function& function);

  enum class Element : std::uint8_t {
    unknown,
    same,
    other,      ///< of the same array, at least now and then
    elsewhere,  ///< of an array of another name, which may be the same
  };
  /// What a thread that comes to both means by them, in one round of a loop.
  [[nodiscard]] Element compare(const ptx::Instruction& a, const ptx::Instruction& b) const;
  /// Whether what `store` stores is computed from what `load` loads.
  [[nodiscard]] bool feeds(const ptx::Instruction& load, const ptx::Instruction& store) const;
  /// The loads that do, the nearest first; of many some.
  [[nodiscard]] std::vector<const ptx::Instruction*> loads_for(const ptx::Instruction& store) const;
  [[nodiscard]] Ingredients of_address(const ptx::Instruction& access) const;
  /// What is added, in loops, to registers that go into the address: one entry for each such sum.
  [[nodiscard]] std::vector<Ingredients> steps_of_address(const ptx::Instruction& access) const;

 private:
  /// A sum of leaves, each so many times: registers whose value is no sum, by number; special registers, parameters
  /// and variables, by name.
  struct Form {
    std::map<std::pair<std::int32_t, std::string>, std::int64_t> terms;
    std::int64_t constant = 0;
    void add(const Form& other, std::int64_t times);
    [[nodiscard]] bool is_constant() const { return terms.empty(); }
  };
  [[nodiscard]] static Form named(std::string_view name, std::int64_t offset);
  [[nodiscard]] Form form_of(const ptx::Operand& operand, int depth) const;
  [[nodiscard]] std::optional<Form> form_of_result(const ptx::Instruction& instruction, int depth) const;
  [[nodiscard]] std::optional<Form> address_of(const ptx::Instruction& access) const;
  void visit_sources(std::vector<std::int32_t> open, const auto& visit) const;
  [[nodiscard]] Ingredients of(const std::vector<std::int32_t>& registers) const;

  const ptx::Function& function_;
  std::vector<std::vector<const ptx::Instruction*>> made_by_;  ///< of each register
  mutable int steps_ = 0;                                      ///< taken to find an address's form
};

}  // namespace gpulab::simt
