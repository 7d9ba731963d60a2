#pragma once
// Which declaration a name means inside a function body: nested { } scopes shadow outer ones, register ranges
// (`%r<10>`) declare names without listing them, and each declared thing gets a name unique in its function.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/ptx/module.h"

namespace gpulab::ptx {

struct Declaration {
  enum class Kind { reg, reg_vector, reg_range, variable, label, table };
  Kind kind = Kind::variable;
  std::string_view name;    ///< as written
  std::string_view unique;  ///< as it is called in the Function
  Type type;                ///< of registers
  std::uint32_t index = 0;  ///< variable: into Function::variables (or parameters)
  std::uint32_t count = 0;  ///< registers of a range or components of a vector register
  /// Index into Function::registers of each register of it that occurred so far; -1: did not.
  std::vector<std::int32_t> registers;
};

class Scopes {
 public:
  /// `taken` says which names exist at module scope; `strings` keeps the unique names that are made up.
  Scopes(const std::unordered_map<std::string_view, std::uint32_t>& taken, std::deque<std::string>& strings)
      : taken_(taken), strings_(strings) {}

  void open() { starts_.push_back(declarations_.size()); }
  void close();
  [[nodiscard]] std::size_t depth() const { return starts_.size(); }

  /// Declares in the innermost scope; null if that scope has the name already. Valid until the scope closes.
  Declaration* declare(Declaration declaration);
  /// What a name means here: its innermost declaration, and its number in a range.
  struct Meaning {
    Declaration* declaration = nullptr;  ///< null: not declared in the function
    std::uint64_t number = 0;
    const Declaration* too_small = nullptr;  ///< null declaration: a range of that prefix that ends before the number
  };
  [[nodiscard]] Meaning find(std::string_view name);
  /// A label of the innermost scope; null: it has none of that name.
  [[nodiscard]] const Declaration* find_label_here(std::string_view name) const;
  /// `name` if nothing in the function is called so yet, else `name`@2, @3 …
  std::string_view make_unique(std::string_view name, bool is_register);

 private:
  struct Entry {
    Declaration declaration;
    std::size_t shadowed;  ///< 1 + index of the outer declaration of the name, 0: none
  };
  using Visible = std::unordered_map<std::string_view, std::size_t>;  ///< name -> 1 + index
  [[nodiscard]] static std::size_t place_of(const Visible& visible, std::string_view name) {
    const auto found = visible.find(name);
    return found == visible.end() ? 0 : found->second;
  }
  Visible& visible(const Declaration& declaration) {
    return declaration.kind == Declaration::Kind::reg_range ? ranges_ : names_;
  }

  const std::unordered_map<std::string_view, std::uint32_t>& taken_;
  std::deque<std::string>& strings_;
  std::deque<Entry> declarations_;
  std::vector<std::size_t> starts_;  ///< first declaration of each open scope
  Visible names_, ranges_;
  std::unordered_set<std::string_view> used_;
  std::unordered_map<std::string_view, std::uint32_t> copies_;  ///< how often a name was made unique
};

}  // namespace gpulab::ptx
