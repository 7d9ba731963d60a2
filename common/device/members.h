#pragma once
// How what a launch gives travels from one process to another, a worker's (runner/execution/wire.cpp) or a program's
// (common/cuda_api/record.cpp): members(value, visit) calls `visit` with all members. The structured bindings name
// every one: a struct that gains one does not compile until it travels, too.

#include "common/dim3.h"
#include "common/finding.h"
#include "common/line_counts.h"
#include "common/simt/timing/modelled_time.h"

namespace gpulab {

inline void members(Dim3& v, auto&& visit) {
  auto& [x, y, z] = v;
  visit(x, y, z);
}
inline void members(FindingSite& v, auto&& visit) {
  auto& [file, line, access, block, thread, address] = v;
  visit(file, line, access, block, thread, address);
}
inline void members(Finding& v, auto&& visit) {
  auto& [tool, severity, message, count, at, kernel, reach, unchecked] = v;
  visit(tool, severity, message, count, at, kernel, reach, unchecked);
}
inline void members(LineCounts& v, auto&& visit) {
  auto& [line, phase, executions, counters] = v;
  visit(line, phase, executions, counters);
}
inline void members(LineAccess& v, auto&& visit) {
  auto& [line, ptx_line, instruction, shared, load, store, atomic, width, mask, addresses, sectors, distinct,
         wavefronts, ideal, same] = v;
  visit(line, ptx_line, instruction, shared, load, store, atomic, width, mask, addresses, sectors, distinct, wavefronts,
        ideal, same);
}
inline void members(IdleLanes& v, auto&& visit) {
  auto& [line, branch, slots, warps] = v;
  visit(line, branch, slots, warps);
}
inline void members(LineTime& v, auto&& visit) {
  auto& [line, issue, memory, shared, barrier, result] = v;
  visit(line, issue, memory, shared, barrier, result);
}
inline void members(WhatIf& v, auto&& visit) {
  auto& [line, kind, ms] = v;
  visit(line, kind, ms);
}
inline void members(LaunchTime& v, auto&& visit) {
  auto& [ms, kernel_ms, lines, what_ifs, in_float, more_resident] = v;
  visit(ms, kernel_ms, lines, what_ifs, in_float, more_resident);
}
inline void members(LineDoubles& v, auto&& visit) {
  auto& [line, instructions] = v;
  visit(line, instructions);
}
inline void members(LaunchLines& v, auto&& visit) {
  auto& [kernel, file, text, ptx, grid, block, phases, counters, lines, accesses, idle, doubles, leaves_nothing, time] =
      v;
  (void)text;  // a view of what lives elsewhere: who sends a launch sends its text apart
  visit(kernel, file, ptx, grid, block, phases, counters, lines, accesses, idle, doubles, leaves_nothing, time);
}
inline void members(WarpTime& v, auto&& visit) {
  auto& [issue, memory, shared, barrier, result] = v;
  visit(issue, memory, shared, barrier, result);
}
inline void members(ModelledTime& v, auto&& visit) {
  auto& [gpu, validated, ms, kernels, low, high, bound, no_ground, issue, fp32, shared, l1, l2, dram, atomics, sms,
         waves, tail, sm, achieved, warps] = v;
  visit(gpu, validated, ms, kernels, low, high, bound, no_ground, issue, fp32, shared, l1, l2, dram, atomics, sms,
        waves, tail, sm, achieved, warps);
}

}  // namespace gpulab
