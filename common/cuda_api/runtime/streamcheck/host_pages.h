#pragma once
// Pages of pinned memory that operations which may still be under way read or write: they are closed to the host's own
// code, or to its writes, so that an access is seen. What it means is judged elsewhere, by its bytes.

#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda_api/ordering/operations.h"
#include "common/simt/observers/touched/byte_ranges.h"

namespace gpulab::cuda_api {

class HostPages {
 public:
  /// Of one more operation, and of all that are left. `pinned`: memory with pages of its own.
  void add(const Operation& operation, const simt::ByteRanges& pinned);
  void clear() {
    unprotect();
    written_.clear(), read_.clear();
  }

  /// Around what the runtime itself does: calls may call each other, and the program's functions are called back.
  void open();
  void close();
  void call_back();
  void return_from_callback();

  /// A page that is closed to such an access.
  [[nodiscard]] bool is_closed(std::uint64_t address, bool writes) const;
  /// Until close_again().
  void open_page(std::uint64_t address);
  void close_again();

  /// A system call has this memory: it stays open until it is given back.
  void lend(std::uint64_t address, std::uint64_t bytes);
  void give_back(std::uint64_t address, std::uint64_t bytes);

 private:
  void protect();
  void unprotect();
  simt::ByteRanges written_, read_;  ///< whole pages that are closed, and closed to writes
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lent_;
  std::vector<int> depths_{0};  ///< of calls, for each callback that runs; 0: the program's own code runs
  bool protected_ = false;
};

}  // namespace gpulab::cuda_api
