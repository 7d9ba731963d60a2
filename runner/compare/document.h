#pragma once
// Results out of a document that gpulab wrote, or that somebody says it did: bounded, and nothing of it believed
// unseen.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runner/report/comparison.h"

namespace gpulab {

/// What is kept of a document.
struct ResultDocument {
  std::string file, schema;  ///< "gpulab.run.v1"
  std::vector<ComparedResult> results{};
};

/// Throws usage_error: no such file, too large, too deep, no JSON, another document, not of its schema's form.
[[nodiscard]] ResultDocument read_document(const std::string& path);
/// The same of a text, which `path` names in messages.
[[nodiscard]] ResultDocument document_of(const std::string& path, std::string_view text);

/// One of `results` of a gpulab.run.v1. `gpu`: the device's name where that is a GPU, else empty.
[[nodiscard]] ComparedResult compared_result(const nlohmann::json& result, const std::string& lab,
                                             const std::string& gpu);

}  // namespace gpulab
