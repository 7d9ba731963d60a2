#pragma once
// What a step does, in a sentence without its subject ("loads from shared memory: …"): made here once, for the page and
// for the terminal. Numbers that differ from step to step stand apart, so that many steps share a sentence.

#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/decode/program.h"
#include "common/simt/observers/trace/site_facts.h"
#include "common/trace/step_trace.h"

namespace gpulab::simt {

struct Sentence {
  std::string text;                ///< "{}" stands for the next of `args`
  std::vector<std::int64_t> args;  ///< in their order
};

/// How far a barrier's warps have come.
struct BarrierState {
  std::uint32_t number = 0;
  std::uint32_t come = 0, all = 0;  ///< warps that are there; that have lanes which have not exited
  bool waits = false;               ///< the warp itself
};

struct StepFacts {
  const Program* program = nullptr;
  std::uint32_t site = 0;
  const std::vector<SiteFacts>* sites = nullptr;
  std::uint32_t active = 0;  ///< lanes that come to the instruction
  std::uint32_t lanes = 0;   ///< of them, those that execute it
  std::uint32_t joined = 0;  ///< of the active ones, those that were elsewhere at the warp's step before
  std::uint32_t live = 0, waiting = 0;
  const StepAccess* access = nullptr;  ///< null: it accesses no memory that is followed
  std::uint64_t address = 0;
  const StepArray* array = nullptr;  ///< that the access lies in; null: none, or several
  BarrierState barrier{};
};

[[nodiscard]] Sentence sentence_of(const StepFacts& step);
/// "all 32 lanes", "lanes 0–15", "lane 3", "lanes 0, 2 … 30 (every 2nd)".
[[nodiscard]] std::string lanes_text(std::uint32_t mask);

}  // namespace gpulab::simt
