#include "runner/student_file/toolchain.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "common/child/captured_run.h"
#include "common/embedded.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/compile_cache.h"
#include "runner/student_file/compilers/sha256.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

/// Folders that hold a toolkit's bin/, in the order of preference.
std::vector<std::string> toolkit_roots() {
  std::vector<std::string> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (auto root = variable(name)) roots.push_back(std::move(*root));
  }
  roots.emplace_back("/usr/local/cuda");
  roots.push_back(fs::path(toolkit_compiler()).parent_path().parent_path());
  return roots;
}

fs::path real(const std::string& file) {
  std::error_code unreadable;
  return fs::weakly_canonical(file, unreadable);
}

/// What may not be looked at is none.
bool is_program(const fs::path& file) {
  std::error_code unreadable;
  return fs::is_regular_file(file, unreadable) && access(file.c_str(), X_OK) == 0;
}

std::vector<fs::path> path_folders() {
  std::vector<fs::path> folders;
  for (const auto& folder : split(variable("PATH").value_or(""), ':')) folders.emplace_back(folder);
  return folders;
}

std::optional<std::string> program_in(const std::vector<fs::path>& folders, const std::string& name) {
  for (const auto& folder : folders) {
    if (!folder.empty() && is_program(folder / name)) return (folder / name).string();
  }
  return std::nullopt;
}

/// How the file begins.
std::string start_of(const std::string& file) {
  std::string start(512, '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start;
}

/// Folders of `pattern` "…/python3*/site-packages/nvidia": one per Python of a virtual environment.
std::vector<fs::path> wheels_in(const fs::path& environment) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(environment / "lib", ignored)) {
    const auto wheels = entry.path() / "site-packages/nvidia";
    if (entry.path().filename().string().starts_with("python3") && fs::is_directory(wheels, ignored))
      found.push_back(wheels);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// `first`: a folder to look in before all others. Last: NVIDIA's wheels (of CUDA 13) in an active environment.
std::optional<std::string> find_program(const std::string& name, const fs::path& first = {}) {
  std::vector<fs::path> folders;
  if (!first.empty()) folders.push_back(first);
  for (auto& folder : path_folders()) folders.push_back(std::move(folder));
  for (const auto& root : toolkit_roots()) folders.push_back(fs::path(root) / "bin");
  if (const auto environment = variable("VIRTUAL_ENV"))
    for (const auto& wheels : wheels_in(*environment)) folders.push_back(wheels / "cu13/bin");
  return program_in(folders, name);
}

/// The newest library in `folder` whose name starts with `stem`.
std::optional<std::string> library_in(const fs::path& folder, const std::string& stem) {
  std::optional<std::string> best;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto path = entry.path().string();
    if (entry.path().filename().string().starts_with(stem) && (!best || path > *best)) best = path;
  }
  return best;
}

