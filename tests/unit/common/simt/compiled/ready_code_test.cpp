// Code that came with gpulab (common/simt/compiled/ahead): here the test makes it, as the build does, and links it.

#include "common/simt/compiled/ahead/ready_code.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "common/simt/compiled/ahead/keeper.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/unit/common/simt/compiled/both_ways.h"

using namespace gpulab;
using namespace gpulab::tests;
using namespace gpulab::simt::compiled;

namespace {

/// Adds up `step` sixty times: enough for code of it to be looked for in a launch of 100 blocks.
std::string adds(int step) {
  return kernel_of(fmt::format(R"(
  mov.u32 %x, 0;
  mov.u32 %k, 0;
again:
  add.u32 %x, %x, {};
  add.u32 %x, %x, %t;
  add.u32 %k, %k, 1;
  setp.lt.u32 %p, %k, 60;
  @%p bra again;
  and.b32 %i, %i, 1023;
  mul.wide.u32 %w, %i, 4;
  add.u64 %a, %o, %w;
  atom.global.add.u32 %y, [%a], %x;
)",
                               step));
}

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "gpulab-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

/// What the build would have written of a kernel.
struct Made {
  std::vector<ReadyRow> rows;
  std::vector<ReadyCode> codes;
  std::string why;
  void* library = nullptr;
  ReadyLevel level{};
};

void make(Made& made, const std::string& ptx, std::uint32_t threads, const std::filesystem::path& folder) {
  keep_code([&](const Kept& kept) {
    made.rows.assign(kept.rows.begin(), kept.rows.end());
    made.codes.push_back({kept.outline, kept.digest, nullptr});
    made.why = kept.write("made", (folder / "made.o").string());
  });
  SimulatorOptions options;
  options.compiled = When::always;
  run(ptx, options, 1, threads);
  keep_code({});
}

/// Links and registers what was made.
bool link(Made& made, const std::filesystem::path& folder) {
  const std::string library = (folder / "made.so").string();
  if (std::system(fmt::format("ld -shared -o {} {}", library, (folder / "made.o").string()).c_str()) != 0) return false;
  made.library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  made.codes.back().code = made.library ? reinterpret_cast<Code>(dlsym(made.library, "made")) : nullptr;
  made.level = {simt::cpu_level(), made.rows, made.codes};
  return made.codes.back().code != nullptr && have_ready({&made.level, 1});
}

bool can_be_made() {
  std::string why;
  return Library::get(why) && !simt::row_bitcode().empty() && simt::cpu_level() >= "v3";
}

}  // namespace

TEST_CASE("what came with the program runs a kernel from its first block, and leaves what the interpreter does",
          "[compiled]") {
  if (!can_be_made()) return;  // no LLVM, or rows without bitcode
  const Folder folder;
  Made made;
  make(made, adds(7), 256, folder.path);
  REQUIRE(made.why.empty());
  REQUIRE(link(made, folder.path));
  const auto taken = [&](const std::string& ptx, std::uint32_t threads) {
    SimulatorOptions options;
    const std::uint64_t before = CompiledProgram::made();
    const Ended with = run(ptx, options, 100, threads);
    const std::uint64_t count = CompiledProgram::made() - before;
    options.compiled = When::never;
    CHECK(with == run(ptx, options, 100, threads));
    return count;
  };
  // LLVM's own code would come later than such a launch lasts: kLeastWork.
  CHECK(taken(adds(7), 256) == 1);
  CHECK(taken(adds(7), 512) == 1);  // its lanes lie alike in a warp
  CHECK(taken(adds(8), 256) == 0);  // another constant
  CHECK(taken(adds(7), 250) == 0);  // %tid of the lanes that its last warp lacks
  have_ready({});
  CHECK(taken(adds(7), 256) == 0);
  dlclose(made.library);
}

TEST_CASE("a program's digest is of all that LLVM is given", "[compiled]") {
  if (!can_be_made()) return;  // no LLVM, or rows without bitcode
  const Folder folder;
  const auto digest = [&](const std::string& ptx, std::uint32_t threads) {
    Made made;
    make(made, ptx, threads, folder.path);
    REQUIRE(made.codes.size() == 1);
    return made.codes.front().digest;
  };
  const std::string by_row = kernel_of("mov.u32 %y, %tid.y; st.global.u32 [%a], %y;");
  CHECK(digest(adds(7), 256) == digest(adds(7), 256));
  CHECK(digest(adds(7), 256) == digest(adds(7), 1024));
  CHECK(digest(adds(7), 256) != digest(adds(8), 256));
  CHECK(digest(by_row, 256) != digest(adds(7), 256));
}
