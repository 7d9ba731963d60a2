// Where a word of the program's code lies: in which file, how far from its begin. Lines come later, from its debug
// information (runner/program/host_lines.h).

#include <dlfcn.h>
#include <fmt/format.h>
#include <unwind.h>

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

std::string Session::place_in_program(const void* address) {
  // Functions of the toolkit's headers stand between: who called those is told, too.
  struct Walk {
    const void* address;
    bool found = false;
    const void* above = nullptr;
  } walk{address};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        auto& at = *static_cast<Walk*>(data);
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* here = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        if (at.found) {
          at.above = here;
          return _URC_NORMAL_STOP;
        }
        at.found = here == at.address;
        return _URC_NO_REASON;
      },
      &walk);
  return walk.above == nullptr ? offset_text(address) : offset_text(address) + "<" + offset_text(walk.above);
}

}  // namespace gpulab::cuda_api
