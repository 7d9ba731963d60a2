#pragma once
// Whole kernels as tests (tests/ptx/*.ptx), what they take and give written in comments before each:
//     // kernel: stride_copy              entry to launch; opens a test
//     // launch: grid 2 block 64          sizes as 64, 8x4 or 8x4x2; `shared 256` for dynamic shared memory
//     // arg: in u32[64] = 0..63          a buffer of 64 elements, or
//     // arg: n u32 = 64                  a value; in the order of the kernel's parameters
//     // texture: in 8x4 channels 4       `in` are texels: the kernel gets a texture's handle instead of the buffer's
//                                      address. `layers 2` or `cube` may follow. Coordinates count texels; the
//                                      nearest one is read, outside the one at the edge
//     // surface: in 8x4                  the same of a surface
//     // expect: in u32[64] = 7*64        what a buffer holds afterwards (it may be viewed as another type)
//     // expect in lane order: old …    the same, where atomics run by ascending lanes, as the simulator's do; a GPU
//                                      chooses their order (on shared memory they are compare-and-swap loops)
//     // fault: misaligned                the launch fails, its message contains this
//     // not on a GPU: why                 what this test's launch cannot ask of hardware
//     // prints: hello                    a line that the kernel prints
// Lists: 1 2 3, 0..31 (and 31..0), 7*4 (7 7 7 7), (1 2)*3. A single value fills its buffer.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "common/dim3.h"
#include "common/simt/machine/memory/texture.h"

namespace gpulab::simt {

/// A named buffer or value: its bytes and what they are.
struct KernelData {
  std::string name, type;
  bool is_buffer = false;
  std::vector<std::byte> bytes;
};

struct KernelCase {
  std::string where;  ///< file:line, for messages
  std::string file;
  std::string kernel;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::vector<KernelData> arguments, expected;
  std::map<std::string, Texture> textures;  ///< by the buffer's name; its address is not known yet
  std::vector<KernelData> expected_in_lane_order;
  std::string fault;
  std::string not_on_a_gpu;  ///< why; empty: on both devices
  std::string output;
};

/// "0..3 7*2" -> "0", "1", "2", "3", "7", "7". Throws std::runtime_error on a malformed list.
[[nodiscard]] std::vector<std::string> expanded(std::string_view list);
/// The cases in a PTX file's comments. Throws std::runtime_error that names the line.
[[nodiscard]] std::vector<KernelCase> kernel_cases(const std::string& path);
/// Paths of tests/ptx/*.ptx, sorted.
[[nodiscard]] std::vector<std::string> kernel_files();
[[nodiscard]] std::string file_text(const std::string& path);
/// Which lane's atomic comes first.
enum class AtomicOrder { any, by_lane };
/// Launches on a device that has the file loaded, and says what differs from what is expected; empty: nothing.
[[nodiscard]] std::string run_kernel(Device& device, const KernelCase& one, AtomicOrder order);

}  // namespace gpulab::simt
