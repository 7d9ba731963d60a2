#pragma once
// For the wrappers: all functions that are here have NVIDIA's names themselves.

#include <cufft.h>
#include <cufftXt.h>

namespace gpulab::cufft {}
