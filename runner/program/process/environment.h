#pragma once
// What of our environment a program gets: all but what holds secrets, by its name.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// "GITHUB_TOKEN", "AWS_PROFILE", "DB_PASSWORD", "API_KEY".
[[nodiscard]] bool holds_a_secret(std::string_view name);

/// Of `environment` ("NAME=VALUE"), but for secrets that `given_back` does not name, and for what is ours to set.
[[nodiscard]] std::vector<std::string> environment_of_program(const char* const* environment,
                                                              std::span<const std::string> given_back);

}  // namespace gpulab
