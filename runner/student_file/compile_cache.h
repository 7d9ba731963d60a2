#pragma once
// What compilers made, kept between runs in $XDG_CACHE_HOME/gpulab (else ~/.cache/gpulab): nvcc takes a second, reading
// its PTX again a millisecond. Where the folder cannot be written, or others may write to it, every run compiles.
//
// A key is a sha256() of all that an entry depends on. An entry holds the checksum of what is in it: one that is
// damaged, cut off, of another key, a folder or a pipe counts as none, and is written anew.

#include <optional>
#include <string>
#include <vector>

namespace gpulab {

/// What a compiler made and what it said.
struct Compiled {
  std::string ptx;
  std::string log;  ///< its warnings, shown at every run
};

/// What was stored under `key`, or nothing.
[[nodiscard]] std::optional<Compiled> cached(const std::string& key);
/// Keeps `compiled`, and of all the entries only the newest few hundred.
void keep(const std::string& key, const Compiled& compiled);

/// The same for any texts.
[[nodiscard]] std::optional<std::vector<std::string>> cached_texts(const std::string& key);
void keep_texts(const std::string& key, const std::vector<std::string>& texts);

}  // namespace gpulab
