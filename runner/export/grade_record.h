#pragma once
// A gpulab.grade.v1 document as a plain record, with texts that are safe to show.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gpulab {

struct GradeItem {
  std::string name;
  double points = 0;
  std::optional<double> earned;  ///< nothing: not known yet
  std::string status;            ///< "passed", "failed", "pending" …
  std::string reason;
  bool hidden = false;  ///< students do not see it

  [[nodiscard]] bool passed() const { return earned && *earned >= points; }
};

enum class GradeStatus {
  graded,
  pending,         ///< some items need a GPU
  infrastructure,  ///< our failure, not the student's
};

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
