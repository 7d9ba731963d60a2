#pragma once
// Programs by nvcc, such that the simulator can run them: linked with the shared runtime, with PTX that is not
// compressed.

#include <filesystem>
#include <string>
#include <vector>

namespace gpulab {

struct BuildRequest {
  std::vector<std::string> files;
  std::vector<std::string> options;  ///< words for nvcc
  int architecture = 90;             ///< of the simulated GPU
  bool isolated = true;
  bool old_cuda = false;  ///< with what CUDA has dropped (old_cuda/)
  /// A submission that is judged: the compiler sees the folder in which we are, and no other of ours.
  bool alone = false;
  std::string* messages = nullptr;  ///< where nvcc's go; null: to standard error
};

/// The words of a command line for nvcc with those about architectures and the runtime replaced by ours.
[[nodiscard]] std::vector<std::string> nvcc_words(const std::vector<std::string>& words, int architecture,
                                                  const std::string& nvcc);

/// Words by which a linker finds the CUDA runtime where nvcc's toolkit is Python's wheels, which lack the link
/// libcudart.so: it is made in `folder`.
[[nodiscard]] std::vector<std::string> runtime_words(const std::string& nvcc, const std::filesystem::path& folder);

/// nvcc, or an Error (missing).
[[nodiscard]] std::string nvcc_for_programs();

/// False where it does not compile.
[[nodiscard]] bool build_program(const BuildRequest& request, const std::filesystem::path& program);

}  // namespace gpulab
