#include "runner/program/build_cache.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <vector>

#include "common/text.h"
#include "runner/program/old_cuda/old_cuda.h"
#include "runner/program/results/watched_functions.h"
#include "runner/student_file/compile_cache.h"
#include "runner/student_file/compilers/dependencies.h"
#include "runner/student_file/compilers/sha256.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"
#include "runner/version.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

fs::path own_folder(const std::string& file) { return fs::absolute(file).lexically_normal().parent_path(); }

/// Nothing lies in our folder but these.
bool are_all_that_is_here(const std::vector<std::string>& files) {
  return std::ranges::all_of(fs::directory_iterator(fs::current_path()), [&](const fs::directory_entry& entry) {
    return std::ranges::count(files, entry.path().filename().string()) > 0;
  });
}

/// Options of which the outcome depends on no file but those of the sources.
bool shows_all(const std::vector<std::string>& options) {
  return std::ranges::none_of(options, [](const std::string& word) {
    constexpr std::array prefixes{
        "-I",    "-L", "-l",       "-isystem", "-include",        "--include", "--options-file",
        "-optf", "@",  "-Xlinker", "-fatbin",  "--system-include"};
    return std::ranges::any_of(prefixes, [&](const char* prefix) { return word.starts_with(prefix); }) ||
           word.find(".o") != std::string::npos;
  });
}

}  // namespace

BuildCache::BuildCache(const BuildRequest& request, const std::string& nvcc) : request_(request) {
  std::set<std::string> stems;
  for (const auto& file : request.files)
    if (fs::path(file).extension() != ".cu" || !stems.insert(fs::path(file).stem()).second) return;
  if (!shows_all(request.options) || (request.alone && !are_all_that_is_here(request.files))) return;
  const char* host_compiler = std::getenv("NVCC_CCBIN");
  const auto gcc = find_in_path("gcc");
  std::vector<std::string> parts{"program",
                                 std::string(version()),
                                 identity_of(nvcc),
                                 host_compiler != nullptr ? host_compiler : "",
                                 gcc ? identity_of(*gcc) : "",
                                 request.alone ? "" : fs::current_path().string(),
                                 std::to_string(request.architecture),
                                 request.isolated ? "isolated" : "",
                                 request.old_cuda ? "old" : "",
                                 request.alone ? "alone" : "",
                                 join(request.options, "\n"),
                                 join(request.files, "\n")};
  for (const auto& file : request.files) parts.push_back(read_file(file, "exec"));
  key_ = sha256(std::vector<std::string_view>(parts.begin(), parts.end()));
}

std::optional<BuiltProgram> BuildCache::known() const {
  if (!applies()) return std::nullopt;
  auto texts = cached_texts(key_);
  if (!texts || texts->size() != 3 || !holds(texts->front())) return std::nullopt;
  return BuiltProgram{std::move(texts->at(1)), std::move(texts->at(2))};
}

void BuildCache::keep(const BuiltProgram& program, const fs::path& preprocessed) const {
  if (!applies()) return;
  std::string state;
  for (const auto& file : request_.files) {
    std::set<std::string> read;
    // Of the device's pass, and of the host's.
    for (const char* pass : {".cpp1.ii", ".cpp4.ii"}) {
      const auto text = preprocessed / (fs::path(file).stem().string() + pass);
      std::error_code failed;
      if (!fs::exists(text, failed)) return;
      for (auto& one : files_read(read_file(text.string(), "nvcc"), fs::current_path()))
        if (fs::path(one).filename() != watching_header && !is_of_old_cuda(one))
          read.insert(std::move(one));  // the others are of this version of ours
    }
    // What is judged lies in another folder each time, with nothing beside it.
    const auto own = request_.alone ? "" : own_folder(file);
    if (request_.alone)
      std::erase_if(read, [](const auto& one) { return fs::path(one).parent_path() == fs::current_path(); });
    const auto mine = state_of(read_file(file, "exec"), {read.begin(), read.end()}, own);
    if (!mine) return;
    state += *mine;
  }
  keep_texts(key_, {state, program.bytes, program.messages});
}

}  // namespace gpulab
