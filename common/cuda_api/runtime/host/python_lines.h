#pragma once
// Where a script of Python's is when it calls: its own line, beyond the packages that call for it.

#include <string>

namespace gpulab::cuda_api {

/// Around a call of the program's: asks the interpreter of this process, where it is one, before the session's lock is
/// taken, for another thread of Python's may hold the interpreter's and wait for that. Calls inside of it do not ask.
class LookAtPython {
 public:
  LookAtPython();
  ~LookAtPython();
  LookAtPython(const LookAtPython&) = delete;
  LookAtPython& operator=(const LookAtPython&) = delete;
};

/// "SCRIPT.py:12"; empty: this process has no interpreter.
[[nodiscard]] const std::string& python_line();

}  // namespace gpulab::cuda_api
