#include "runner/program/build_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>

#include "common/child/captured_run.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/program/build_cache.h"
#include "runner/program/included_texts.h"
#include "runner/program/math_libraries.h"
#include "runner/program/old_cuda/old_cuda.h"
#include "runner/program/old_cuda/old_objects.h"
#include "runner/program/process/kept_runtime.h"
#include "runner/program/results/build_advice.h"
#include "runner/program/results/nvcc_messages.h"
#include "runner/program/results/watched_functions.h"
#include "runner/program/run_program.h"
#include "runner/student_file/compilers/isolation.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Words that say for which GPU, or with which runtime: ours are others. `takes_value`: the next word belongs to it.
bool is_replaced(const std::string& word, bool& takes_value) {
  const auto name = word.substr(0, word.find('='));
  takes_value = false;
  for (const char* one : {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code",
                          "-cudart", "--cudart", "-compress-mode", "--compress-mode"})
    if (name == one) {
      takes_value = word == name;
      return true;
    }
  return word == "--no-compress" || word == "-no-compress";
}

/// "compute_90" of those that nvcc knows, in ascending order: the newest up to `wanted`, else the oldest.
int known_architecture(const std::string& nvcc, int wanted) {
  int best = 0;
  for (const auto& line : split(run_captured({nvcc, "--list-gpu-arch"}).output, '\n')) {
    const auto number = line.starts_with("compute_") ? parse_integer(line.substr(8)) : std::nullopt;
    if (number && (best == 0 || *number <= wanted)) best = static_cast<int>(*number);
  }
  return best == 0 ? wanted : best;
}

/// Folders that the compiler may read: where it is called, those of the files, and those that options name.
std::vector<std::string> readable_folders(const BuildRequest& request) {
  std::vector<std::string> folders{fs::current_path().string()};
  for (const auto& file : request.files) folders.push_back(fs::absolute(file).lexically_normal().parent_path());
  const auto& words = request.options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const char* flag : {"-I", "-L", "-isystem", "-include"}) {
      if (!words[i].starts_with(flag)) continue;
      const std::string joined = words[i].substr(std::string_view(flag).size());
      if (!joined.empty())
        folders.push_back(fs::absolute(joined.substr(joined.starts_with('='))));
      else if (i + 1 < words.size())
        folders.push_back(fs::absolute(words[i + 1]));
    }
  }
  return folders;
}

void say(const BuildRequest& request, const std::string& messages) {
  if (request.messages != nullptr)
    *request.messages += messages;
  else
    std::fputs(messages.c_str(), stderr);
}

/// In its confinement the linker cannot say that what it made is a program.
bool executable(const fs::path& program) {
  std::error_code failed;
  fs::permissions(program, fs::perms::owner_all, failed);
  return !failed;
}

bool written(const fs::path& program, const std::string& bytes) {
  std::ofstream file(program, std::ios::binary);
  file << bytes;
  file.close();
  return file && executable(program);
}

}  // namespace

std::string nvcc_for_programs() {
  const auto nvcc = without_stand_in(find_nvcc());
  if (nvcc) return *nvcc;
  throw Error(ExitCode::missing, "there is no nvcc on this machine, and no other compiler builds whole programs", {},
              "install the CUDA Toolkit, or in an active virtual environment: pip install 'nvidia-cuda-nvcc==13.*' "
              "'nvidia-cuda-cccl==13.*'; 'gpulab doctor' shows what is found");
}

std::vector<std::string> runtime_words(const std::string& nvcc, const fs::path& folder) {
  const auto library = runtime_without_link(nvcc);
  if (!library) return {};
  fs::create_directories(folder);
  std::error_code there_already;
  fs::create_symlink(*library, folder / "libcudart.so", there_already);
  return {"-L" + folder.string()};
}

std::vector<std::string> nvcc_words(const std::vector<std::string>& words, int architecture, const std::string& nvcc) {
  std::vector<std::string> all;
  // For one GPU, and as a program: then ptxas says how many registers kernels take.
  bool debug = false, machine_code = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bool takes_value = false;
    if (is_replaced(words[i], takes_value)) {
      i += takes_value ? 1 : 0;
      continue;
    }
    for (const char* other : {"-rdc", "--relocatable-device-code", "-dc", "--device-c", "-dlto", "-ptx", "--ptx",
                              "-cubin", "--cubin", "-fatbin", "--fatbin", "-dlink", "--device-link", "-lto"})
      machine_code &= !words[i].starts_with(other);
    debug |= words[i] == "-G" || words[i] == "--device-debug";
    all.push_back(words[i]);
  }
  const int known = known_architecture(nvcc, architecture);
  const auto code = machine_code ? fmt::format("[compute_{0},sm_{0}]", known) : fmt::format("compute_{}", known);
  all.insert(all.end(), {"-cudart=shared", fmt::format("-gencode=arch=compute_{},code={}", known, code),
                         "--no-compress", "-Wno-deprecated-gpu-targets"});
  if (!debug) all.emplace_back("-lineinfo");
  // The host's lines, and no more of it unless asked for; as DWARF 4, whose lines every addr2line reads
  // (host_lines.cpp).
  if (std::ranges::find(words, "-g") != words.end())
    all.insert(all.end(), {"-Xcompiler", "-gdwarf-4"});
  else
    all.insert(all.end(), {"-Xcompiler", "-gdwarf-4,-g1"});
  // A call that has become a jump leaves no trace of who made it.
  all.insert(all.end(), {"-Xcompiler", "-fno-optimize-sibling-calls"});
  return all;
}

