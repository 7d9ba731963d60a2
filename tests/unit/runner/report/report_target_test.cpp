#include "runner/report/report_target.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "gpulab-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const char* name) const { return (path / name).string(); }
};
std::string content(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a report replaces what the file held, shorter or longer") {
  const Folder folder;
  const auto file = folder.file("report");
  std::ofstream(file) << "something much longer than the report";
  ReportTarget(file).write("short\n");
  CHECK(content(file) == "short\n");
}

TEST_CASE("a file keeps its content, and a new one vanishes, where no report is written") {
  const Folder folder;
  std::ofstream(folder.file("old")) << "kept";
  { const ReportTarget old(folder.file("old")), fresh(folder.file("new")); }
  CHECK(content(folder.file("old")) == "kept");
  CHECK_FALSE(fs::exists(folder.file("new")));
}

TEST_CASE("a file that cannot be opened is refused before anything runs") {
  const Folder folder;
  const auto file = folder.file("absent/report");
  CHECK(error_of([&] {
          ReportTarget target(file);
          return 0;
        }) == "--output: cannot write '" + file +
                  "': No such file or directory | name a file in a directory that you can write to");
}

TEST_CASE("a report is as wide as COLUMNS says, into a file else as usual, never below 60") {
  const Folder folder;
  const ReportTarget target(folder.file("report"));
  const auto width = [&](const char* columns) {
    setenv("COLUMNS", columns, 1);
    const auto wide = report_width(target);
    unsetenv("COLUMNS");
    return wide;
  };
  CHECK(report_width(target) == 100);
  CHECK(report_width(target, 120) == 120);
  CHECK(width("80") == 80);
  CHECK(width("200") == 200);
  CHECK(width("20") == 60);
  for (const auto* nonsense : {"", "0", "-5", "wide"}) CHECK(width(nonsense) == 100);
}
