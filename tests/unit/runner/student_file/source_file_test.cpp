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

TEST_CASE("a raw literal ends at its own bracket, a comment of one line goes on behind a backslash") {
  CHECK(code_only("R\"x(a \"quoted\" // )\" )x\"; b") == "R" + std::string(23, ' ') + "; b");
  CHECK(code_only("OR\"(a\" b") == "OR     b");
  CHECK(code_only("// a \\\nb\nc") == "      \n \nc");
}

TEST_CASE("comments are found where they stand, and not in literals") {
  using Places = std::vector<std::pair<std::size_t, std::size_t>>;
  CHECK(comments_in("a /* b */ \"// c\" // d\ne") == Places{{2, 9}, {17, 21}});
  CHECK(comments_in("u8R\"(// a)\" /* b") == Places{{12, 16}});
}

TEST_CASE("what a file includes from beside it is found at any depth") {
  const auto folder = fs::temp_directory_path() / "gpulab_source_file_test";
  fs::create_directories(folder / "sub");
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
  write("sub/a.h", "#include \"b.h\"\n#include \"a.h\"\n#include \"gone.h\"\n");
  write("sub/b.h", "1");
  const std::vector<std::string> expected{folder / "sub/a.h", folder / "sub/b.h"};
  CHECK(included_files((folder / "k.cu").string(), "# include \"sub/a.h\"\n#include <vector>\n") == expected);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace gpulab
