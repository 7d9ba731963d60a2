// In the program gpulab_code_maker alone, which the build runs (lab_code.py): gpulab, but what would become machine
// code is written down. GPULAB_KEEP_CODE names a folder, which gets an object for each module, the rows that have a
// function, and for each process a file of lines about its programs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "common/simt/compiled/ahead/keeper.h"
#include "common/simt/isa/instruction_set.h"

namespace {

namespace fs = std::filesystem;
using namespace gpulab::simt;
using namespace gpulab::simt::compiled;

/// LLVM's instructions, of a program. Twelve of 165 have more, up to 58 000: together as much of the build's time and
/// of the binary as all others, for look backs, of which most is model, and long chains.
constexpr std::size_t kMost = 20'000;

/// "outline, digest, function": three fields, by tabs.
void keep(const fs::path& folder, const Kept& kept) {
  if (kept.size > kMost) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::string function =
      fmt::format("gpulab_code_{}_{:016x}{:016x}", cpu_level(), kept.digest[0], kept.digest[1]);
  const fs::path object = folder / (function + ".o");
  if (!fs::exists(object)) {
    const std::string part = object.string() + fmt::format(".{}", getpid());
    const std::string why = kept.write(function, part);
    if (!why.empty()) {
      fmt::print(stderr, "{}: {}\n", kept.program.name, why);
      std::_Exit(1);
    }
    fs::rename(part, object);
  }
  std::ofstream(folder / fmt::format("codes_{}.txt", getpid()), std::ios::app)
      << fmt::format("{}\t{:#x}, {:#x}\t{}\t{}\n", fmt::join(kept.outline, ", "), kept.digest[0], kept.digest[1],
                     function, kept.program.name);
  if (const fs::path path = folder / "rows.txt"; !fs::exists(path)) {
    const fs::path part = path.string() + fmt::format(".{}", getpid());
    std::ofstream file(part);
    for (const ReadyRow& row : kept.rows) file << fmt::format("{}, {}, {}\n", row.table, row.row, row.mods);
    file.close();
    fs::rename(part, path);
  }
}

[[maybe_unused]] const bool keeps = [] {
  const char* const folder = std::getenv("GPULAB_KEEP_CODE");
  if (folder) keep_code([folder = fs::path(folder)](const Kept& kept) { keep(folder, kept); });
  return folder != nullptr;
}();

}  // namespace
