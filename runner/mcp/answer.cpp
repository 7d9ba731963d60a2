#include "runner/mcp/answer.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "common/text.h"
#include "runner/report/error_report.h"

namespace gpulab::mcp {
namespace {

constexpr std::size_t most_error_bytes = 8000;

std::string without(std::string text, const std::string& folder) {
  if (folder.empty()) return text;
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

/// Each text and each name in it; `folder` leaves them: it is gone when the answer is read.
Json harmless(const Json& json, const std::string& folder) {
  if (json.is_string()) return visible(without(json.get<std::string>(), folder));
  if (json.is_array()) {
    Json all = Json::array();
    for (const auto& element : json) all.push_back(harmless(element, folder));
    return all;
  }
  if (!json.is_object()) return json;
  Json all = Json::object();
  for (const auto& [key, value] : json.items()) all[visible(key)] = harmless(value, folder);
  return all;
}

Json result_of(Json structured, const Surroundings& surroundings) {
  auto parts = cut(structured, surroundings.answer_bytes);
  if (!parts.empty()) {
    const auto note = cut_note({}, parts);
    structured["cut"] = note;
    structured["cut"]["more"] = surroundings.rests.keep(std::move(parts));
  }
  const auto text = structured.dump(-1, ' ', false, Json::error_handler_t::replace);
  return {{"content", {{{"type", "text"}, {"text", text}}}},
          {"structuredContent", std::move(structured)},
          {"isError", false}};
}

std::string shortened(std::string text) {
  if (text.size() <= most_error_bytes) return text;
  // The end says how it ended, the beginning what came first.
  const auto half = most_error_bytes / 2;
  return text.substr(0, half) + fmt::format("\n[{} bytes left out]\n", text.size() - 2 * half) +
         text.substr(text.size() - half);
}

/// gpulab.error.v1 as error_text() writes errors.
std::string error_of(const Json& document) {
  const auto& error = document.at("error");
  return error_text(Error(ExitCode::usage, error.value("what", ""), error.value("where", ""), error.value("hint", "")),
                    std::string::npos);
}

}  // namespace

Json answer_of(const Json& document, const Surroundings& surroundings) {
  return result_of({{"document", harmless(document, {})}}, surroundings);
}

Json answer_of(const Tool& tool, const Json& arguments, const CallProcess::Outcome& outcome, const Source& source,
               const Surroundings& surroundings) {
  const auto folder = source.own ? source.folder + "/" : std::string();
  auto document = Json::parse(tool.documents == "exec" ? outcome.document : outcome.output, nullptr, false);
  const bool is_object = document.is_object();
  if (!is_object || (document.contains("error") && document.value("schema", "") == "gpulab.error.v1")) {
    auto text = outcome.error;
    if (text.empty() && is_object) text = error_of(document);
    if (text.empty())
      text = fmt::format("the process of the call ended with exit code {} and no answer", outcome.exit_code);
    return error_answer(without(std::move(text), folder));
  }
  if (tool.view != nullptr) document = tool.view(std::move(document), arguments);
  Json structured{{"exit_code", outcome.exit_code}, {"document", harmless(document, folder)}};
  const auto add_text = [&](const char* name, const std::string& text, std::uint64_t cut) {
    if (!text.empty()) structured[name] = visible(without(text, folder));
    if (cut != 0) structured[fmt::format("{}_cut", name)] = cut;
  };
  if (tool.documents == "exec") add_text("stdout", outcome.output, outcome.output_cut);
  add_text("stderr", outcome.error, outcome.error_cut);
  return result_of(std::move(structured), surroundings);
}

Json error_answer(const std::string& text) {
  return {{"content", {{{"type", "text"}, {"text", visible(shortened(text))}}}}, {"isError", true}};
}

Json error_answer(const Error& error) { return error_answer(error_text(error, std::string::npos)); }

}  // namespace gpulab::mcp
