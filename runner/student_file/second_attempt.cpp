#include "runner/student_file/second_attempt.h"

#include <filesystem>
#include <map>

#include "runner/student_file/compilers/source_copy.h"
#include "runner/student_file/host_code.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// nvcc takes a second or more for each.
constexpr int most_attempts = 6;
/// Where errors still come then, all functions for the host go, and not those alone that the compiler names.
constexpr int attempt_without_host = 3;

fs::path path_of(const std::string& file) { return fs::absolute(file).lexically_normal(); }

/// A header that the user's file reaches by its own folder, where its amended text can stand for it. Its name becomes
/// part of a command line.
bool lies_beside(const fs::path& header, const fs::path& file) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+";
  const auto relative = header.lexically_relative(file.parent_path());
  std::error_code ignored;
  return !relative.empty() && *relative.begin() != ".." && fs::is_regular_file(header, ignored) &&
         relative != "source.cu" && relative != "instance.cu" &&
         relative.string().find_first_not_of(plain) == std::string::npos;
}

std::string text_of(const CompileRequest& request, const fs::path& file) {
  const auto known = request.amended.find(file.string());
  if (known != request.amended.end()) return known->second;
  return file == path_of(request.file) ? request.source : read_source(file.string(), "#include");
}

/// An #include that no code of the host's explains: of what it may not read, of a path from the root (whether that is
/// there is not to be learned), or without end.
bool is_refused_include(const CompileError& error) {
  return error.text.find("Permission denied") != std::string::npos || error.text.starts_with('/') ||
         error.text.starts_with("#include nested");
}

bool is_rdc_error(const std::string& log) {
  return log.find("requires separate compilation mode") != std::string::npos;
}

}  // namespace

std::optional<CompileRequest> next_attempt(const CompileRequest& request, const std::string& log,
                                           const std::vector<CompileError>& errors, int attempt) {
  auto next = request;
  if (is_rdc_error(log) && !request.options.relocatable) {
    next.options.relocatable = true;
    return next;
  }
  if (attempt >= most_attempts || errors.empty()) return std::nullopt;
  const auto main = path_of(request.file);
  std::map<fs::path, std::vector<int>> lines;
  for (const auto& error : errors) {
    if (error.file == SourceCopy::instance_name || is_refused_include(error)) return std::nullopt;
    const auto file = path_of(error.file);
    if (file == main || (!request.isolation.alone && lies_beside(file, main))) lines[file].push_back(error.line);
  }
  for (const auto& [file, where] : lines) {
    auto without = without_host_code(text_of(request, file), where);
    // A wrong line of device code does not come right: the user is told of that one.
    if (!without) return std::nullopt;
    next.amended[file.string()] = std::move(*without);
  }
  // An error in a header of somebody else's may come from anywhere.
  if (lines.empty() || attempt >= attempt_without_host)
    next.amended[main.string()] = without_host_bodies(text_of(next, main));
  return text_of(next, main) == text_of(request, main) && lines.empty() ? std::nullopt : std::optional(next);
}

bool lacks_device_code(const std::string& ptx) { return ptx.find(host_body_mark) != std::string::npos; }

}  // namespace gpulab
