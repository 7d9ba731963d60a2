#pragma once
// Functions of the driver's API by their names, for those who ask at run time.

#include <string_view>

namespace gpulab::cuda_api {

/// The function that a program of that version means ("cuCtxCreate" is one of four), `own_streams`: with a default
/// stream for each thread. Null where there is none.
[[nodiscard]] void* procedure(std::string_view name, int version, bool own_streams);

}  // namespace gpulab::cuda_api
