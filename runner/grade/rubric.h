#pragma once
// From facts to points.
//
// An item of the kind `correct` gives points for each class, by weights, and one of the kind `require` for all that it
// asks together: the assignment may say otherwise ("partial"). A requirement with "zero_at" gives a share of the points
// by its nearness to the bound; where all must hold, the smallest share is the item's. What the certificate asks gives
// nothing, and takes all.
//
// Each item but `correct` is earned by kernels that work: `sanitize` and `static` by those that are right on everyday
// inputs, `require` and `speed` by those that are right on all classes that the assignment names. Else the starter,
// which does nothing and that cleanly, would earn them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/grade/facts.h"
#include "runner/grade/input/assignment.h"
#include "runner/grade/standard.h"

namespace gpulab {

enum class Graded : std::uint8_t { passed, partial, failed, pending };
constexpr std::array<std::string_view, 4> words_of(Graded) { return {"passed", "partial", "failed", "pending"}; }

/// A class of inputs, or an expression: what an item is made of.
struct GradedPart {
  std::string name;
  Graded status = Graded::failed;
  bool is_hidden = false;
  std::string reason{};
  double share = 0;                        ///< of what it is worth: 1 where it passed
  std::optional<double> value{}, bound{};  ///< of an expression, at the size that everybody can see
};

struct GradedItem {
  const AssignmentItem* item = nullptr;
  Graded status = Graded::failed;
  std::optional<double> earned = 0.0;  ///< nothing: pending
  std::string reason{};
  std::vector<GradedPart> parts{};
  bool is_judged = true;  ///< false: it asks for a kernel that works, or compiles, and this one does not
};

/// What the reason of an item begins with that a kernel does not earn because it is not right.
inline constexpr std::string_view not_earned = "not earned: ";

/// Facts::timed are of the items of the kind speed, in order; nothing where there is no GPU.
[[nodiscard]] std::vector<GradedItem> grade_items(const Assignment& assignment, const Facts& facts, Standard& standard);

/// Of an item whose parts earn their points each, by weight, or all together: shares, points and status. `works`: it
/// does something right. Returns the parts that are wrong: "odd (hidden, counts 2)".
[[nodiscard]] std::vector<std::string> earn_by_parts(const AssignmentItem& item, bool works, GradedItem& made);

/// To a hundredth of a point.
[[nodiscard]] double hundredths(double points);

}  // namespace gpulab
