#include "runner/student_file/arguments/filled_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "common/error.h"
#include "common/scalar.h"
#include "runner/student_file/arguments/struct_layout.h"

namespace gpulab {
namespace {

/// The parameter's own name, or "p3"; not one that an argument has already.
std::string free_name(const KernelSignature& kernel, std::size_t index, std::span<const FileArgument> given) {
  std::string name = kernel.parameters[index].name;
  if (name.empty()) name = fmt::format("p{}", index + 1);
  const auto is_taken = [&](const FileArgument& spec) { return spec.name == name; };
  while (std::any_of(given.begin(), given.end(), is_taken)) name += '_';
  return name;
}

/// "f32[1024]=zeros" for a pointer to `pointee`; elements of several numbers (float4, a struct of the same numbers)
/// count as these.
std::string buffer_spec(std::string_view pointee, std::uint64_t threads) {
  constexpr std::string_view constant = " const";
  const bool read_only = pointee.ends_with(constant);
  if (read_only) pointee.remove_suffix(constant.size());
  const auto layout = layout_of(pointee, {});
  if (!layout || layout->members.empty()) return {};
  return fmt::format("{}[{}]={}", name_of(layout->members.front().type), threads * layout->members.size(),
                     read_only ? "iota" : "zeros");
}

std::uint64_t most_of(Scalar type) {
  const auto bits = 8 * size_of(type);
  const bool is_signed = name_of(type).front() == 'i';
  return bits == 64 ? std::uint64_t{std::numeric_limits<std::int64_t>::max()}
                    : (std::uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
}

std::string scalar_spec(const KernelParameter& parameter, std::uint64_t threads) {
  const auto type = scalar_of_cpp(parameter.type);
  if (type && size_of(*type) == parameter.bytes) {
    if (parameter.type == "bool") return fmt::format("{}=1", name_of(*type));
    return fmt::format("{}={}", name_of(*type), is_floating(*type) ? 1 : std::min(threads, most_of(*type)));
  }
  // A template's own type, an enumeration: what PTX says of it.
  if (parameter.floating) return parameter.bytes == 8 ? "f64=1" : "f32=1";
  if (parameter.bytes > 8 || parameter.type.starts_with(".u64") || parameter.type.starts_with(".b64")) return {};
  const auto most = (std::uint64_t{1} << (8 * parameter.bytes - 1)) - 1;
  return fmt::format("u{}={}", 8 * parameter.bytes, parameter.bytes == 1 ? 1 : std::min(threads, most));
}

/// A square of texels, as many as threads.
std::string texture_spec(const KernelParameter& parameter, std::uint64_t threads) {
  const auto side =
      static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(std::max<std::uint64_t>(threads, 1)))));
  const auto extent = std::min<std::uint64_t>(side, 16384);
  const bool is_surface = parameter.type == "cudaSurfaceObject_t";
  return fmt::format("{} f32[{}x{}]={}", is_surface ? "surface" : "texture", extent, extent,
                     is_surface ? "zeros" : "iota");
}

std::string spec_of(const KernelParameter& parameter, std::uint64_t threads) {
  if (parameter.type == "cudaTextureObject_t" || parameter.type == "cudaSurfaceObject_t")
    return texture_spec(parameter, threads);
  if (parameter.aggregate) return fmt::format("bytes[{}]=zeros", parameter.bytes);
  if (!parameter.type.ends_with('*')) return scalar_spec(parameter, threads);
  return buffer_spec(std::string_view(parameter.type).substr(0, parameter.type.size() - 1), threads);
}

}  // namespace

std::vector<std::string> filled_arguments(const KernelSignature& kernel, std::span<const FileArgument> given,
                                          std::uint64_t threads) {
  std::vector<std::string> filled;
  for (std::size_t i = given.size(); i < kernel.parameters.size(); ++i) {
    const auto& parameter = kernel.parameters[i];
    const auto name = free_name(kernel, i, given);
    const auto spec = spec_of(parameter, threads);
    if (spec.empty())
      throw usage_error(fmt::format("{}: parameter {} ({}) has to be named: what it points to is not known",
                                    kernel.name, i + 1, parameter.type),
                        fmt::format("--arg '{}:u8[{}]=zeros', as many bytes as the kernel takes", name, 64 * threads),
                        kernel.text());
    filled.push_back(fmt::format("{}:{}", name, spec));
  }
  return filled;
}

}  // namespace gpulab
