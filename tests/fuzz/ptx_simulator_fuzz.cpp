// libFuzzer: any PTX text is refused, fails or runs; never a crash, a hang, or memory out of proportion. Its mutator
// changes statements (mutation.h), so that most of what it tries is decoded and run. Build with the preset `fuzz`:
//   fuzz_ptx_simulator_fuzz -max_len=20000 -timeout=20 -rss_limit_mb=3000 CORPUS tests/fuzz/simulator_seeds tests/ptx

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/hostile_run.h"
#include "tests/fuzz/mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

/// What decides how it is watched: an input is tried in the same way each time.
std::uint64_t sum_of(std::string_view text) {
  std::uint64_t sum = 0;
  for (const char c : text) sum = 31 * sum + static_cast<unsigned char>(c);
  return sum;
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The last few inputs, to borrow instructions from.
std::vector<std::string>& donors() {
  static std::vector<std::string> texts;
  return texts;
}

void remember(std::string_view text) {
  constexpr std::size_t most = 64;
  static std::size_t next = 0;
  if (donors().size() < most)
    donors().emplace_back(text);
  else
    donors()[next++ % most] = text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  if (gpulab::tests::run_hostile(text, sum_of(text)) == gpulab::tests::Outcome::ran && sum_of(text) % 16 == 0)
    remember(text);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const auto text = gpulab::tests::mutated(text_of(data, size), seed, donors());
  if (text.empty() || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
