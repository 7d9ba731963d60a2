#include "runner/export/feedback.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/export/export_text.h"

namespace gpulab {

std::vector<FeedbackPart> wrong_parts(const GradeItem& item) {
  std::vector<FeedbackPart> all;
  for (const auto& part : item.parts) {
    if (part.hidden || part.status == "passed" || part.reason.empty()) continue;
    if (item.reason.find(part.reason) != std::string::npos) continue;
    const auto same = std::ranges::find(all, part.reason, &FeedbackPart::text);
    if (same != all.end())  // as classes that were not run
      same->heading += ", " + part.name;
    else
      all.push_back({part.name + (part.about.empty() ? "" : fmt::format(" ({})", part.about)), part.reason});
  }
  return all;
}

std::string feedback_of(const GradeItem& item, std::size_t most) {
  std::string text = item.description;
  if (!item.reason.empty()) text += (text.empty() ? "" : "\n") + item.reason;
  const auto hint = item.hint.empty() || item.passed() ? std::string() : "\n\nHint: " + item.hint;
  const auto parts = wrong_parts(item);
  constexpr std::size_t room_for_names = 400;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = fmt::format("\n\n{}\n{}", parts[i].heading, parts[i].text);
    if (text.size() + part.size() + hint.size() <= most - std::min(most, room_for_names)) {
      text += part;
      continue;
    }
    std::vector<std::string> names;
    for (; i < parts.size(); ++i) names.push_back(parts[i].heading);
    text += "\n\n" + cut(fmt::format("There is no room here for {}", join(names)), room_for_names - 2);
  }
  return cut(text + hint, most);
}

std::vector<std::string> further_findings(const Grade& grade) {
  std::vector<std::string> all;
  for (const auto& finding : grade.findings) {
    const auto message = finding.substr(0, finding.find('\n'));
    if (std::ranges::none_of(grade.items, [&](const GradeItem& item) {
          return !item.hidden && feedback_of(item, std::string::npos).find(message) != std::string::npos;
        }))
      all.push_back(finding);
  }
  return all;
}

}  // namespace gpulab
