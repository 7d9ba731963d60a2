#include "common/simt/machine/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/demangle.h"
#include "common/simt/decode/program.h"
#include "common/simt/device_runtime/builtins.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/divergence.h"
#include "common/simt/machine/faults.h"
#include "common/simt/machine/memory/local_memory.h"
#include "common/simt/machine/stack_limit.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

namespace {

/// What recursion may save of registers, on one CPU thread: 128 MiB.
constexpr std::uint64_t kMostSavedBytes = 128 << 20;

std::uint64_t saved_bytes(const Reconvergence::Saved& saved) {
  return saved.slots.size() * sizeof(Slot) + saved.preds.size() * sizeof(std::uint32_t);
}

void save_registers(Warp& w, const MicroOp* op, std::uint32_t function, Reconvergence& point) {
  const FunctionInfo& info = w.program->functions[function];
  if (!info.recursive) return;
  std::uint64_t& all = w.worker->saved_register_bytes;
  all += (info.slot_end - info.first_slot) * sizeof(Slot) + (info.pred_end - info.first_pred) * sizeof(std::uint32_t);
  if (all > kMostSavedBytes)
    fault(w, op, __builtin_ctz(w.mask),
          fmt::format("stack overflow: registers of the calls that have not returned take more than {} bytes",
                      kMostSavedBytes),
          "recursion this deep needs another algorithm");
  point.saved.push_back({function,
                         {w.regs + info.first_slot, w.regs + info.slot_end},
                         {w.preds + info.first_pred, w.preds + info.pred_end}});
}

/// Restores the saved registers of `lanes` alone: other lanes of the warp may be elsewhere in the same function.
void restore_registers(Warp& w, const Reconvergence::Saved& saved, std::uint32_t lanes) {
  const FunctionInfo& info = w.program->functions[saved.function];
  const auto* from = reinterpret_cast<const std::byte*>(saved.slots.data());
  auto* to = reinterpret_cast<std::byte*>(w.regs + info.first_slot);
  const std::size_t narrow_bytes = (info.wide_slot - info.first_slot) * sizeof(Slot);
  const std::size_t all_bytes = (info.slot_end - info.first_slot) * sizeof(Slot);
  const auto restore = [&](std::size_t begin, std::size_t end, std::size_t width) {
    for (std::size_t row = begin; row + kLanes * width <= end; row += kLanes * width)
      for (std::uint32_t left = lanes; left; left &= left - 1) {
        const std::size_t at = row + static_cast<std::size_t>(__builtin_ctz(left)) * width;
        std::memcpy(to + at, from + at, width);
      }
  };
  restore(0, narrow_bytes, 4);
  restore(narrow_bytes, all_bytes, 8);
  for (std::size_t i = 0; i < saved.preds.size(); ++i) {
    std::uint32_t& pred = w.preds[info.first_pred + i];
    pred = (pred & ~lanes) | (saved.preds[i] & lanes);
  }
}

/// Local frame of whatever this call calls.
std::uint32_t callee_frame(const Warp& w, const CallInfo& call) {
  return w.local_base + w.program->functions[call.caller].frame_bytes;
}

/// Makes the point where the running split's lanes meet behind the call.
std::int32_t begin_call(Warp& w, const MicroOp* op) {
  const std::int32_t index = new_reconvergence(w);
  Reconvergence& r = point_of(w, index);
  r.block = kNoBlock;
  r.expected = w.mask;
  r.parent = running_split(w).reconvergence;
  r.call = op->imm;
  r.local_base = w.local_base;
  return index;
}

/// Passes arguments to a callee for some lanes and saves its registers if it may be active already.
void enter_function(Warp& w, const MicroOp* op, const CallInfo& call, std::uint32_t callee, std::int32_t point,
                    std::uint32_t lanes) {
  const FunctionInfo& info = w.program->functions[callee];
  const std::uint32_t frame = callee_frame(w, call);
  if (frame + info.frame_bytes > w.local_bytes)
    fault(w, op, __builtin_ctz(lanes),
          fmt::format("stack overflow: {} bytes of local memory are used up", w.local_bytes),
          "recursion this deep needs another algorithm");
  if (const StackLimit* limit = w.block->launch.stack) check_stack(w, op, callee, point, lanes, *limit);
  if (call.arguments.size() != info.parameters.size())
    fault(w, op, __builtin_ctz(lanes), "call with a wrong number of arguments");
  point_of(w, point).callee = callee;
  save_registers(w, op, callee, point_of(w, point));
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    copy_local(w, lanes, frame + info.parameters[i].first, w.local_base + call.arguments[i].first,
               std::min(call.arguments[i].second, info.parameters[i].second));
}

/// The function whose address this is; faults if there is none.
std::uint32_t function_at(Warp& w, const MicroOp* op, std::uint64_t address) {
  const auto& numbers = w.program->function_numbers;
  const std::size_t function = function_of_address(address);
  if (function < numbers.size() && numbers[function] > 0) return static_cast<std::uint32_t>(numbers[function]);
  fault(w, op, __builtin_ctz(w.mask), fmt::format("call of address {:#x}, where no function is", address),
        "is the function pointer set?");
}

/// A function that no module defines, for the active lanes.
void call_builtin(Warp& w, const MicroOp* op, const CallInfo& call) {
  if (!call.builtin) {
    const std::string name = demangle(call.site->target.name);
    if (name != call.site->target.name)  // C++: none of the toolkit's
      fault(w, op, __builtin_ctz(w.mask),
            fmt::format("the device function {} is declared, and no file of the program defines it", name),
            "compile the file that has it with -rdc=true, too, and link both by nvcc");
    fault(w, op, __builtin_ctz(w.mask),
          fmt::format("the device function '{}' is not implemented by the simulator", call.site->target.name));
  }
  constexpr std::uint64_t of_a_lane = 4;  // warp instructions that take as long as what each lane asks for, at least
  charge_work(w, of_a_lane * active_count(w.mask));
  call.builtin->run(w, op, call);
}

/// The running split goes on with `lanes` at the entry of `callee`.
const MicroOp* go_into(Warp& w, std::uint32_t callee, std::int32_t point, std::uint32_t lanes, std::uint32_t frame) {
  Split& split = running_split(w);
  split.mask = lanes;
  split.reconvergence = point;
  split.local_base = w.local_base = frame;
  w.stop_block = kNoBlock;
  if (w.mask != lanes) set_mask(w, lanes);
  return enter(w, w.program->functions[callee].entry_block);
}

}  // namespace

