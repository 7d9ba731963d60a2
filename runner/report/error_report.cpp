#include "runner/report/error_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/report/json_text.h"

namespace gpulab {

std::string error_text(const Error& error) {
  std::string text = fmt::format("error: {}\n", error.what());
  if (!error.where.empty()) text += fmt::format("  {}\n", error.where);
  if (!error.hint.empty()) text += fmt::format("  hint: {}\n", error.hint);
  return visible(text);  // it may quote a file, or a file's name
}

std::string error_json(const Error& error) {
  nlohmann::ordered_json json{{"schema", "gpulab.error.v1"},
                              {"error", {{"what", error.what()}, {"where", error.where}, {"hint", error.hint}}}};
  return json_text(json);
}

}  // namespace gpulab
