#pragma once
// An instructor's key: sizes and seeds that nobody else can foretell.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

/// The secret of a file of gpulab.key.v1. Throws usage_error.
[[nodiscard]] std::string read_key(const std::string& file);

/// Derived from the secret.
[[nodiscard]] std::uint64_t seed_of(const std::string& secret, const std::string& lab);

/// A class "key": the odd sizes of the others, each smaller by an amount that follows from the secret.
[[nodiscard]] InputClass key_class(const std::vector<InputClass>& classes, const std::string& secret);

/// The contract's reference size, or one that is larger by whole tiles: where a kernel is counted, too.
[[nodiscard]] std::map<std::string, ParamValue, std::less<>> key_point(const Contract& contract,
                                                                       const std::string& secret);

}  // namespace gpulab
