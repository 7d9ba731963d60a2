#pragma once
// What is told of a function of the driver's API speaks that API's language: its errors, its functions.

#include <driver_types.h>

#include <string>

namespace gpulab::cuda_api {

/// Is it one of the driver's, "cuMemAlloc"? Null is <<<>>>, which is not.
[[nodiscard]] bool is_of_driver(const char* function);

/// "cudaErrorInvalidValue"; of a function of the driver's "CUDA_ERROR_INVALID_VALUE".
[[nodiscard]] std::string error_name(const char* function, cudaError_t error);

/// The text, with the driver's functions in place of the runtime's that do the same, where `function` is the driver's.
[[nodiscard]] std::string in_words_of(const char* function, std::string text);

}  // namespace gpulab::cuda_api
