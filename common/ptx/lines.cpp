#include "common/ptx/lines.h"

#include <algorithm>
#include <array>

namespace gpulab::ptx {
namespace {

constexpr std::uint32_t most_files = 65536;

/// Where CUDA's headers and the system's are installed: a toolkit, its wheels for Python, Debian's packages.
bool is_of_a_toolkit(std::string_view path) {
  static constexpr std::array places{"/usr/include/",
                                     "/usr/lib/",
                                     "/targets/x86_64-linux/include/",
                                     "/targets/sbsa-linux/include/",
                                     "/nvidia/cu",
                                     "/include/cccl/",
                                     "/include/crt/",
                                     "/cuda/include/"};
  return std::any_of(places.begin(), places.end(),
                     [&](std::string_view place) { return path.find(place) != std::string_view::npos; });
}

}  // namespace

Lines::Lines(const Module& module, std::string_view user_file) : module_(module), user_file_(user_file) {
  for (const auto& [number, path] : module.files) {
    if (number >= most_files) continue;
    if (paths_.size() <= number) paths_.resize(number + 1);
    paths_[number] = path;
  }
}

std::vector<SourceLine> Lines::chain(std::int32_t location) const {
  std::vector<SourceLine> frames;
  while (location >= 0 && static_cast<std::size_t>(location) < module_.locations.size()) {
    const Location& at = module_.locations[static_cast<std::size_t>(location)];
    const std::string_view path = at.file < paths_.size() ? paths_[at.file] : std::string_view();
    if (at.line != 0 && !path.empty()) frames.push_back({path, at.line, at.column, at.function});
    if (at.inlined_at >= location) break;  // call sites come first: a chain always ends
    location = at.inlined_at;
  }
  return frames;
}

SourceLine Lines::user_line(std::int32_t location) const {
  const std::vector<SourceLine> frames = chain(location);
  if (frames.empty()) return {};
  if (user_file_.empty()) {
    const std::string_view own = frames.back().file;
    return *std::find_if(frames.begin(), frames.end(), [&](const SourceLine& frame) { return frame.file == own; });
  }
  const auto found =
      std::find_if(frames.begin(), frames.end(), [&](const SourceLine& frame) { return is_user_file(frame.file); });
  if (found != frames.end()) return *found;
  const auto own =
      std::find_if(frames.begin(), frames.end(), [](const SourceLine& frame) { return !is_of_a_toolkit(frame.file); });
  return own == frames.end() ? frames.back() : *own;
}

std::string_view Lines::shown_file(const SourceLine& line) const {
  return user_file_.empty() || !is_user_file(line.file) ? line.file : user_file_;
}

SourceLine Lines::kernel_line(std::int32_t location) const {
  const std::vector<SourceLine> frames = chain(location);
  const auto found = std::find_if(frames.rbegin(), frames.rend(), [&](const SourceLine& frame) {
    return user_file_.empty() || is_user_file(frame.file);
  });
  return found == frames.rend() ? SourceLine{} : *found;
}

/// Whether `path` ends in user_file_, at a directory's border.
bool Lines::is_user_file(std::string_view path) const {
  if (!path.ends_with(user_file_)) return false;
  const std::size_t border = path.size() - user_file_.size();
  return border == 0 || path[border - 1] == '/' || path[border - 1] == '\\' || user_file_.front() == '/';
}

}  // namespace gpulab::ptx
