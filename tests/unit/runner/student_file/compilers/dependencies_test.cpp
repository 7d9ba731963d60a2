#include "runner/student_file/compilers/dependencies.h"

#include <filesystem>
#include <fstream>

#include "runner/student_file/compilers/sha256.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() { fs::create_directories(path / "sub"); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const char* name, const char* text) const { std::ofstream(path / name) << text; }
  fs::path path = fs::temp_directory_path() / "gpulab_dependencies_test";
};

TEST_CASE("the checksum is SHA-256, and tells lists of texts apart") {
  CHECK(sha256({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256({"ab", "c"}) != sha256({"a", "bc"}));
  CHECK(sha256({"abc"}) != sha256({"abc", ""}));
}

TEST_CASE("the files that a preprocessed text names are those that were opened") {
  const std::string text =
      "# 0 \"source.cu\"\n# 1 \"lab/k.cu\"\n# 1 \"x.h\" 1\nint x;\n# 2 \"lab/k.cu\" 2\n# 1 \"/usr/include/y.h\" 1 3 4\n"
      "# 1 \"<built-in>\" 1\nchar s[] = \"# 1 \\\"z.h\\\" 1\";\n";
  CHECK(files_read(text, "/p") == std::vector<std::string>{"/p/x.h", "/usr/include/y.h"});
}

TEST_CASE("a state holds until a file changes, goes, or comes where it would be found first") {
  const Folder folder;
  folder.write("a.h", "#include \"b.h\"\n");
  folder.write("sub/b.h", "1");
  const std::string source = "#include \"a.h\"\n#include \"sub/b.h\"\n// include what you use\n";
  const std::vector<std::string> read{folder.path / "a.h", folder.path / "sub/b.h"};
  const auto state = [&] { return state_of(source, read, folder.path).value(); };
  const auto before = state();
  CHECK(holds(before));
  folder.write("sub/b.h", "22");
  CHECK_FALSE(holds(before));
  const auto again = state();
  folder.write("b.h", "the other one, which a.h would take");
  CHECK_FALSE(holds(again));
  const auto last = state();
  fs::remove(folder.path / "a.h");
  CHECK_FALSE(holds(last));
  CHECK_FALSE(holds(""));
}

TEST_CASE("of a file that sees no folder nothing is watched beside it, nor in the folder that we are in") {
  const auto state = state_of("#include \"neighbour.h\"\n", {"/usr/include/neighbour.h"}, "").value();
  CHECK(state.find("/usr/include/neighbour.h\n") != std::string::npos);
  CHECK(state.find("\nneighbour.h\n") == std::string::npos);
  CHECK_FALSE(state.starts_with("neighbour.h\n"));
  CHECK_FALSE(state_of("#if __has_include(\"x.h\")\n#endif\n", {}, ""));
}

TEST_CASE("a text that does not show what it includes has no state") {
  const Folder folder;
  for (const char* source :
       {"#define H \"x.h\"\n#include H\n", "#if __has_include(\"x.h\")\n#endif\n", "int t[] = {__TIME__};",
        "#include \\\n\"x.h\"\n", "/* */ #include H\n", "#include_next <x.h>\n", "# import \"x.h\"\n"})
    CHECK_FALSE(state_of(source, {}, folder.path));
  CHECK(state_of("int included = 1; // include\n#include <cstdio>\n/* include */", {}, folder.path));
  folder.write("a.h", "#include H\n");
  CHECK_FALSE(state_of("#include \"a.h\"\n", {folder.path / "a.h"}, folder.path));
}

}  // namespace
}  // namespace gpulab
