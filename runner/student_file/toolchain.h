#pragma once
// Where this machine's CUDA compilers are. `gpulab run` compiles with them, `gpulab doctor` shows them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpulab {

/// The path of nvcc, searched as the scripts search: $GPULAB_NVCC alone where it is set; else PATH, $CUDA_HOME,
/// $CUDA_PATH, /usr/local/cuda, the compiler of this build (scripts/gpulab may have fetched it as Python wheels), and
/// the wheels of a virtual environment that is active.
/// Throws Error (missing) where the variable names no program.
[[nodiscard]] std::optional<std::string> find_nvcc();
/// The same for any program of a toolkit, without the variable.
[[nodiscard]] std::optional<std::string> find_toolkit_program(const std::string& name);
/// The path of ptxas: beside `nvcc` where that is known, else as nvcc is searched.
[[nodiscard]] std::optional<std::string> find_ptxas(const std::optional<std::string>& nvcc);
/// NVRTC, a library that loads: $GPULAB_NVRTC alone where it is set; else that of the same toolkits, of a virtual
/// environment's wheels, or what the system's loader finds (then only its name).
[[nodiscard]] std::optional<std::string> find_nvrtc(const std::optional<std::string>& nvcc);

/// `nvcc`, or nothing where scripts/nvrtc.py stands in for it: that is NVRTC, which is better asked directly. Any other
/// script is a wrapper of the real one (Debian's nvcc, compiler caches).
[[nodiscard]] std::optional<std::string> without_stand_in(const std::optional<std::string>& nvcc);

/// The program of that name in a folder of $PATH.
[[nodiscard]] std::optional<std::string> find_in_path(const std::string& name);
/// The folder of the toolkit that `tool` belongs to. A script (a wrapper of nvcc) is asked once for where its nvcc is.
[[nodiscard]] std::string toolkit_of(const std::string& tool);
/// Does the file begin as a script does?
[[nodiscard]] bool is_script(const std::string& file);
/// A tool that was replaced has another one: its path, size and date.
[[nodiscard]] std::string identity_of(const std::string& tool);

struct Compiler {
  enum class Kind { nvcc, nvrtc } kind = Kind::nvcc;
  std::string path;
};

/// `choice`: "auto" (nvcc, else NVRTC), "nvcc" or "nvrtc". Throws Error (missing) where there is none of that kind.
/// NVRTC, which takes a moment to load, is asked for only where it is needed.
[[nodiscard]] Compiler choose_compiler(const std::string& choice, const std::optional<std::string>& nvcc,
                                       const std::function<std::optional<std::string>()>& nvrtc);

/// "13.0" from "…, release 13.0, V13.0.48": of `nvcc --version`, and of the head of a PTX text.
[[nodiscard]] std::optional<std::string> release_in(std::string_view text);

/// The CUDA runtime of nvcc's toolkit where a linker does not find it by -lcudart: Python's wheels have libcudart.so.13
/// alone, without the link libcudart.so.
[[nodiscard]] std::optional<std::string> runtime_without_link(const std::string& nvcc);

/// The folder of NCCL's nccl.h: the toolkit's, the system's, or that of NVIDIA's wheel in an environment that is active
/// or that nvcc is of.
[[nodiscard]] std::optional<std::string> find_nccl_headers(const std::optional<std::string>& nvcc);

/// Folders of the CUDA headers that belong to a library of a toolkit (include/) or of wheels (several).
[[nodiscard]] std::vector<std::string> include_folders(const std::string& library);

}  // namespace gpulab
