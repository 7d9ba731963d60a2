#include "runner/program/old_cuda/old_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

#include "common/child/captured_run.h"
#include "common/cuda_api/fat_binary.h"
#include "common/error.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;

/// ".version 7.8" is CUDA 11.8's.
bool is_of_11(const cuda_api::DeviceImage& image) {
  constexpr std::string_view version = ".version ";
  const auto at = image.content.find(version);
  if (image.kind != cuda_api::DeviceImage::Kind::ptx || at == std::string::npos) return false;
  const char major = image.content.c_str()[at + version.size()];
  return major == '6' || major == '7';
}

/// It has device code, all PTX of which is CUDA 11's.
bool is_of_11(std::string_view object) {
  constexpr std::string_view magic("\x50\xed\x55\xba\x01\x00\x10\x00", 8);  // of a fat binary, version 1
  bool any = false;
  for (auto at = object.find(magic); at != std::string_view::npos; at = object.find(magic, at + 1)) {
    const auto bytes = std::as_bytes(std::span(object.substr(at)));
    try {
      const auto length = cuda_api::length_of(bytes);
      if (!length) continue;
      for (const auto& image : cuda_api::images_of(bytes.first(*length))) {
        if (image.kind != cuda_api::DeviceImage::Kind::ptx) continue;
        if (!is_of_11(image)) return false;
        any = true;
      }
    } catch (const Error&) {
      return false;  // the linker has its own words for it
    }
  }
  return any;
}

bool is_of_11(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed) || fs::file_size(file, failed) > most_bytes) return false;
  std::ifstream opened(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(opened), {}};
  return bytes.starts_with(
             "\x7f"
             "ELF") &&
         is_of_11(std::string_view(bytes));
}

}  // namespace

std::vector<std::string> with_old_objects(const std::vector<std::string>& words, const fs::path& folder) {
  auto replaced = words;
  std::size_t number = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].ends_with(".o") || (i > 0 && words[i - 1] == "-o") || !is_of_11(fs::path(words[i]))) continue;
    const auto objcopy = find_in_path("objcopy");
    const auto copy = folder / fmt::format("of_cuda_11_{}.o", ++number);
    if (objcopy && run_captured({*objcopy, "--redefine-sym", "cudaGetDeviceProperties=cudaGetDeviceProperties_11",
                                 words[i], copy.string()})
                           .exit_code == 0)
      replaced[i] = copy.string();
  }
  return replaced;
}

}  // namespace gpulab
