#include "runner/program/results/nvcc_messages.h"

#include <optional>
#include <utility>

#include "common/text.h"
#include "runner/program/results/watched_functions.h"

namespace gpulab {
namespace {

/// "main.cu:12:3: warning: …": a message of the host's compiler. Its words may be of any language.
struct Message {
  std::string_view file, text;
  int line = 0;
};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<int> number_in(std::string_view text) {
  const auto value = parse_integer(std::string(text));
  if (!value || *value < 0 || *value > 100'000'000) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<Message> message_in(std::string_view line) {
  if (line.empty() || line.front() == ' ') return std::nullopt;
  for (auto end = line.find(": "); end != std::string_view::npos; end = line.find(": ", end + 1)) {
    const auto column = line.rfind(':', end - 1);
    if (column == std::string_view::npos || column == 0 || end == 0) continue;
    const auto row = line.rfind(':', column - 1);
    if (row == std::string_view::npos || !number_in(line.substr(column + 1, end - column - 1))) continue;
    if (const auto number = number_in(line.substr(row + 1, column - row - 1)))
      return Message{line.substr(0, row), line.substr(end + 2), *number};
  }
  return std::nullopt;
}

/// The watched function of which a warning of unused results speaks; empty: it is another warning, or of another
/// function.
std::string dropped_function(std::string_view text) {
  if (!text.ends_with("[-Wunused-result]")) return {};
  for (auto at = text.find(" cu"); at != std::string_view::npos; at = text.find(" cu", at + 1)) {
    const auto name = text.substr(at + 1, text.find('(', at) - at - 1);
    if (auto watched = watched_name(name); !watched.empty()) return watched;
  }
  return {};
}

/// Where the function was declared: of our header, or a template of the toolkit's.
bool is_declaration(const Message& message) {
  const auto name = file_name(message.file);
  return name == watching_header || name == "cuda.h" || name == "cuda_runtime.h" || name == "cuda_runtime_api.h" ||
         name == "cuda_device_runtime_api.h";
}

/// "main.cu: In function ‘int main()’:", "main.cu:21:6:   required from here".
bool leads_to_message(std::string_view line) {
  if (line.starts_with("In file included from ") || line.starts_with("                 from ")) return true;
  if (line.empty() || line.front() == ' ' || line.find(": ") == std::string_view::npos) return false;
  return line.ends_with(':') || line.find(":   ") != std::string_view::npos;
}

}  // namespace

std::string NvccMessages::take(std::string_view whole) {
  auto line = whole;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (leads_to_message(line)) {
    if (context_is_ours_) context_.clear();
    context_is_ours_ = ours_ = false;
    context_ += whole;
    return {};
  }
  if (const auto message = message_in(line)) {
    const auto function = dropped_function(message->text);
    const bool was_ours = std::exchange(ours_, !function.empty());
    if (!function.empty()) dropped_.push_back({function, std::string(file_name(message->file)), message->line});
    if (was_ours && is_declaration(*message) && !message->text.ends_with(']')) ours_ = true;
    if (file_name(message->file) == watching_header) {
      ours_ = true;
      lost_ |= message->text.find("[-W") == std::string_view::npos && !was_ours;
    }
    if (ours_) {
      if (context_.find(":   ") != std::string::npos) context_.clear();  // an instantiation is of one message
      context_is_ours_ = true;
      return {};
    }
  } else if (const auto named = line.find(watching_header); named != std::string_view::npos) {
    const bool is_error = line.find("error") != std::string_view::npos;  // of nvcc's own front end
    lost_ |= is_error;
    if (is_error && line.substr(named + watching_header.size()).starts_with('(')) is_void_ = true;
  }
  if (is_void_) return {};
  const bool is_of_host_compiler = message_in(line).has_value();
  if (ours_ && !line.empty() && line.front() == ' ') return {};  // its source line, and what is marked there
  ours_ = false;
  if (context_is_ours_ && !is_of_host_compiler) return std::string(whole);  // nvcc's own, which has no context
  context_is_ours_ = false;
  return std::exchange(context_, {}) + std::string(whole);
}

std::string NvccMessages::rest() { return context_is_ours_ ? std::string() : std::exchange(context_, {}); }

}  // namespace gpulab
