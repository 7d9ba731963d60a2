// racecheck's arithmetic; what it finds is tested by tests/sanitizer and tests/mistakes.
#include "common/simt/observers/race_detector.h"

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

TEST_CASE("a thread's block is its number divided by the threads of a block, for every number of 32 bits") {
  for (const std::uint32_t count : {1u, 2u, 3u, 7u, 31u, 32u, 33u, 96u, 641u, 1000u, 1023u, 1024u}) {
    const PerBlock per_block(count);
    CHECK(per_block.count() == count);
    std::uint32_t wrong = 0;
    const auto look = [&](std::uint32_t number) { wrong += per_block.block(number) != number / count ? 1u : 0u; };
    for (std::uint64_t block = 0; block * count <= UINT32_MAX; block += 1 + block / 64) {
      const auto first = static_cast<std::uint32_t>(block * count);
      look(first);
      look(first - (first ? 1 : 0));
      look(first + count / 2);
    }
    look(UINT32_MAX);
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace gpulab::simt
