#pragma once
// Which programs run compiled, and when: at once (tests), or those that have run for so long that making code of them
// pays. That is done by one thread of the process, while the interpreter goes on.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "common/simt/compiled/compiled_program.h"
#include "common/simt/compiled/when.h"
#include "common/simt/machine/block.h"

namespace gpulab::simt::compiled {

class HotProgram;

/// The programs of a device.
class HotPrograms {
 public:
  HotPrograms(When when, int threads);
  ~HotPrograms();
  HotPrograms(const HotPrograms&) = delete;
  HotPrograms& operator=(const HotPrograms&) = delete;
  /// Sets LaunchState::blocks or ::hot. Nothing where the launch cannot run compiled, because somebody watches single
  /// instructions, or blocks wait for each other.
  void prepare(LaunchState& launch, const std::shared_ptr<const Program>& program);

 private:
  using Shape = std::tuple<const Program*, std::uint32_t, std::uint32_t, std::uint32_t>;
  When when_;
  std::uint64_t threads_;  ///< that run blocks
  std::map<Shape, std::shared_ptr<HotProgram>> programs_;
};

/// Returns when no code is being made (tests).
void wait_for_code();
/// Whether some is: a process that ends by exit() would wait for it.
[[nodiscard]] bool makes_code();
/// For a process that ends by _Exit while code is made (background.h): LLVM is opened beside the launch that wants
/// code.
void open_llvm_beside_launches();

}  // namespace gpulab::simt::compiled
