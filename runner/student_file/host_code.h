#pragma once
// Host code in a CUDA source text. nvcc compiles it even where device code alone is asked for, so that an error in
// main() stops a kernel; here it is taken out, and nothing else.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// What shows that a file holds host code: of "main" and "<<<>>>"; empty where nothing does.
[[nodiscard]] std::vector<std::string> host_code(std::string_view source);

/// `source` without the host code that stands at these lines (of a compiler's errors), every other line where it was:
/// of a function its body, of what is declared wrongly all of it, of an #include the line. Nothing where one of the
/// lines is device code, or nothing of these.
///
/// What is called by device code without saying __device__ (a constexpr function, a head behind a macro) may be taken
/// for host code. A body that is taken out therefore leaves `host_body_mark` in the PTX where it is compiled for the
/// device.
[[nodiscard]] std::optional<std::string> without_host_code(const std::string& source, const std::vector<int>& lines);

/// The same of all functions for the host, without regard to lines.
[[nodiscard]] std::string without_host_bodies(const std::string& source);

inline constexpr std::string_view host_body_mark = "gpulab: a function for the host";

}  // namespace gpulab
