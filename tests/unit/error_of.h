#pragma once
// The message that a call fails with. People and scripts rely on the words of errors, so tests pin them.

#include <string>

#include "common/error.h"

namespace gpulab {

/// "what | hint" of the Error that `call` throws; "nothing" where it throws none.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.hint.empty() ? error.what() : std::string(error.what()) + " | " + error.hint;
  }
  return "nothing";
}

/// The exit code of that Error; ok where there is none.
template <typename Call>
ExitCode code_of(const Call& call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.code;
  }
  return ExitCode::ok;
}

}  // namespace gpulab
