#pragma once
// --arg, --set and --expect: a kernel's arguments and its module's variables on the command line.
//   name:TYPE[COUNT]=INIT   a buffer     INIT: zeros ones iota random none VALUE {1,2,3} @FILE (raw, little endian)
//   name:TYPE=VALUE         a scalar
//   name:texture TYPE[WIDTHxHEIGHT]=INIT    texels (texture_argument.h); INIT as a buffer's
//   name:bytes[SIZE]=INIT   a struct by value     INIT: zeros {1,2.5,3} {f32 1,i32 2} 0xBYTES @FILE

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"
#include "runner/student_file/arguments/struct_layout.h"

namespace gpulab {

struct FileArgument {
  std::string name;
  Scalar type = Scalar::f32;
  std::optional<std::size_t> count;          ///< of a buffer's elements; absent: a scalar
  bool by_value = false;                     ///< bytes[SIZE]: a struct; `count` is its size
  std::optional<TextureArgument> texture{};  ///< of the buffer; its name is not in there
  std::string value;                         ///< INIT or VALUE
  std::string option = "--arg";              ///< named in messages
};

/// Throws usage_error for what is not of the form.
[[nodiscard]] FileArgument parse_argument(std::string_view text, std::string_view option = "--arg");

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

/// The bytes of a struct by value. `layout`: where its members lie; null: not known, so that a list has to name the
/// type of each value. Throws usage_error.
[[nodiscard]] std::vector<std::byte> struct_bytes(const FileArgument& spec, const StructLayout* layout);
/// The same struct with its bytes written out, which needs no layout any more.
[[nodiscard]] std::string with_bytes(const FileArgument& spec, std::span<const std::byte> bytes);

}  // namespace gpulab
