#pragma once
// What a kernel has changed of managed memory is the host's to read once it has waited. Here a kernel has ended when
// its launch returns, so that a program without the wait works: the pages that it changed are closed to the host until
// it waits, and an access is told (and then let through).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda_api/runtime/memory_table.h"

namespace gpulab::cuda_api {

class ManagedWatch {
 public:
  /// From now on.
  void start() { on_ = some_are_closed_ = true; }
  [[nodiscard]] static bool on() { return on_; }
  /// Somebody else closes pages, too (streamcheck/host_pages.h).
  static void expect_closed_pages() { some_are_closed_ = true; }

  /// Around a launch.
  void before(const MemoryTable& memory);
  void after(const std::string& kernel, std::uint64_t launch);
  /// Around what the runtime itself does with memory.
  void open();
  void close();
  /// The host has waited.
  void forget() { closed_.clear(); }

  /// Memory that was closed when the host came to it.
  struct Access {
    std::string kernel, name;
    std::uint64_t launch = 0;
    std::size_t bytes = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> changed;  ///< by the kernel: first and behind the last
    [[nodiscard]] bool is_changed(std::uint64_t address, std::uint64_t bytes) const;
  };
  /// Opens what the host is about to reach, one allocation of it; nothing where nothing of it is closed.
  std::optional<Access> reached(std::uint64_t address, std::uint64_t bytes);
  /// The host's kernel (of its operating system) is about to use this memory: it stays open until release(), which
  /// takes the same.
  void lend(std::uint64_t address, std::uint64_t bytes) { lent_.emplace_back(address, bytes); }
  void release(std::uint64_t address, std::uint64_t bytes);
  /// False: nothing there is ever closed. Asked without the session's lock, by each call that lends memory.
  [[nodiscard]] static bool may_be_closed(std::uint64_t address, std::uint64_t bytes);

 private:
  struct Copy {
    std::uint64_t address = 0;
    std::string name;
    std::vector<std::byte> bytes;
  };
  static inline std::atomic<bool> on_ = false, some_are_closed_ = false;
  int depth_ = 0;  ///< calls may call each other
  std::vector<Copy> copies_;
  std::map<std::uint64_t, Access> closed_;                     ///< by address
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lent_;  ///< address and bytes
};

/// "the host reads 'cudaMallocManaged #1', which launch 2, …": `tried` is its verb.
[[nodiscard]] std::string in_words(const ManagedWatch::Access& access, const char* tried);

}  // namespace gpulab::cuda_api
