#include "runner/judge/key_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "runner/student_file/compilers/sha256.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

/// 60 bits of it.
std::uint64_t number_of(const std::vector<std::string_view>& texts) {
  return std::stoull(sha256(texts).substr(0, 15), nullptr, 16);
}

}  // namespace

std::string read_key(const std::string& file) {
  const auto refused = [&](const std::string& why) {
    return usage_error(fmt::format("--key: {} {}", file, why),
                       R"(a key is {"schema": "gpulab.key.v1", "secret": "…"}, of 16 characters or more)");
  };
  const auto json = nlohmann::json::parse(read_source(file, "--key"), nullptr, false);
  if (!json.is_object()) throw refused("is no JSON object");
  for (const auto& [name, value] : json.items())
    if (name != "schema" && name != "secret") throw refused(fmt::format("has an unknown key '{}'", name));
  if (json.value("schema", nlohmann::json()) != "gpulab.key.v1") throw refused("is not of the schema gpulab.key.v1");
  const auto secret = json.find("secret");
  if (secret == json.end() || !secret->is_string()) throw refused("has no secret");
  if (secret->get_ref<const std::string&>().size() < 16) throw refused("has a short secret");
  return secret->get<std::string>();
}

std::uint64_t seed_of(const std::string& secret, const std::string& lab) {
  return number_of({"gpulab seed", secret, lab});
}

InputClass key_class(const std::vector<InputClass>& classes, const std::string& secret) {
  const auto odd = std::ranges::find(classes, "odd", &InputClass::name);
  InputClass made = odd != classes.end() ? *odd : classes.front();
  made.name = "key";
  made.about = "sizes of the instructor's own";
  for (std::size_t i = 0; i < made.points.size(); ++i) {
    const auto place = std::to_string(i);
    for (auto& [name, value] : made.points[i]) {
      auto* size = std::get_if<std::int64_t>(&value);
      if (size != nullptr && *size > 3)
        *size -= static_cast<std::int64_t>(number_of({"gpulab size", secret, place, name}) %
                                           static_cast<std::uint64_t>(*size / 2));
    }
  }
  return made;
}

std::map<std::string, ParamValue, std::less<>> key_point(const Contract& contract, const std::string& secret) {
  auto point = contract.reference;
  for (auto& [name, value] : point) {
    auto* size = std::get_if<std::int64_t>(&value);
    const bool in_one_block = size != nullptr && contract.launches.size() == 1 && contract.launches[0].covers.x == 0 &&
                              *size <= static_cast<std::int64_t>(contract.launches[0].block.x);
    if (size == nullptr || *size < 128 || in_one_block) continue;
    constexpr std::int64_t tile = 128;
    const auto choices = static_cast<std::uint64_t>(std::clamp<std::int64_t>(*size / (2 * tile), 2, 64));
    *size += tile * static_cast<std::int64_t>(number_of({"gpulab reference", secret, name}) % choices);
  }
  return point;
}

}  // namespace gpulab
