#include "common/device/gpu/output_capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gpulab {
namespace {

/// Moves `descriptor` to `file` and returns a duplicate of what it was.
int redirect(int descriptor, int file) {
  const int saved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (saved >= 0) dup2(file, descriptor);
  return saved;
}

void restore(int descriptor, int saved) {
  if (saved < 0) return;
  dup2(saved, descriptor);
  ::close(saved);
}

void flush_streams() {
  std::fflush(stdout);
  std::fflush(stderr);
}

}  // namespace

OutputCapture::OutputCapture() : file_(memfd_create("kernel output", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create for kernel output");
  fcntl(file_, F_SETFL, O_APPEND);  // stdout and stderr share it
}

OutputCapture::~OutputCapture() { ::close(file_); }

void OutputCapture::open() {
  if (depth_++ > 0) return;
  flush_streams();
  saved_stdout_ = redirect(STDOUT_FILENO, file_);
  saved_stderr_ = redirect(STDERR_FILENO, file_);
}

void OutputCapture::close() {
  if (--depth_ > 0) return;
  flush_streams();
  restore(STDOUT_FILENO, saved_stdout_);
  restore(STDERR_FILENO, saved_stderr_);
}

std::string OutputCapture::text_from(std::size_t first) const {
  struct stat status {};
  if (fstat(file_, &status) != 0 || static_cast<std::size_t>(status.st_size) <= first) return {};
  std::string text(static_cast<std::size_t>(status.st_size) - first, '\0');
  const ssize_t length = pread(file_, text.data(), text.size(), static_cast<off_t>(first));
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

std::string OutputCapture::take() {
  std::string text = text_from(0);
  if (ftruncate(file_, 0) == 0) told_ = 0;
  return text;
}

std::string OutputCapture::news() {
  std::string text = text_from(told_);
  told_ += text.size();
  return text;
}

}  // namespace gpulab
