#pragma once
// Compiled files, kept between runs in $XDG_CACHE_HOME/gpulab (else ~/.cache/gpulab): nvcc takes a second, reading
// its PTX again a millisecond. Where the folder cannot be written, every run compiles.

#include <cstdint>
#include <optional>
#include <string>

namespace gpulab {

/// What a compiler made and what it said.
struct Compiled {
  std::string ptx;
  std::string log;  ///< its warnings, shown at every run
};

/// What was stored under `key`, or nothing: also where the file is damaged.
[[nodiscard]] std::optional<Compiled> cached(std::uint64_t key);
/// Keeps `compiled`, and of all the entries only the newest few hundred.
void keep(std::uint64_t key, const Compiled& compiled);

}  // namespace gpulab
