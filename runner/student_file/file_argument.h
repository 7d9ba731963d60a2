#pragma once
// --arg and --expect: a kernel's arguments on the command line.
//   name:TYPE[COUNT]=INIT   a buffer     INIT: zeros ones iota random none VALUE @FILE (raw, little endian)
//   name:TYPE=VALUE         a scalar

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

struct FileArgument {
  std::string name;
  Scalar type = Scalar::f32;
  std::optional<std::size_t> count;  ///< of a buffer's elements; absent: a scalar
  std::string value;                 ///< INIT or VALUE
  std::string option = "--arg";      ///< named in messages
};

/// Throws usage_error for what is not of the form.
[[nodiscard]] FileArgument parse_argument(std::string_view text);

/// The buffer of that name. Throws usage_error where there is none; `option` is the culprit.
[[nodiscard]] const FileArgument& find_buffer(std::string_view name, const std::vector<FileArgument>& arguments,
                                              std::string_view option);

/// Throws what initial_bytes or scalar_argument would, without making the bytes.
void check_value(const FileArgument& spec);

/// A buffer's bytes before the run; empty for "none". Random values depend on `seed` and `stream` alone: floating point
/// in [-1, 1), signed integers from -100 to 100, unsigned from 0 to 100. Throws usage_error: a value that the type
/// cannot hold, a file that is missing or of another size.
[[nodiscard]] std::vector<std::byte> initial_bytes(const FileArgument& spec, std::uint64_t seed, std::uint64_t stream);

/// A scalar as an argument. Throws usage_error for a value that the type cannot hold.
[[nodiscard]] Argument scalar_argument(const FileArgument& spec);

}  // namespace gpulab
