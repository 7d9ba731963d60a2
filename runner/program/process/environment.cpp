#include "runner/program/process/environment.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "common/cuda_api/record.h"

namespace gpulab {
namespace {

constexpr std::array anywhere{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE"};
constexpr std::array begins{"AWS_", "AZURE_", "GH_", "GITHUB_", "GITLAB_", "SSH_", "GPG_", "KUBE"};
constexpr std::array ends{"KEY", "KEYS", "KEYID", "_PASS", "_PWD", "_AUTH", "_PAT", "_KEY_ID"};

}  // namespace

bool holds_a_secret(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::ranges::any_of(anywhere, [&](const char* part) { return upper.find(part) != std::string::npos; }) ||
         std::ranges::any_of(begins, [&](const char* part) { return upper.starts_with(part); }) ||
         std::ranges::any_of(ends, [&](const char* part) { return upper.ends_with(part); });
}

std::vector<std::string> environment_of_program(const char* const* environment,
                                                std::span<const std::string> given_back) {
  std::vector<std::string> kept;
  for (; *environment != nullptr; ++environment) {
    const std::string_view text(*environment);
    const auto name = text.substr(0, text.find('='));
    if (name == "TMPDIR" || name == "LD_PRELOAD" || name == cuda_api::kOptionsVariable) continue;
    if (holds_a_secret(name) && std::ranges::find(given_back, name) == given_back.end()) continue;
    kept.emplace_back(text);
  }
  return kept;
}

}  // namespace gpulab
