// Where a word of the program's code lies: in which file, how far from its begin. Lines come later, from its debug
// information (runner/program/host_lines.h).

#include <dlfcn.h>
#include <fmt/format.h>
#include <unwind.h>

#include <string>
#include <vector>

#include "common/cuda_api/runtime/host/python_lines.h"
#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {
namespace {

std::string offset_text(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return fmt::format("{}", address);
  const std::string_view file(info.dli_fname);
  const auto offset = reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  return fmt::format("{}+{:#x}", file.substr(file.rfind('/') + 1), offset);
}

bool is_of_system(const void* address) {
  const std::string text = offset_text(address);
  return text.starts_with("libc.so") || text.starts_with("libstdc++.so");
}

/// Functions of ours that call others of ours: no place of the program's.
bool is_ours(const void* address) {
  static const void* const base = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&offset_text), &info) == 0 ? nullptr : info.dli_fbase;
  }();
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fbase == base;
}

/// From the one with this address on, of the program's; the address alone where none has it.
std::vector<const void*> frames_from(const void* address, std::size_t most_frames) {
  struct Walk {
    const void* address;
    std::size_t most_frames;
    std::vector<const void*> frames{};
    bool begun = false;
  } walk{address, most_frames};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        auto& at = *static_cast<Walk*>(data);
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* here = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        // Of an access that a signal interrupted, the word behind its begin is asked for.
        const bool begins = here == at.address || static_cast<const char*>(here) + 1 == at.address;
        at.begun |= begins;
        if (at.begun && !is_ours(here)) at.frames.push_back(here);
        return at.frames.size() < at.most_frames ? _URC_NO_REASON : _URC_NORMAL_STOP;
      },
      &walk);
  if (walk.frames.empty()) walk.frames.push_back(address);
  return walk.frames;
}

}  // namespace

std::vector<const void*> Session::frames_of(const void* address, std::size_t most_frames) {
  return frames_from(address, most_frames);
}

std::vector<const void*> Session::frames_of_access(const void* instruction) {
  constexpr std::size_t most_frames = 6;
  auto frames = frames_from(instruction, most_frames);
  // Places are behind what they tell of, as return addresses are.
  frames.front() = static_cast<const std::byte*>(frames.front()) + 1;
  while (frames.size() > 1 && is_of_system(frames.front())) frames.erase(frames.begin());
  return frames;
}

// Functions of the toolkit's headers stand between, one in another (cudaMallocHost): who called those is told, too, up
// to the C library, which called main.
std::string Session::place_of(const std::vector<const void*>& frames) {
  if (const auto& line = python_line(); !line.empty()) return line;
  std::string text = offset_text(frames.front());
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const std::string outer = offset_text(frames[i]);
    if (outer.starts_with("libc.so")) break;
    text += "<" + outer;
  }
  return text;
}

std::string Session::place_in_program(const void* address, std::size_t most_frames) {
  return place_of(frames_of(address, most_frames));
}

}  // namespace gpulab::cuda_api
