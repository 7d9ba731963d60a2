#pragma once
// What each library needs of the runtime, found in the process; without it there is no GPU to work on, and the first
// call ends the program.

#include <string>

#include "common/cuda_api/libraries/library_runtime.h"

namespace gpulab::libraries {

using cuda_api::LibraryAccess;
using cuda_api::LibraryBuffer;
using cuda_api::LibraryOperation;
using cuda_api::LibraryUnit;

[[nodiscard]] cuda_api::LibraryRuntime& runtime();

/// Ends the program: exit code 3. `function`: that there is not.
[[noreturn]] void refuse(const std::string& function, void* caller, const std::string& hint = {});

/// Ends the program, in which `function` waits for ever: exit code 4.
[[noreturn]] void hang(const std::string& function, const std::string& what, const std::string& hint, void* caller);

[[nodiscard]] inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace gpulab::libraries
