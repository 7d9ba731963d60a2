#pragma once
// JSON whose binary values lie behind it in the same line, as they are: as text within it, two digits for each byte,
// they took most of the time that a grade takes. Made by wire.cpp alone, read by it alone.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gpulab {

/// The JSON, and behind a mark the bytes of its binary values in their order. It has no line end. If all binary values
/// are empty, it has no control characters either, and can be an argument of a program.
[[nodiscard]] std::string line_with_bytes(nlohmann::json json);

/// Of what line_with_bytes() makes; a line end behind it is ignored. Throws std::exception for anything else.
[[nodiscard]] nlohmann::json json_with_bytes(std::string_view line);

}  // namespace gpulab