namespace {

/// nvcc's messages for the user.
std::string sifted(const std::string& output, NvccMessages& messages) {
  std::string kept;
  for (std::size_t at = 0; at < output.size();) {
    const auto end = std::min(output.find('\n', at), output.size() - 1) + 1;
    kept += messages.take(std::string_view(output).substr(at, end - at));
    at = end;
  }
  return kept + messages.rest();
}

/// `watched`: with our header, which knows where results are dropped.
bool build(const BuildRequest& request, const fs::path& program, const std::string& nvcc, const BuildCache& cache,
           bool watched) {
  std::vector<std::string> command{nvcc};
  auto words =
      nvcc_words(request.old_cuda ? old_cuda_options(request.options) : request.options, request.architecture, nvcc);
  auto libraries = libraries_of_sources(request.files, words);
  for (auto& word : header_words(request.files, nvcc)) command.push_back(std::move(word));
  // Behind what asks for them: a linker may pass over a library that nobody has asked for yet.
  for (auto& word : words)
    (word.starts_with("-l") && word.size() > 2 && word != "-lineinfo" ? libraries : command).push_back(word);
  for (const auto& file : with_old_objects(request.files, program.parent_path())) command.push_back(file);
  for (const auto& word : linking_words(libraries, program.parent_path() / "lent")) command.push_back(word);
  for (const auto& word : runtime_words(nvcc, program.parent_path() / "lent")) command.push_back(word);
  command.insert(command.end(), libraries.begin(), libraries.end());
  command.insert(command.end(), {"-o", program.string()});
  if (watched)
    for (auto& word : watching_words(program.parent_path(), request.files)) command.push_back(std::move(word));
  const auto texts = request.alone ? std::vector<SourceText>() : included_texts(command);
  if (request.old_cuda)
    for (auto& word : old_cuda_words(program.parent_path(), texts)) command.push_back(std::move(word));
  const auto preprocessed = program.parent_path() / "preprocessed";
  if (cache.applies() && fs::create_directory(preprocessed))
    command.insert(command.end(), {"--keep", "--keep-dir", preprocessed.string()});
  auto readable = readable_folders(request);
  // Objects of CUDA 12 call what NVIDIA's library of CUDA 13 has no longer, and ours has.
  const auto is_object = [](const std::string& file) { return file.ends_with(".o") || file.ends_with(".a"); };
  if (std::ranges::any_of(request.files, is_object))
    if (const auto folder = kept_runtime()) {
      readable.push_back(folder->string());
      command.insert(command.end(), {"-Xlinker", (*folder / runtime_library_name()).string()});
    }
  Isolation isolation;
  isolation.on = request.isolated;
  isolation.cpu = std::chrono::seconds(120);
  for (auto& folder : folders_in_checkout(texts, request.files)) readable.push_back(std::move(folder));
  auto plan = compiler_plan(isolation, command, nvcc, program.parent_path(), std::move(readable));
  plan.folder = fs::current_path();
  plan.limits.memory_bytes = std::uint64_t{4} << 30;
  auto run = run_captured(plan);
  if (watched) {
    NvccMessages messages;
    run.output = sifted(run.output, messages);
    if (run.exit_code != 0 && messages.is_lost()) return build(request, program, nvcc, cache, false);
    if (run.exit_code == 0) keep_dropped(program, messages.dropped());
  }
  if (run.exit_code != 0)
    run.output += advice_on_build(run.output, command, request.old_cuda);
  else
    run.output += notes_on_build(command) + (request.old_cuda ? old_cuda_notes(texts) : "");
  say(request, run.output);
  if (run.exit_code != 0) return false;
  if (cache.applies()) cache.keep({read_file(program.string(), "nvcc"), run.output}, preprocessed);
  return executable(program);
}

}  // namespace

bool build_program(const BuildRequest& request, const fs::path& program) {
  const std::string nvcc = nvcc_for_programs();
  const BuildCache cache(request, nvcc);
  if (const auto known = cache.known()) {
    say(request, known->messages);
    return written(program, known->bytes);
  }
  return build(request, program, nvcc, cache, may_watch(request.options));
}

}  // namespace gpulab
