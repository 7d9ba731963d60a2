#pragma once
// Object files that nvcc 11 has made, such as a course's tester. They call cudaGetDeviceProperties, as those of CUDA 13
// do, with a shorter struct, which the call would write beyond.

#include <filesystem>
#include <string>
#include <vector>

namespace gpulab {

/// `words` of nvcc, in which copies stand for such objects: these ask for the struct that they know
/// (common/cuda_api/runtime/old_properties.cpp). The copies go into `folder`.
[[nodiscard]] std::vector<std::string> with_old_objects(const std::vector<std::string>& words,
                                                        const std::filesystem::path& folder);

}  // namespace gpulab
