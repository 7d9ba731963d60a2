#pragma once
// An object of an instructor's JSON file, read key by key. What is wrong with it is an error that says where.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {

/// An object of the file, whose keys are asked for one by one.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& json, std::string path, std::string place)
      : json_(json), path_(std::move(path)), place_(std::move(place)) {
    if (!json.is_object()) throw refused("is no JSON object");
  }

  [[nodiscard]] Error refused(const std::string& why, std::string hint = {}) const {
    return usage_error(fmt::format("{}: {} {}", path_, place_, why),
                       hint.empty() ? "'gpulab schema assignment' says what an assignment holds" : std::move(hint));
  }

  void allow(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : json_.items())
      if (!std::ranges::count(known, key))
        throw refused(fmt::format("has an unknown key '{}'", visible(key)),
                      did_you_mean(key, known, "there is " + join(known)));
  }

  [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }

  [[nodiscard]] std::string text(const char* key, bool may_be_missing = false) const {
    const auto found = json_.find(key);
    if (found == json_.end() && may_be_missing) return {};
    if (found == json_.end()) throw refused(fmt::format("has no '{}'", key));
    if (!found->is_string()) throw refused(fmt::format("has a '{}' that is no text", key));
    return found->get<std::string>();
  }

  [[nodiscard]] double number(const char* key, double least, double most) const {
    const auto found = json_.find(key);
    if (found == json_.end()) throw refused(fmt::format("has no '{}'", key));
    const double value = found->is_number() ? found->get<double>() : -1;
    if (!found->is_number() || !(value >= least && value <= most))
      throw refused(fmt::format("has a '{}' that is no number from {:g} to {:g}", key, least, most));
    return value;
  }

  [[nodiscard]] bool flag(const char* key, bool fallback) const {
    const auto found = json_.find(key);
    if (found == json_.end()) return fallback;
    if (!found->is_boolean()) throw refused(fmt::format("has a '{}' that is neither true nor false", key));
    return found->get<bool>();
  }

  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    const auto found = json_.find(key);
    if (found == json_.end()) return all;
    if (!found->is_array()) throw refused(fmt::format("has a '{}' that is no list", key));
    for (const auto& one : *found) {
      if (!one.is_string()) throw refused(fmt::format("has a '{}' that is no list of texts", key));
      all.push_back(one.get<std::string>());
      if (std::ranges::count(all, all.back()) > 1)
        throw refused(fmt::format("has '{}' twice in '{}'", visible(all.back()), key));
    }
    return all;
  }

  /// The texts, each of which is one of `known`.
  [[nodiscard]] std::vector<std::string> words(const char* key, const std::vector<std::string>& known,
                                               const char* noun) const {
    auto all = texts(key);
    for (const auto& one : all)
      if (!std::ranges::count(known, one))
        throw refused(fmt::format("has an unknown {} '{}' in '{}'", noun, visible(one), key),
                      did_you_mean(one, known, "there is " + join(known)));
    return all;
  }

  /// A list in which a text may come twice.
  [[nodiscard]] std::vector<std::string> list(const char* key) const {
    std::vector<std::string> all;
    const auto found = json_.find(key);
    if (found == json_.end()) return all;
    if (!found->is_array() || !std::ranges::all_of(*found, [](const auto& one) { return one.is_string(); }))
      throw refused(fmt::format("has a '{}' that is no list of texts", key));
    for (const auto& one : *found) all.push_back(one.template get<std::string>());
    return all;
  }

  [[nodiscard]] std::int64_t whole(const char* key, std::int64_t least, std::int64_t most) const {
    const auto& value = json_.at(key);
    if (!value.is_number_integer() || value < least || value > most)
      throw refused(fmt::format("has a '{}' that is no whole number from {} to {}", key, least, most));
    return value.get<std::int64_t>();
  }

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, value] : json_.items()) all.push_back(key);
    return all;
  }

  /// The same object, called otherwise in messages.
  [[nodiscard]] JsonReader named(std::string place) const { return {json_, path_, std::move(place)}; }

  /// What is an object itself.
  [[nodiscard]] JsonReader object(const char* key) const {
    const auto& json = json_.at(key);
    if (!json.is_object()) throw refused(fmt::format("has a '{}' that is no JSON object", key));
    return {json, path_, fmt::format("{} in '{}'", place_, key)};
  }

  [[nodiscard]] const nlohmann::json& at(const char* key) const { return json_.at(key); }

 private:
  const nlohmann::json& json_;
  std::string path_, place_;
};

}  // namespace gpulab
