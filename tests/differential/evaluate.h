#pragma once
#include <cstddef>
#include <vector>

#include "tests/differential/program.h"

namespace gpulab::differential {

/// What a launch of a program's kernel reads and writes.
struct Buffers {
  std::vector<std::uint64_t> init;  ///< kWordsOut words per thread, word by word
  std::vector<std::byte> input;     ///< kInputBytes
  std::vector<std::byte> own;       ///< kOwnBytes per thread, then kRows rows of 16 bytes per thread
  std::vector<std::byte> counters;  ///< kCounterBytes
  std::vector<std::uint64_t> out;   ///< as init
  bool operator==(const Buffers&) const = default;
};

/// What every launch of a program starts from, by its seed.
[[nodiscard]] Buffers initial_buffers(const Program& program);

/// The buffers after the program: each thread by itself, one statement after another; nothing of the simulator's but
/// the arithmetic of some instructions (arithmetic.h).
[[nodiscard]] Buffers evaluate(const Program& program, const InstructionPool& pool);

/// FNV-1a over everything that a launch may change.
[[nodiscard]] std::uint64_t hash_of(const Buffers& buffers);

}  // namespace gpulab::differential