bool loads(const std::string& library) {
  // It stays in memory to our end: it is loaded again, and what it has allocated keeps its name (tests/leaks.supp).
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

/// The toolkit that a wrapper's nvcc names when it is asked what it would do; nothing where it does not say.
std::optional<fs::path> asked_toolkit(const std::string& nvcc) {
  ChildPlan plan{.command = {nvcc, "--dryrun", "-ptx", "none.cu"}};
  plan.folder = "/";  // nvcc looks for gcc in PATH, and a relative folder there may be a stranger's
  plan.limits.wall = std::chrono::seconds(20);
  plan.environment.emplace();
  for (char** entry = environ; *entry != nullptr; ++entry)  // it wants a TMPDIR that is there, for nothing
    if (!std::string_view(*entry).starts_with("TMPDIR=")) plan.environment->emplace_back(*entry);
  for (const auto& line : split(run_captured(plan).output, '\n')) {
    constexpr std::string_view top = "#$ TOP=";
    if (!line.starts_with(top)) continue;
    std::error_code failed;
    auto root = fs::canonical(line.substr(top.size()), failed);
    if (!failed) return root;
  }
  return std::nullopt;
}

/// The same, asked once for each wrapper: it takes 25 ms, a sixth of a small run.
std::optional<fs::path> wrapped_toolkit(const std::string& nvcc) {
  const auto key = sha256({"toolkit", identity_of(nvcc), variable("PATH").value_or("")});
  std::error_code unreadable;
  if (const auto known = cached_texts(key); known && known->size() == 1 && fs::is_directory(known->front(), unreadable))
    return known->front();
  auto root = asked_toolkit(nvcc);
  if (root) keep_texts(key, {root->string()});
  return root;
}

/// Folders where a toolkit, or Python's wheels of one, has libraries.
std::vector<fs::path> library_folders(const std::optional<std::string>& nvcc) {
  std::vector<std::string> roots = toolkit_roots();
  if (nvcc) roots.insert(roots.begin(), toolkit_of(*nvcc));
  std::vector<fs::path> folders;
  for (const fs::path root : roots) {
    for (const char* part : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      folders.push_back(root / part);
    for (const auto& wheels : wheels_in(root)) folders.push_back(wheels / "cuda_nvrtc/lib");
  }
  if (const auto environment = variable("VIRTUAL_ENV")) {
    for (const auto& wheels : wheels_in(*environment)) {
      for (const char* part : {"cu13/lib", "cuda_nvrtc/lib"}) folders.push_back(wheels / part);
    }
  }
  return folders;
}

}  // namespace

std::optional<std::string> find_toolkit_program(const std::string& name) { return find_program(name); }

std::optional<std::string> find_nvcc() {
  const auto named = variable("GPULAB_NVCC");
  if (!named) return find_program("nvcc");
  if (is_program(*named)) return fs::absolute(*named).string();  // it runs in other folders than ours
  throw Error(ExitCode::missing, fmt::format("GPULAB_NVCC is not a program: {}", *named), {},
              "unset it, or set it to the path of nvcc");
}

std::optional<std::string> without_stand_in(const std::optional<std::string>& nvcc) {
  if (!nvcc) return std::nullopt;
  return is_script(*nvcc) && start_of(*nvcc).find("scripts/nvrtc.py") != std::string::npos ? std::nullopt : nvcc;
}

std::string toolkit_of(const std::string& tool) {
  static std::mutex one_asks;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(one_asks);
  if (const auto found = known.find(tool); found != known.end()) return found->second;
  auto root = is_script(tool) ? wrapped_toolkit(tool) : std::nullopt;
  return known[tool] = (root ? *root : real(tool).parent_path().parent_path()).string();
}

bool is_script(const std::string& file) { return start_of(file).starts_with("#!"); }

std::optional<std::string> find_in_path(const std::string& name) { return program_in(path_folders(), name); }

std::string identity_of(const std::string& tool) {
  std::error_code ignored;
  const auto file = fs::weakly_canonical(tool, ignored);
  return fmt::format("{} {} {}", file.string(), fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

std::optional<std::string> find_ptxas(const std::optional<std::string>& nvcc) {
  // The ptxas beside the compiler comes first: an older one may not read the PTX that the compiler writes.
  return find_program("ptxas", nvcc ? fs::path(toolkit_of(*nvcc)) / "bin" : fs::path());
}

std::optional<std::string> find_nvrtc(const std::optional<std::string>& nvcc) {
  if (const auto named = variable("GPULAB_NVRTC")) {
    if (loads(*named)) return named;
    throw Error(ExitCode::missing, fmt::format("GPULAB_NVRTC is not a library that loads: {}", *named), {},
                "unset it, or set it to the path of libnvrtc.so.13 (or 12)");
  }
  for (const auto& folder : library_folders(nvcc)) {
    if (auto library = library_in(folder, "libnvrtc.so."); library && loads(*library)) return library;
  }
  for (const std::string name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
    if (loads(name)) return name;
  }
  return std::nullopt;
}

Compiler choose_compiler(const std::string& choice, const std::optional<std::string>& nvcc,
                         const std::function<std::optional<std::string>()>& nvrtc) {
  if (choice != "nvrtc" && nvcc) return {Compiler::Kind::nvcc, *nvcc};
  const std::string mend =
      "scripts/gpulab installs one; or install the CUDA Toolkit, or in an active virtual environment: pip install "
      "'nvidia-cuda-nvcc==13.*' 'nvidia-cuda-cccl==13.*'; 'gpulab doctor' shows what is found";
  if (choice == "nvcc") throw Error(ExitCode::missing, "--compiler nvcc: there is no nvcc on this machine", {}, mend);
  if (auto library = nvrtc()) return {Compiler::Kind::nvrtc, std::move(*library)};
  if (choice == "nvrtc") {
    throw Error(ExitCode::missing, "--compiler nvrtc: there is no NVRTC on this machine", {},
                "pip install nvidia-cuda-nvrtc, or install the CUDA Toolkit; GPULAB_NVRTC names the library");
  }
  throw Error(ExitCode::missing, "there is no CUDA compiler on this machine: neither nvcc nor NVRTC", {}, mend);
}

std::optional<std::string> runtime_without_link(const std::string& nvcc) {
  const fs::path root = toolkit_of(nvcc);
  std::error_code unreadable;
  std::optional<std::string> found;
  for (const char* part : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    if (fs::exists(root / part / "libcudart.so", unreadable)) return std::nullopt;
    if (!found) found = library_in(root / part, "libcudart.so.");
  }
  return found;
}

std::optional<std::string> release_in(std::string_view text) {
  const auto at = text.find("release ");
  if (at == std::string::npos) return std::nullopt;
  const auto end = text.find_first_not_of("0123456789.", at + 8);
  return std::string(text.substr(at + 8, end == std::string_view::npos ? end : end - at - 8));
}

std::optional<std::string> find_nccl_headers(const std::optional<std::string>& nvcc) {
  std::vector<fs::path> folders;
  if (nvcc) folders.push_back(fs::path(toolkit_of(*nvcc)) / "include");
  // Of wheels: beside the one that nvcc is of, and in environments.
  if (nvcc) folders.push_back(fs::path(toolkit_of(*nvcc)).parent_path() / "nccl/include");
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto environment = variable(name))
      for (const auto& wheels : wheels_in(*environment)) folders.push_back(wheels / "nccl/include");
  if (const auto home = variable("HOME"))
    for (const auto& wheels : wheels_in(fs::path(*home) / ".local")) folders.push_back(wheels / "nccl/include");
  for (const char* system : {"/usr/include", "/usr/local/include"}) folders.emplace_back(system);
  std::error_code unreadable;
  for (const auto& folder : folders)
    if (fs::exists(folder / "nccl.h", unreadable)) return folder.string();
  return std::nullopt;
}

std::vector<std::string> include_folders(const std::string& library) {
  std::vector<std::string> found;
  const auto root = real(library).parent_path().parent_path();
  const auto add = [&](const fs::path& folder) {
    std::error_code unreadable;
    if (fs::is_directory(folder, unreadable)) found.push_back(folder.string());
  };
  // A toolkit (and the wheels of 13): include/; the wheels of 12: a folder for each component.
  for (const auto& base : {root, root.parent_path().parent_path()}) {
    std::error_code unreadable;
    if (!fs::exists(base / "include/cuda_fp16.h", unreadable)) continue;
    add(base / "include");
    add(base / "include/cccl");
    return found;
  }
  for (const char* part : {"cuda_runtime", "cuda_cccl", "cuda_nvcc"}) add(root.parent_path() / part / "include");
  return found;
}

}  // namespace gpulab
