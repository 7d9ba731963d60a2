#pragma once
// Dynamic shared arrays all begin at one place: of two that a kernel declares (`extern __shared__ float a[]` and
// `extern __shared__ int b[]`), each store to one changes the other (CUDA C++ Programming Guide, __shared__). Who uses
// them one after the other, or different parts of them, may mean that; who reads by one name what was last written by
// the other hardly does.

#include <cstdint>
#include <vector>

#include "common/simt/observers/accusations.h"
#include "common/simt/observers/block_states.h"
#include "common/simt/observers/locator.h"

namespace gpulab::simt {

class DynamicArrays {
 public:
  /// A grid starts; the locator knows which arrays its accesses mean. Of a kernel with one such array nothing is kept.
  void start(const LaunchState& launch, const Locator& locator);
  void block_started(const BlockContext& block) {
    if (!array_of_.empty()) words_.start(block);
  }
  void block_ended(const BlockContext& block) {
    if (!array_of_.empty()) words_.end(block);
  }
  /// The access that the locator has just found.
  void access(const Warp& warp, const MicroOp* op, const Locator& locator, Accusations& accusations);

 private:
  static constexpr std::uint8_t kNone = 0xff;
  /// Who wrote a word last, and by the name of which array: kNone, of none that is known.
  struct Word {
    std::uint32_t site = kNoSite, thread = 0;
    std::uint8_t array = kNone;
  };
  struct Words {
    explicit Words(const BlockContext& block) : of((block.warps[0].shared_bytes + 3) / 4) {}
    void restart(const BlockContext& block) { *this = Words(block); }
    std::vector<Word> of;
  };

  /// By site: which of Program::shared_variables it means; kNone: several, or no dynamic one.
  std::vector<std::uint8_t> array_of_;
  BlockStates<Words> words_;
};

}  // namespace gpulab::simt
