#pragma once
// Gathers what a launch touches while it runs: a bit for each byte, ranges at its end.

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/warp.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/shadows/init_shadow.h"
#include "common/simt/observers/touched/touched_bytes.h"

namespace gpulab::simt {

class TouchRecorder {
 public:
  /// From now on. Nothing has been touched yet.
  void keep(Touches which) {
    which_ = which;
    left_out_ = 0;
    forget();
  }
  [[nodiscard]] bool is_on() const { return which_ != Touches::none; }
  /// Since keep(); keeps no more. Nothing where it was too much: whoever knows a part would not know what is missing.
  [[nodiscard]] TouchedBytes take();

  /// The access that the observers are being told of.
  void access(Locator& locator);
  /// By a call of the device runtime, a copy or a fill.
  void written(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes);
  /// What nobody shares: of cooperative groups.
  void leave_out(std::uint64_t address);
  /// An allocation is no more: another one may have its index.
  void index_freed(std::uint32_t allocation) { touched_.erase(allocation), last_ = nullptr; }

 private:
  enum Kind : std::uint8_t { read, write, atomic, kinds };
  struct Touched {
    const Allocation* allocation = nullptr;
    bool is_wanted = false, of_host = false;
    std::unique_ptr<InitShadow> bytes[kinds];
  };
  void forget() { touched_.clear(), last_ = nullptr; }
  Touched& of(const Allocation& allocation);
  static InitShadow& bytes_of(Touched& touched, Kind kind);
  void access_each(Locator& locator, Kind kind);

  Touches which_ = Touches::none;
  std::uint64_t left_out_ = 0;
  std::unordered_map<std::uint32_t, Touched> touched_;  ///< by Allocation::index
  Touched* last_ = nullptr;
};

}  // namespace gpulab::simt
