#pragma once
// A gpulab.grade.v1 document as a plain record, with texts that are safe to show.

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/enum_text.h"

namespace gpulab {

/// A class of inputs, or an expression.
struct GradePart {
  std::string name;
  std::string about;   ///< of a class: which sizes it has
  std::string status;  ///< as of an item
  std::string reason;  ///< empty for hidden ones
  bool hidden = false;
};

struct GradeItem {
  std::string name;
  double points = 0;
  std::optional<double> earned;  ///< nothing: not known yet
  std::string status;            ///< "passed", "partial", "failed", "pending"
  std::string reason;
  bool hidden = false;        ///< students do not see it
  std::string description{};  ///< the assignment's words: what it asks
  std::string hint{};         ///< and, where points were lost, what to look at
  std::vector<GradePart> parts{};

  [[nodiscard]] bool passed() const { return earned && *earned >= points; }
};

/// pending: some items need a GPU. attention: there was nothing to judge. infrastructure: our failure, not the
/// student's. tried: by a student, without what is hidden: no grade.
enum class GradeStatus : std::uint8_t { graded, pending, attention, infrastructure, tried };
constexpr std::array<std::string_view, 5> words_of(GradeStatus) {
  return {"graded", "pending", "attention", "infrastructure", "tried"};
}

/// Texts are as visible() makes them, but `submission`, which is compared with rosters.
struct Grade {
  std::string submission, file, assignment;
  std::string reason;  ///< why there is no grade
  std::optional<std::string> compile_problem;
  std::string compiler_messages;  ///< all that the compiler said, where it refused the file; lines
  GradeStatus status = GradeStatus::graded;
  std::optional<double> score;  ///< nothing where the status is another than graded
  double max = 0;
  std::vector<GradeItem> items;
  std::vector<std::string> findings{};  ///< "racecheck: …", on inputs that everybody can see; lines
  std::string printed{};                ///< by the kernel, on inputs that everybody can see; lines

  [[nodiscard]] std::string shown_submission() const;
};

/// Throws usage_error: what in the document is not as it must be.
[[nodiscard]] Grade grade_of(const nlohmann::json& document);

/// What hidden items come to, for documents that students read: one item without a reason; nothing where none is
/// hidden.
[[nodiscard]] std::optional<GradeItem> hidden_total(const Grade& grade);
/// The others, and the hidden ones as one.
[[nodiscard]] std::vector<GradeItem> items_for_students(const Grade& grade);
/// "not graded: items need a GPU", for whoever waits for a number.
[[nodiscard]] std::string why_ungraded(const Grade& grade);

}  // namespace gpulab
