#include "common/simt/observers/shadows/shadow_memory.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

TEST_CASE("a tool gets memory as long as there is some, and is told where there is none") {
  constexpr std::size_t bytes = 1 << 20;
  const std::unique_ptr<void, FreeShadowMemory> memory(allocate_shadow(bytes));
  REQUIRE(memory);
  std::memset(memory.get(), 1, bytes);
  // More than any machine has: it is asked, or malloc refuses.
  CHECK_THROWS_AS(allocate_shadow(std::size_t{1} << 60), std::bad_alloc);
  const std::unique_ptr<void, FreeShadowMemory> again(allocate_shadow(bytes));
  CHECK(again);
}

}  // namespace
}  // namespace gpulab::simt
