#pragma once
#include <string>

namespace gpulab {

/// One line of `gpulab doctor`: whether something is here that gpulab can use.
struct SystemCheck {
  enum class State { good, absent, note } state;  ///< note: it is not here, and gpulab does without
  std::string name, finding, mend;                ///< mend: what to do; empty where there is nothing to do
};

}  // namespace gpulab
