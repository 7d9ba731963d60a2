#include "runner/report/report_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// 0, or the errno of the failure.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool is_regular(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

ReportTarget::ReportTarget(std::string file, const std::string& option) : file_(std::move(file)) {
  if (file_.empty()) return;
  created_ = access(file_.c_str(), F_OK) != 0;
  // A pipe that nobody reads would keep us waiting: it is refused (ENXIO).
  descriptor_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor_ >= 0) {
    fcntl(descriptor_, F_SETFL, O_WRONLY);
    return;
  }
  throw usage_error(fmt::format("{}: cannot write '{}': {}", option, file_, std::strerror(errno)),
                    "name a file in a directory that you can write to");
}

ReportTarget::~ReportTarget() {
  if (file_.empty()) return;
  if (created_) unlink(file_.c_str());
  close(descriptor_);
}

bool ReportTarget::is_terminal() const { return isatty(descriptor_) != 0; }

std::optional<std::size_t> ReportTarget::columns() const {
  winsize size{};
  if (!is_terminal() || ioctl(descriptor_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

void ReportTarget::write(const std::string& report) {
  if (file_.empty()) return print_report(report);
  int failure = 0;
  if (is_regular(descriptor_) && ftruncate(descriptor_, 0) != 0) failure = errno;
  if (failure == 0) failure = write_all(descriptor_, report);
  if (failure == 0 && is_regular(descriptor_) && fsync(descriptor_) != 0) failure = errno;
  created_ = false;
  if (failure == 0) return;
  print_report(report);
  throw usage_error(fmt::format("--output: cannot write '{}': {}", file_, std::strerror(failure)),
                    "the report went to standard output instead");
}

bool wants_color(const ReportTarget& target) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return target.is_terminal() && !dumb && (no_color == nullptr || *no_color == '\0');
}

std::size_t report_width(const ReportTarget& target, std::size_t usual) {
  constexpr std::size_t fewest = 60, most = 1000;
  const char* said = std::getenv("COLUMNS");
  const auto wanted = said != nullptr ? parse_integer(said) : std::nullopt;
  const auto width = wanted && *wanted > 0 ? static_cast<std::size_t>(*wanted) : target.columns().value_or(usual);
  return std::clamp(width, fewest, most);
}

void print_report(const std::string& text) {
  const int failure = write_all(STDOUT_FILENO, text);
  if (failure != 0) throw usage_error(fmt::format("cannot write to standard output: {}", std::strerror(failure)));
}

}  // namespace gpulab
