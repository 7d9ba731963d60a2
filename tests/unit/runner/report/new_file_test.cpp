#include "runner/report/new_file.h"

#include <stdlib.h>

#include "common/error.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

std::string refusal_of(const std::filesystem::path& file) {
  try {
    write_new(file, "text", "new");
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return "none";
}

}  // namespace

TEST_CASE("a new file is written where none is, and never over one") {
  std::string name = (std::filesystem::temp_directory_path() / "gpulab-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const auto file = folder / "a.cu";
  CHECK(refusal_of(file) == "none");
  CHECK(refusal_of(file) == "new: " + file.string() + " exists | name another folder, or move it away first");
  CHECK(refusal_of(folder / "none" / "a.cu").starts_with("new: cannot write " + folder.string()));
  CHECK_THROWS_AS(make_folder(file / "below", "new"), Error);
  make_folder(folder / "a" / "b", "new");
  CHECK(std::filesystem::is_directory(folder / "a" / "b"));
  std::filesystem::remove_all(folder);
}
