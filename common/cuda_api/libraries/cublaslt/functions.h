#pragma once
// For the wrappers: all functions that are here have NVIDIA's names themselves.

#include <cublasLt.h>

namespace gpulab::cublaslt {}
