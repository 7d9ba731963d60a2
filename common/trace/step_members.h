#pragma once
// How the steps of `gpulab trace` travel from one process to another: members(value, visit) calls `visit` with all
// members. The structured bindings name every one: a struct that gains one does not compile until it travels, too.

#include "common/trace/step_trace.h"
#include "common/trace/trace_window.h"

namespace gpulab {

inline void members(TraceWindow& v, auto&& visit) {
  auto& [blocks, warps, from, events, launch] = v;
  visit(blocks, warps, from, events, launch);
}
inline void members(StepRegister& v, auto&& visit) {
  auto& [name, type, variable] = v;
  visit(name, type, variable);
}
inline void members(StepSite& v, auto&& visit) {
  auto& [line, ptx_line, results, stored] = v;
  visit(line, ptx_line, results, stored);
}
inline void members(StepAccess& v, auto&& visit) {
  auto& [space, load, store, atomic, width, mask, relative, sectors, distinct, wavefronts, ideal] = v;
  visit(space, load, store, atomic, width, mask, relative, sectors, distinct, wavefronts, ideal);
}
inline void members(TraceStep& v, auto&& visit) {
  auto& [site, warp, active, off, live, waiting, then_live, then_waiting, text, first_arg, access, address, values,
         issued, waited, stall] = v;
  visit(site, warp, active, off, live, waiting, then_live, then_waiting, text, first_arg, access, address, values,
        issued, waited, stall);
}
inline void members(StepWarp& v, auto&& visit) {
  auto& [block, index, warp, lanes] = v;
  visit(block, index, warp, lanes);
}
inline void members(StepArray& v, auto&& visit) {
  auto& [name, shared, address, bytes] = v;
  visit(name, shared, address, bytes);
}
inline void members(StepTrace& v, auto&& visit) {
  auto& [kernel, file, launch, launches, grid, block, shared, debug, from, seen, all_warps, ended, warps, sites, arrays,
         steps, accesses, texts, args, values, not_timed] = v;
  visit(kernel, file, launch, launches, grid, block, shared, debug, from, seen, all_warps, ended, warps, sites, arrays,
        steps, accesses, texts, args, values, not_timed);
}
}  // namespace gpulab
