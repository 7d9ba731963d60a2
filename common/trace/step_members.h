#pragma once
// How the steps of `gpulab trace` travel from one process to another: the members of their structs. The structured
// bindings name every one: a struct that gains one does not compile until it travels, too.

#include <tuple>

#include "common/trace/step_trace.h"
#include "common/trace/trace_window.h"

namespace gpulab {

inline auto members(TraceWindow& v) {
  auto& [blocks, warps, from, events, launch] = v;
  return std::tie(blocks, warps, from, events, launch);
}
inline auto members(StepRegister& v) {
  auto& [name, type, variable] = v;
  return std::tie(name, type, variable);
}
inline auto members(StepSite& v) {
  auto& [line, ptx_line, results, stored] = v;
  return std::tie(line, ptx_line, results, stored);
}
inline auto members(StepAccess& v) {
  auto& [space, load, store, atomic, width, mask, relative, sectors, distinct, wavefronts, ideal] = v;
  return std::tie(space, load, store, atomic, width, mask, relative, sectors, distinct, wavefronts, ideal);
}
inline auto members(TraceStep& v) {
  auto& [site, warp, active, off, live, waiting, then_live, then_waiting, text, first_arg, access, address, values,
         issued, waited, stall] = v;
  return std::tie(site, warp, active, off, live, waiting, then_live, then_waiting, text, first_arg, access, address,
                  values, issued, waited, stall);
}
inline auto members(StepWarp& v) {
  auto& [block, index, warp, lanes] = v;
  return std::tie(block, index, warp, lanes);
}
inline auto members(StepArray& v) {
  auto& [name, shared, address, bytes] = v;
  return std::tie(name, shared, address, bytes);
}
inline auto members(StepTrace& v) {
  auto& [kernel, file, launch, launches, grid, block, shared, debug, from, seen, all_warps, ended, warps, sites, arrays,
         steps, accesses, texts, args, values, not_timed] = v;
  return std::tie(kernel, file, launch, launches, grid, block, shared, debug, from, seen, all_warps, ended, warps,
                  sites, arrays, steps, accesses, texts, args, values, not_timed);
}
}  // namespace gpulab
