// Exports grades that a file holds: export_documents FILE FORMAT=PATH…, FILE {"grades": [gpulab.grade.v1 …], "roster":
// [{submission, name, id, email} …]}. Strings of the file may name bytes by \u0080 to \u00ff behind "bytes:", so that
// texts that are no UTF-8 come in, too. Notes and errors go to standard error; exit code 2 with an error.

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "runner/export/export.h"

namespace {

using namespace gpulab;
using Json = nlohmann::json;

std::string bytes_of(const std::string& text) {
  constexpr std::string_view mark = "bytes:";
  if (!text.starts_with(mark)) return text;
  std::string bytes;
  for (std::size_t i = mark.size(); i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    bytes += byte < 0x80 ? text[i] : static_cast<char>((byte & 3) << 6 | (text[++i] & 0x3f));
  }
  return bytes;
}

void replace_bytes(Json& json) {
  if (json.is_string()) json = bytes_of(json.get<std::string>());
  if (json.is_structured())
    for (auto& part : json) replace_bytes(part);
}

GradedClass read(const char* path) {
  std::ifstream file(path);
  Json json = Json::parse(file);
  replace_bytes(json);
  GradedClass graded;
  for (const auto& document : json["grades"]) graded.grades.push_back(grade_of(document));
  for (const auto& row : json.value("roster", Json::array()))
    graded.roster.push_back(
        {row.value("submission", ""), row.value("name", ""), row.value("id", ""), row.value("email", "")});
  return graded;
}

}  // namespace

int main(int count, char** words) try {
  const auto graded = read(words[1]);
  for (int i = 2; i < count; ++i)
    for (const auto& note : export_grades(parse_export(words[i]), graded)) fmt::print(stderr, "note: {}\n", note);
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "error: {}\n  hint: {}\n", error.what(), error.hint);
  return 2;
}