const MicroOp* call_function(Warp& w, const MicroOp* op) {
  const CallInfo& call = w.program->calls[static_cast<std::size_t>(op->imm)];
  if (call.callee < 0) {
    call_builtin(w, op, call);
    return enter(w, call.return_block);
  }
  const auto callee = static_cast<std::uint32_t>(call.callee);
  const std::int32_t point = begin_call(w, op);
  enter_function(w, op, call, callee, point, w.mask);
  return go_into(w, callee, point, w.mask, callee_frame(w, call));
}

const MicroOp* call_indirect(Warp& w, const MicroOp* op, const std::uint64_t* addresses) {
  const CallInfo& call = w.program->calls[static_cast<std::size_t>(op->imm)];
  const std::int32_t point = begin_call(w, op);
  std::uint32_t left = w.mask, first_lanes = 0, first_callee = 0;
  const std::uint32_t frame = callee_frame(w, call);
  while (left) {
    const std::uint64_t address = addresses[__builtin_ctz(left)];
    const std::uint32_t callee = function_at(w, op, address);
    std::uint32_t lanes = 0;
    for (std::uint32_t rest = left; rest; rest &= rest - 1)
      if (addresses[__builtin_ctz(rest)] == address) lanes |= rest & (0u - rest);
    left &= ~lanes;
    enter_function(w, op, call, callee, point, lanes);
    if (!first_lanes) {
      first_lanes = lanes;
      first_callee = callee;
      continue;
    }
    Split other;
    other.mask = lanes;
    other.block = w.program->functions[callee].entry_block;
    other.reconvergence = point;
    other.local_base = frame;
    w.splits.push_back(other);
  }
  return go_into(w, first_callee, point, first_lanes, frame);
}

std::uint32_t finish_call(Warp& w, Reconvergence& point) {
  const CallInfo& call = w.program->calls[static_cast<std::size_t>(point.call)];
  const std::uint32_t frame = point.local_base + w.program->functions[call.caller].frame_bytes;
  const auto& results = w.program->functions[point.callee].results;
  for (std::size_t i = 0; i < std::min(call.results.size(), results.size()); ++i)
    copy_local(w, point.arrived, point.local_base + call.results[i].first, frame + results[i].first,
               std::min(call.results[i].second, results[i].second));
  for (const auto& saved : point.saved) restore_registers(w, saved, point.arrived);
  return call.return_block;
}

void release_saved(Warp& w, Reconvergence& point) {
  if (point.saved.empty()) return;
  for (const auto& saved : point.saved) w.worker->saved_register_bytes -= saved_bytes(saved);
  point.saved = {};
}

bool return_from_call(Warp& w) {
  const std::uint32_t lanes = w.mask;
  const std::int32_t inner = running_split(w).reconvergence;
  std::int32_t call = inner;
  while (call >= 0 && point_of(w, call).call < 0) call = point_of(w, call).parent;
  if (call < 0) return false;
  remove_running(w);
  withdraw(w, inner, call, lanes);
  arrive_at(w, call, lanes);
  return true;
}

}  // namespace gpulab::simt
