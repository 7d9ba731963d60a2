#pragma once
// What a kernel has changed of managed memory is the host's to read once it has waited. Here a kernel has ended when
// its launch returns, so that a program without the wait works: the pages that it changed are closed to the host until
// it waits, and an access is told (and then let through).

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
  bool on = false;

  /// Around a launch.
  void before(const MemoryTable& memory);
  void after(const std::string& kernel, std::uint64_t launch);
  /// Around what the runtime itself does with memory.
  void open();
  void close();
  /// The host has waited.
  void forget() { closed_.clear(); }

  struct Access {
    std::string kernel, name;
    std::uint64_t launch = 0;
    bool changed = false;  ///< by the kernel, at that place
  };
  /// Opens what lies at an address that the host could not reach; nothing where it is not ours.
  std::optional<Access> reached(std::uint64_t address);

 private:
  struct Copy {
    std::uint64_t address = 0;
    std::string name;
    std::vector<std::byte> bytes;
  };
  struct Closed {
    std::string kernel, name;
    std::uint64_t launch = 0;
    std::size_t bytes = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> changed;  ///< first and behind the last
  };
  int depth_ = 0;  ///< calls may call each other
  std::vector<Copy> copies_;
  std::map<std::uint64_t, Closed> closed_;  ///< by address
};

}  // namespace gpulab::cuda_api
