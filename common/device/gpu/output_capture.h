#pragma once
// What kernels print. The driver writes device printf to the process's stdout, and failed device asserts to its
// stderr, whenever it drains its buffer; while a scope is open, both go to a file in memory instead.

#include <string>

namespace gpulab {

class OutputCapture {
 public:
  OutputCapture();
  ~OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  /// Redirects while it lives. Scopes nest; the outermost one redirects.
  class Scope {
   public:
    explicit Scope(OutputCapture& capture) : capture_(capture) { capture_.open(); }
    ~Scope() { capture_.close(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    OutputCapture& capture_;
  };

  /// What was written since the last call.
  [[nodiscard]] std::string take();
  /// The part of it that news() and take() have not returned yet; take() still returns all.
  [[nodiscard]] std::string news();

 private:
  void open();
  void close();
  [[nodiscard]] std::string text_from(std::size_t first) const;
  std::size_t told_ = 0;  ///< bytes that news() has returned
  int file_ = -1;
  int depth_ = 0;
  int saved_stdout_ = -1, saved_stderr_ = -1;
};

}  // namespace gpulab
