#pragma once
// Mutants of a reference, graded by its assignment; and what those that keep all of their points are.

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/enum_text.h"
#include "runner/case/judgement.h"
#include "runner/grade/grading.h"
#include "runner/grade/mutants/mutations.h"

namespace gpulab {

/// caught: it loses points. wrong, slower: it keeps them and should not. unproved: it keeps them, and nothing was found
/// that is wrong with it: it may be right. uncompiled: no kernel any more. ungraded: this machine had not the time or
/// the memory to say.
enum class MutantFate : std::uint8_t { caught, wrong, slower, unproved, uncompiled, ungraded };
constexpr std::array<std::string_view, 6> words_of(MutantFate) {
  return {"caught", "wrong", "slower", "unproved", "uncompiled", "ungraded"};
}

struct TriedMutant {
  Mutation mutation;  ///< without its text
  MutantFate fate = MutantFate::unproved;
  std::string item{};     ///< that caught it, the first of kind correct or sanitize, else the first of all
  bool by_right = false;  ///< that item is of kind correct or sanitize
  bool is_wrong = false;  ///< as the assignment sees it, or further inputs and tools do
  /// Of one that no item about right and wrong caught: the class, tool or requirement that would. Of one that is
  /// ungraded: why.
  std::string tells{};
};

struct MutantReport {
  std::vector<TriedMutant> mutants{};  ///< by line
  std::size_t inputs = 0;              ///< further ones, that survivors were tried on
  [[nodiscard]] std::size_t count(MutantFate fate) const;
  [[nodiscard]] std::size_t wrong() const;            ///< mutants that are wrong, whatever caught them
  [[nodiscard]] std::size_t caught_as_wrong() const;  ///< of these, those that lose points in correct or sanitize
};

struct MutantOptions {
  std::size_t most = 300;    ///< mutants
  std::size_t inputs = 200;  ///< further ones, at least: each seed tries every class of the contract, under every tool
  double slower = 1.2;       ///< a counter so many times the reference's
};

/// What a mutant's grade (gpulab.grade.v1) says of it: caught, uncompiled, ungraded or, for now, unproved.
void read_grade(const nlohmann::json& grade, TriedMutant& tried);

/// The class of further inputs, or the tool, that finds a mutant wrong, and whether the assignment has that; empty:
/// none.
[[nodiscard]] std::string what_tells(const Assignment& assignment, const Judgement& judgement);
/// The first class of inputs whose launch met the backstop of the clock, which says nothing of the kernel; empty: none.
[[nodiscard]] std::string met_the_clock(const Judgement& judgement);

/// Throws Error as grade_all() does; usage_error: the assignment names no reference.
[[nodiscard]] MutantReport try_mutants(const GradingRequest& request, const MutantOptions& options);

/// For people: survivors first, with their line and what would tell.
[[nodiscard]] std::string mutant_text(const Assignment& assignment, const MutantReport& report);
[[nodiscard]] nlohmann::ordered_json mutant_json(const MutantReport& report);

}  // namespace gpulab
