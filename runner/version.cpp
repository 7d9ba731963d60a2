#include "runner/version.h"

namespace gpulab {

std::string_view version() { return GPULAB_VERSION; }

}  // namespace gpulab
