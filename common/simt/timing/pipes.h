#pragma once
// The pipes of an SM's four partitions: when each is free again, and how long all have been busy.

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/simt/timing/code/code.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/sm.h"

namespace gpulab::simt {

inline constexpr std::uint32_t kPartitions = 4;

class Pipes {
 public:
  Pipes(const GpuTiming& gpu, SmResult& result) : gpu_(gpu), result_(result) {}

  [[nodiscard]] double& free_at(Pipe pipe, std::uint32_t partition) {
    return free_[partition][static_cast<std::size_t>(pipe)];
  }
  /// The pipe that takes an instruction which either of two may take.
  [[nodiscard]] Pipe freer(Pipe pipe, std::uint32_t partition) {
    if (pipe != Pipe::fp32 && pipe != Pipe::add) return pipe;
    if (gpu_.fp32_halves() == 1) return pipe == Pipe::fp32 ? Pipe::heavy : Pipe::alu;
    const Pipe other = pipe == Pipe::fp32 ? Pipe::lite : Pipe::alu;
    return free_at(other, partition) <= free_at(Pipe::heavy, partition) ? other : Pipe::heavy;
  }

  void occupy(const InstructionCost& cost, Pipe pipe, std::uint32_t partition, double at) {
    busy(pipe, partition, at, cost.cycles);
    if (cost.pipe == Pipe::add)
      for (std::uint32_t i = 1; i < cost.issue; ++i) busy(freer(Pipe::add, partition), partition, at, cost.cycles);
  }

 private:
  void busy(Pipe pipe, std::uint32_t partition, double at, double cycles) {
    double& free = free_at(pipe, partition);
    if (pipe == Pipe::fp64) cycles *= gpu_.fp64_slower;
    free = std::max(free, at) + cycles;
    cycles /= kPartitions;
    switch (pipe) {
      case Pipe::heavy:
      case Pipe::lite:
        result_.fma += cycles / gpu_.fp32_halves();
        break;
      case Pipe::alu:
        result_.alu += cycles;
        break;
      case Pipe::fp64:
        result_.fp64 += cycles;
        break;
      case Pipe::special:
        result_.special += cycles;
        break;
      case Pipe::tensor:
        result_.tensor += cycles;
        break;
      default:
        break;
    }
  }

  const GpuTiming& gpu_;
  SmResult& result_;
  std::array<std::array<double, kPipes>, kPartitions> free_{};
};

}  // namespace gpulab::simt
