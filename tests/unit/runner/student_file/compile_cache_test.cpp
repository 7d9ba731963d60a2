#include "runner/student_file/compile_cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/catch.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// $XDG_CACHE_HOME is an empty folder while this lives.
struct EmptyCache {
  EmptyCache() {
    fs::remove_all(folder);
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~EmptyCache() {
    before.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before.c_str(), 1);
    fs::remove_all(folder);
  }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;
  fs::path folder = fs::temp_directory_path() / "gpulab_compile_cache_test";
  std::string before = std::getenv("XDG_CACHE_HOME") != nullptr ? std::getenv("XDG_CACHE_HOME") : "";
};

TEST_CASE("what was kept is found again, under its key only") {
  const EmptyCache cache;
  CHECK_FALSE(cached(1));
  keep(1, {".version 8.0\n\"quoted\"", "a warning\n"});
  REQUIRE(cached(1));
  CHECK(cached(1)->ptx == ".version 8.0\n\"quoted\"");
  CHECK(cached(1)->log == "a warning\n");
  CHECK_FALSE(cached(2));
}

TEST_CASE("a damaged entry counts as none") {
  const EmptyCache cache;
  keep(7, {"ptx", ""});
  for (const char* text : {"", "{", "[]", "{\"ptx\": 3, \"log\": \"\"}", "{\"ptx\": \"x\"}"}) {
    std::ofstream(cache.folder / "gpulab/0000000000000007.json") << text;
    CHECK_FALSE(cached(7));
  }
}

TEST_CASE("where the cache cannot be written nothing is kept and nothing fails") {
  const EmptyCache cache;
  std::ofstream(cache.folder.string()) << "a file where the folder would be";
  keep(1, {"ptx", ""});
  CHECK_FALSE(cached(1));
}

TEST_CASE("of many entries the newest stay") {
  const EmptyCache cache;
  for (std::uint64_t key = 0; key < 310; ++key) keep(key, {"ptx", ""});
  const auto entries = std::distance(fs::directory_iterator(cache.folder / "gpulab"), fs::directory_iterator());
  CHECK(entries == 300);
  CHECK(cached(309));
  CHECK_FALSE(cached(0));
}

}  // namespace
}  // namespace gpulab
