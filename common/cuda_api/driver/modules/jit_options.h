#pragma once
// Options of those who load or link PTX: where its compiler's words go.

#include <cuda.h>

#include <cstddef>
#include <string_view>

namespace gpulab::cuda_api {

class JitOptions {
 public:
  JitOptions() = default;
  JitOptions(unsigned count, const CUjit_option* options, void** values);

  /// What could not be compiled, or linked, and why.
  void tell_error(std::string_view text) const { errors_.take(text); }
  void tell(std::string_view text) const { infos_.take(text); }
  /// The time that it took goes to whoever asked.
  void tell_time() const;

 private:
  struct Log {
    char* buffer = nullptr;
    void** size = nullptr;  ///< where its bytes are counted
    std::size_t bytes = 0;
    void take(std::string_view text) const;
  };
  Log errors_, infos_;
  void** time_ = nullptr;
};

}  // namespace gpulab::cuda_api
