#include "runner/student_file/toolchain.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/unit/error_of.h"

namespace gpulab {
namespace {

const std::optional<std::string> none;
std::optional<std::string> no_nvrtc() { return std::nullopt; }
std::optional<std::string> an_nvrtc() { return "/lib/libnvrtc.so.13"; }

constexpr const char* mend =
    " | scripts/gpulab installs one; or install the CUDA Toolkit, or in an active virtual environment: "
    "pip install 'nvidia-cuda-nvcc==13.*' 'nvidia-cuda-cccl==13.*'; 'gpulab doctor' shows what is found";

TEST_CASE("nvcc is preferred, and NVRTC is not even looked for") {
  const auto never = []() -> std::optional<std::string> { throw std::logic_error("asked"); };
  const auto chosen = choose_compiler("auto", "/bin/nvcc", never);
  CHECK(chosen.kind == Compiler::Kind::nvcc);
  CHECK(chosen.path == "/bin/nvcc");
}

TEST_CASE("NVRTC compiles where there is no nvcc, or where it is asked for") {
  CHECK(choose_compiler("auto", none, an_nvrtc).kind == Compiler::Kind::nvrtc);
  CHECK(choose_compiler("nvrtc", "/bin/nvcc", an_nvrtc).path == "/lib/libnvrtc.so.13");
}

TEST_CASE("no compiler of the kind that is asked for is missing") {
  const auto neither = [] { return choose_compiler("auto", none, no_nvrtc); };
  CHECK(error_of(neither) == std::string("there is no CUDA compiler on this machine: neither nvcc nor NVRTC") + mend);
  CHECK(code_of(neither) == ExitCode::missing);
  CHECK(error_of([] { return choose_compiler("nvcc", none, an_nvrtc); }) ==
        std::string("--compiler nvcc: there is no nvcc on this machine") + mend);
  CHECK(error_of([] { return choose_compiler("nvrtc", "/bin/nvcc", no_nvrtc); }) ==
        "--compiler nvrtc: there is no NVRTC on this machine | pip install nvidia-cuda-nvrtc, or install the CUDA "
        "Toolkit; GPULAB_NVRTC names the library");
}

TEST_CASE("NVRTC in the role of nvcc is passed over, a script that wraps the real nvcc is not") {
  const auto file = (std::filesystem::temp_directory_path() / "gpulab_toolchain_test").string();
  const auto written = [&](const std::string& text) {
    std::ofstream(file) << text;
    return without_stand_in(file);
  };
  // As scripts/setup.sh writes it, as Debian writes it, and a program.
  CHECK_FALSE(written("#!/bin/sh\nplace=/x\nexec python3 \"$place/../../scripts/nvrtc.py\" \"$place\" \"$@\"\n"));
  CHECK(written("#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n") == file);
  CHECK(written("\177ELF") == file);
  CHECK_FALSE(without_stand_in(none));
  std::filesystem::remove(file);
}

TEST_CASE("a release is read from nvcc's version and from the head of a PTX text") {
  CHECK(release_in("Cuda compilation tools, release 13.0, V13.0.88\nBuild") == "13.0");
  CHECK(release_in("// Cuda compilation tools, release 12.4") == "12.4");
  CHECK_FALSE(release_in("written by hand"));
}

TEST_CASE("nvcc of NVIDIA's wheels is found in an active environment, and their runtime without its link") {
  namespace fs = std::filesystem;
  const auto root = fs::temp_directory_path() / "gpulab_nvcc_wheels_test";
  const auto toolkit = root / "lib/python3.99/site-packages/nvidia/cu13";
  fs::create_directories(toolkit / "bin");
  fs::create_directories(toolkit / "lib");
  const auto nvcc = toolkit / "bin/nvcc_of_wheels", runtime = toolkit / "lib/libcudart.so.13";
  std::ofstream(nvcc) << "\177ELF";
  fs::permissions(nvcc, fs::perms::owner_all);
  std::ofstream(runtime) << "a library";
  const char* const before = std::getenv("VIRTUAL_ENV");
  const std::string kept = before == nullptr ? "" : before;
  setenv("VIRTUAL_ENV", root.c_str(), 1);
  CHECK(find_toolkit_program("nvcc_of_wheels") == nvcc.string());
  kept.empty() ? unsetenv("VIRTUAL_ENV") : setenv("VIRTUAL_ENV", kept.c_str(), 1);
  CHECK_FALSE(find_toolkit_program("nvcc_of_wheels"));
  CHECK(runtime_without_link(nvcc) == runtime.string());
  std::ofstream(toolkit / "lib/libcudart.so") << "a library";
  CHECK_FALSE(runtime_without_link(nvcc));
  fs::remove_all(root);
}

TEST_CASE("nccl.h is found in the wheel of an active environment") {
  namespace fs = std::filesystem;
  const auto root = fs::temp_directory_path() / "gpulab_nccl_headers_test";
  const auto folder = root / "lib/python3.99/site-packages/nvidia/nccl/include";
  fs::create_directories(folder);
  std::ofstream(folder / "nccl.h") << "// one";
  const char* const before = std::getenv("VIRTUAL_ENV");
  const std::string kept = before == nullptr ? "" : before;
  setenv("VIRTUAL_ENV", root.c_str(), 1);
  CHECK(find_nccl_headers(none) == folder.string());
  kept.empty() ? unsetenv("VIRTUAL_ENV") : setenv("VIRTUAL_ENV", kept.c_str(), 1);
  fs::remove_all(root);
}

}  // namespace
}  // namespace gpulab
