#pragma once
// For the wrappers: all functions that are here have NVIDIA's names themselves.

#include <cusparse.h>

namespace gpulab::cusparse {}
