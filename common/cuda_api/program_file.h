#pragma once
// A program's file, before it is run: is it one, which runtime does it want, does it hold device code? Read by the ELF
// headers, every place checked against the file's length.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulab::cuda_api {

/// Beside the runtime that programs find when they are started bare: a file with the path of gpulab's binary.
inline constexpr const char* kBinaryFile = "gpulab.path";

struct ProgramFile {
  std::vector<std::string> libraries;  ///< that it asks the loader for: "libcudart.so.13"
  bool has_device_code = false;        ///< nvcc has put some into it
  bool has_relocatable_code = false;   ///< -rdc=true
  std::uint64_t first_address = 0;     ///< where it is made to lie; 0: anywhere
};

/// Nothing where it is no program of this machine's (x86-64 ELF).
[[nodiscard]] std::optional<ProgramFile> read_program(std::span<const std::byte> file);

/// The library of these that has no source, and that nobody simulates: "libcublas.so.13"; empty: none.
[[nodiscard]] std::string closed_library(const std::vector<std::string>& libraries);

}  // namespace gpulab::cuda_api
