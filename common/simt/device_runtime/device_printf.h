#pragma once
// Device printf: the format string and the packed arguments that nvcc hands to vprintf, made into text.

#include <cstdint>
#include <functional>
#include <string>

namespace gpulab::simt {

/// Copies `bytes` bytes from a device address; false: there are none, and `to` is as it was.
using DeviceText = std::function<bool(std::uint64_t address, void* to, std::size_t bytes)>;

/// A zero-terminated string in device memory, cut at 64 KiB; "(null)" for a bad address. `refused`, if there is one: is
/// told of the first byte that cannot be read.
using Refused = std::function<void(std::uint64_t address)>;
[[nodiscard]] std::string device_string(const DeviceText& read, std::uint64_t address, const Refused& refused = {});

/// Appends the text to `out`. Arguments lie at `values` in C's promoted types, each aligned to its size. Returns what
/// CUDA's printf does: the number of arguments, -1 for a format that cannot be read (CUDA C++ Programming Guide,
/// Formatted Output). `refused`: of a string for %s; a null pointer is shown as "(null)", any other bad one is a fault
/// of the kernel (an H200 does both).
std::int32_t device_printf(std::string& out, const DeviceText& read, std::uint64_t format, std::uint64_t values,
                           const Refused& refused = {});

}  // namespace gpulab::simt
