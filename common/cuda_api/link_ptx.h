#pragma once
// PTX modules of one program (-rdc=true) become one text, as nvlink would link their machine code: what one declares,
// another defines; of what all define alike (.weak, .common) there is one; names that are a module's own stay apart.

#include <span>
#include <string>
#include <string_view>

namespace gpulab::cuda_api {

/// `texts` are of nvcc's making; what holds to no such form stays as it is, and the parser says so.
[[nodiscard]] std::string link_ptx(std::span<const std::string> texts);

}  // namespace gpulab::cuda_api
