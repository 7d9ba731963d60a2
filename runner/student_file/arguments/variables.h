#pragma once
// __device__ and __constant__ variables of a file: which there are, and which a kernel reads though nothing sets them.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/scalar.h"
#include "labs/lab.h"

namespace gpulab {

struct FileVariable {
  std::string symbol;  ///< mangled
  std::string name;    ///< as C++ has it: "ns::factors"
  std::size_t bytes = 0;
  Scalar type = Scalar::u8;  ///< of a variable that is one number; bytes of what PTX has as an array
  bool constant = false;     ///< __constant__
  bool is_read = false;      ///< by the kernel, or a function that it calls, through its own name
  bool is_initialised = false;
};

/// Of a PTX text, without those of NVIDIA's headers. Throws Error where it is no PTX.
[[nodiscard]] std::vector<FileVariable> variables_of(const std::string& ptx, const std::string& file,
                                                     std::string_view entry);

/// "k reads __constant__ 'factors' (16 bytes), …": of variables that are read, have no value of their own, and are not
/// `set` (by symbol).
[[nodiscard]] std::vector<std::string> unset_reads(const std::vector<FileVariable>& variables,
                                                   const std::set<std::string>& set, const std::string& kernel);

/// Each case starts with the values that the module gives its variables, whatever the case before has left there:
/// buffers of those that kernels can write to. Without those `set` (by symbol), and without what is beyond 64 MiB in
/// all.
[[nodiscard]] std::vector<Buffer> start_values(const std::string& ptx, const std::string& file,
                                               const std::set<std::string>& set);

}  // namespace gpulab
