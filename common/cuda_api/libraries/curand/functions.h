#pragma once
// For the wrappers: all functions that are here have NVIDIA's names themselves.

#include <curand.h>

namespace gpulab::curand {}
