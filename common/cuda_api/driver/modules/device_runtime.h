#pragma once
// Functions of the toolkit's device runtime (libcudadevrt.a) that the simulator has not itself, as PTX: what linked
// texts call of them comes to them.

#include <string>
#include <vector>

namespace gpulab::cuda_api {

/// Adds the functions of grids that wait (cudaCGGetIntrinsicHandle, cudaCGSynchronize) where a text calls them: Numba's
/// cooperative groups do. CUDA C++ has them in its headers.
void add_device_runtime(std::vector<std::string>& texts);

}  // namespace gpulab::cuda_api
