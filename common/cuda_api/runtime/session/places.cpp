// Where a word of the program's code lies: in which file, how far from its begin. Lines come later, from its debug
// information (runner/program/host_lines.h).

#include <dlfcn.h>
#include <fmt/format.h>
#include <unwind.h>

#include <string>
#include <vector>

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

}  // namespace

// Functions of the toolkit's headers stand between, one in another (cudaMallocHost): who called those is told, too, up
// to the C library, which called main.
std::string Session::place_in_program(const void* address, std::size_t most_frames) {
  struct Walk {
    const void* address;
    std::size_t most_frames;
    std::vector<const void*> frames{};
  } walk{address, most_frames};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        auto& at = *static_cast<Walk*>(data);
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* here = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        // Of an access that a signal interrupted, the word behind its begin is asked for.
        const bool begins = here == at.address || static_cast<const char*>(here) + 1 == at.address;
        if (!at.frames.empty() || begins) at.frames.push_back(here);
        return at.frames.size() < at.most_frames ? _URC_NO_REASON : _URC_NORMAL_STOP;
      },
      &walk);
  std::string text = offset_text(address);
  for (std::size_t i = 1; i < walk.frames.size(); ++i) {
    const std::string outer = offset_text(walk.frames[i]);
    if (outer.starts_with("libc.so")) break;
    text += "<" + outer;
  }
  return text;
}

}  // namespace gpulab::cuda_api
