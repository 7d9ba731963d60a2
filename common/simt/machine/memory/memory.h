#pragma once
// Global memory of the simulator: allocations with address ranges of their own, never reused, unmapped between. The
// freed ones that were made last are remembered, so that an access to them is told by name.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/machine/memory/texture.h"
#include "common/simt/machine/memory/windows.h"

namespace gpulab::simt {

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;  ///< nullptr once freed: use after free is found by address
  std::uint64_t mapped = 0;   ///< bytes of pages of its own; 0: the host heap's
  std::uint32_t index = 0;    ///< no other one's that is remembered
  bool of_heap = false;       ///< malloc's: kernels may free it
  bool foreign = false;       ///< the host's own pages, which stay when it is released
  int gpu = -1;               ///< whose memory it is, where there are several GPUs; -1: all reach it
  std::uint64_t hidden = 0;   ///< its bytes, while the GPU that works may not reach it: `bytes` is 0 then
  std::string name;
};
/// The host sees the bytes at the same address, and may change them without anybody's knowledge: managed memory, or
/// its own.
[[nodiscard]] inline bool is_of_host(const Allocation& allocation) {
  return reinterpret_cast<std::uint64_t>(allocation.host) == allocation.address;
}

class GlobalMemory {
 public:
  GlobalMemory() = default;
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;
  ~GlobalMemory();
  /// Throws std::bad_alloc when the host has no memory. Contents are indeterminate (zero pages at first).
  std::uint64_t allocate(std::string_view name, std::uint64_t bytes);
  /// The same for many small ones, which share the host's pages. Contents are arbitrary, the same in every run.
  std::uint64_t allocate_small(std::string_view name, std::uint64_t bytes, bool of_heap = false);
  /// The same where the host sees the bytes, too, at the same address (managed memory). Zeros at first.
  std::uint64_t allocate_shared(std::string_view name, std::uint64_t bytes);
  /// Pages that the host has already become an allocation at their own address, until it is released. Throws
  /// std::invalid_argument where some of the bytes belong to one.
  void adopt(std::string_view name, std::byte* host, std::uint64_t bytes);
  /// The allocation's pages become those of a file, as they are, which other processes may map. False: it has none of
  /// its own, or the file cannot be that long (errno).
  [[nodiscard]] bool share(std::uint64_t address, int file);
  /// The allocation that begins there is this GPU's.
  void give_to(std::uint64_t address, int gpu);
  /// Of several GPUs `gpu` works until show_all(): it reaches no memory of another one's that `reaches` is false for.
  void hide_from(int gpu, const std::function<bool(int)>& reaches);
  void show_all();
  /// Throws std::invalid_argument if `address` is not the start of a live allocation.
  void release(std::uint64_t address);
  /// Forgets the freed allocations but for the `remembered` made last; returns their indices, which are given to new
  /// ones. Between launches, or where those who keep what they looked up are told (heap_free): they point to it.
  std::vector<std::uint32_t> forget_freed(std::size_t remembered);
  /// The live or freed allocation that `address` lies in (or right behind), nullptr if none.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const;
  /// The allocation nearest below `address`, for messages; nullptr if none.
  [[nodiscard]] const Allocation* nearest(std::uint64_t address) const;
  /// The same where an index may have led so far beyond its end: who is farther away means another's memory (the
  /// host's).
  [[nodiscard]] const Allocation* overrun(std::uint64_t address) const;
  /// The allocation that begins above `address` where that is nearer to it than the end of the one below, for messages:
  /// in[-3] lies in front of `in`. nullptr if none.
  [[nodiscard]] const Allocation* in_front_of(std::uint64_t address) const;
  /// Host memory of [address, address + bytes), nullptr where that is not inside one live allocation.
  [[nodiscard]] std::byte* host(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Allocation>>& allocations() const { return allocations_; }
  /// The GPU that works, where there are several.
  [[nodiscard]] int working() const { return working_; }
  /// Of textures and surfaces that lie in this memory.
  [[nodiscard]] TextureTable& textures() { return textures_; }

 private:
  std::uint64_t add(std::string_view name, std::uint64_t bytes, std::byte* host, std::uint64_t mapped);
  std::unique_ptr<Allocation> made(std::string_view name, std::uint64_t address, std::uint64_t bytes, std::byte* host);
  void insert(std::unique_ptr<Allocation> allocation);
  std::vector<std::unique_ptr<Allocation>> allocations_;  ///< sorted by address
  std::vector<std::uint32_t> free_indices_;
  std::size_t freed_ = 0;  ///< of allocations_
  std::uint64_t next_ = kGlobalStart;
  int working_ = 0;                                         ///< of several GPUs
  std::vector<std::pair<Allocation*, std::byte*>> hidden_;  ///< and where they lie
  TextureTable textures_;
};

/// Which 32-byte sectors of each allocation a launch has touched; one per worker, merged at the end. Kernels that
/// launch kernels make one for each of them: what there is at the launch has its bits in one piece of memory.
class FootprintMap {
 public:
  void prepare(const GlobalMemory& memory);
  /// Room for an allocation that a kernel has made.
  void add(const Allocation& allocation);
  /// An allocation is forgotten, and its index will be another's: what was counted of it stays.
  void index_freed(std::uint32_t allocation);
  [[nodiscard]] std::uint64_t* loaded(std::uint32_t allocation) { return places_[allocation].loaded; }
  [[nodiscard]] std::uint64_t* stored(std::uint32_t allocation) { return places_[allocation].stored; }
  /// Of `loaded` and `stored`: a bit for each sector.
  [[nodiscard]] std::size_t words(std::uint32_t allocation) const {
    return allocation < places_.size() ? places_[allocation].words : 0;
  }
  void merge(const FootprintMap& other);
  [[nodiscard]] std::uint64_t bytes(bool stored) const;

  /// Where loaded() and stored() lie, by allocation: for compiled code, which reads the table at kPlaces of this
  /// object.
  struct Places {
    std::uint64_t *loaded = nullptr, *stored = nullptr;
    std::size_t words = 0;  ///< of each
  };
  static constexpr std::size_t kPlaces = 0;

 private:
  void place(std::uint32_t allocation, std::uint64_t* bits, std::size_t words);

  const Places* table_ = nullptr;  ///< of places_; the first member
  std::vector<Places> places_;
  std::vector<std::uint64_t> bits_;                ///< of all that prepare() saw
  std::vector<std::vector<std::uint64_t>> added_;  ///< of those that add() has made room for, by allocation
  std::uint64_t before_[2] = {0, 0};               ///< sectors loaded, stored, of allocations that are forgotten
};

}  // namespace gpulab::simt
