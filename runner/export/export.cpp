#include "runner/export/export.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/written_file.h"

namespace gpulab {
namespace {

constexpr std::string_view place = "{submission}";

std::string option_of(const Export& wanted) { return fmt::format("--export {}", wanted.format->name); }

/// A submission's name as one name of a file: what could lead elsewhere or cannot be seen is written as %xx.
std::string file_name_of(const std::string& submission) {
  std::string name;
  for (const char c : submission) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > 0x20 && byte != 0x7f && c != '/' && c != '%' && c != '\\';
    if ((plain || c == ' ') && !(name.empty() && c == '.'))
      name += c;
    else
      name += fmt::format("%{:02x}", byte);
  }
  return name;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || std::filesystem::is_directory(path, error);
}

ExportContext context_of(const Export& wanted) {
  ExportContext context;
  context.option = option_of(wanted);
  context.path = wanted.path;
  context.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
  context.now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return context;
}

}  // namespace

const RosterRow* GradedClass::row_of(const std::string& submission) const {
  const auto found = std::ranges::find(roster, submission, &RosterRow::submission);
  return found == roster.end() ? nullptr : &*found;
}

Export parse_export(const std::string& text) {
  std::vector<std::string> names;
  for (const auto* format : export_formats()) names.emplace_back(format->name);
  const auto hint = "formats: " + join(names);
  const auto at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw usage_error(fmt::format("--export: '{}' is not of the form FORMAT=PATH", visible(text)), hint);
  const auto name = text.substr(0, at);
  const auto formats = export_formats();
  const auto found = std::ranges::find(formats, name, &ExportFormat::name);
  if (found == formats.end())
    throw usage_error(fmt::format("--export: unknown format '{}'", visible(name)), did_you_mean(name, names, hint));
  return {*found, text.substr(at + 1)};
}

bool is_of_one(const Export& wanted) {
  const bool several = is_folder(wanted.path) || wanted.path.find(place) != std::string::npos;
  return wanted.format->submission != nullptr && (wanted.format->one_submission || !several);
}

void check_export(const Export& wanted, std::size_t submissions) {
  const auto& format = *wanted.format;
  const bool several = is_folder(wanted.path) || wanted.path.find(place) != std::string::npos;
  if (format.fill != nullptr) {
    (void)read_whole(wanted.path, option_of(wanted));
  } else if (format.submission == nullptr) {
    if (several)
      throw usage_error(fmt::format("{}: '{}' is no file", option_of(wanted), visible(wanted.path)),
                        "one file holds the whole class");
  } else if (submissions > 1 && format.one_submission) {
    throw usage_error(fmt::format("{}: {} submissions, and it is made for one", option_of(wanted), submissions),
                      fmt::format("{} runs where each submission is graded by itself", format.name));
  } else if (submissions > 1 && !several) {
    throw usage_error(fmt::format("{}: '{}' is one file, and there are {} submissions", option_of(wanted),
                                  visible(wanted.path), submissions),
                      fmt::format("name a folder ('{}/'), or put {} into the name", wanted.path, place));
  }
}

std::string export_path(const Export& wanted, const std::string& submission) {
  auto path = wanted.path;
  if (const auto at = path.find(place); at != std::string::npos)
    return path.replace(at, place.size(), file_name_of(submission));
  if (!is_folder(path)) return path;
  if (!path.ends_with('/')) path += '/';
  return fmt::format("{}{}/{}", path, file_name_of(submission), wanted.format->file_name);
}

std::vector<std::string> export_grades(const Export& wanted, const GradedClass& graded) {
  check_export(wanted, graded.grades.size());
  const auto& format = *wanted.format;
  auto context = context_of(wanted);
  if (format.fill != nullptr) {
    write_whole(wanted.path, format.fill(graded, read_whole(wanted.path, context.option), context), context.option);
  } else if (format.whole != nullptr) {
    write_whole(wanted.path, format.whole(graded, context), context.option);
  } else {
    for (const auto& grade : graded.grades) {
      const auto path = export_path(wanted, grade.submission);
      if (const auto text = format.submission(grade, context))
        write_whole(path, *text, context.option);
      else
        remove_stale(path, context.option);
    }
  }
  return std::move(context.notes);
}

}  // namespace gpulab
