#pragma once
// Code that may come to stand for a program's basic blocks while its launches run: asked for once they have taken long
// enough, made by another thread, entered by blocks that start later. The machine knows this interface alone.

#include <atomic>
#include <cstdint>

namespace gpulab::simt {

struct BasicBlock;
struct Warp;
struct Worker;

class HotCode {
 public:
  virtual ~HotCode() = default;
  HotCode() = default;
  HotCode(const HotCode&) = delete;
  HotCode& operator=(const HotCode&) = delete;

  /// A block starts: whose basic blocks it has, nullptr: the program's own. `executed`: warp instructions since the
  /// last call of this thread, whose counts `worker` has.
  [[nodiscard]] const BasicBlock* at_start(std::uint64_t executed, const Worker& worker) {
    if (!settled_.load(std::memory_order_relaxed)) [[unlikely]]
      look(executed, worker);
    return blocks_.load(std::memory_order_acquire);
  }

 protected:
  /// Whether there is more to make.
  virtual void look(std::uint64_t executed, const Worker& worker) = 0;
  std::atomic<const BasicBlock*> blocks_{nullptr};
  std::atomic<bool> settled_{false};
};

/// Writes what compiled code has left of a warp that waits at a barrier: of registers that are a line it stores lane
/// 0's word alone. Who reads the registers of a warp that waits asks for this first.
void settle_registers(const Warp& warp);

}  // namespace gpulab::simt
