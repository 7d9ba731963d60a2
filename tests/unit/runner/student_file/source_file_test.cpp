#include "runner/student_file/source_file.h"

#include <filesystem>
#include <fstream>

#include "tests/catch.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

TEST_CASE("comments and literals are blanked, lines kept") {
  CHECK(code_only("a // main(\nb /* <<<\n>>> */ c") == "a         \nb       \n       c");
  CHECK(code_only("x = \"main(\\\"\"; y = '<'; z") == "x =          ; y =    ; z");
  CHECK(code_only("n = 1'000'000; // x") == "n = 1'000'000;     ");
}

TEST_CASE("a file's checksum follows what it includes, at any depth") {
  const auto folder = fs::temp_directory_path() / "gpulab_source_file_test";
  fs::create_directories(folder / "sub");
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
  const std::string source = "# include \"sub/a.h\"\n#include <vector>\n";
  write("sub/a.h", "#include \"b.h\"\n#include \"a.h\"\n");
  write("sub/b.h", "1");
  const auto path = (folder / "k.cu").string();
  const auto before = content_hash(path, source);
  CHECK(content_hash(path, source) == before);
  CHECK(content_hash(path, source + ' ') != before);
  write("sub/b.h", "2");
  CHECK(content_hash(path, source) != before);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace gpulab
