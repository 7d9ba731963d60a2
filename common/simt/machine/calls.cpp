#include "common/simt/machine/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/demangle.h"
#include "common/launch_error.h"
#include "common/simt/device_runtime/builtins.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

namespace {

/// Copies bytes of the active lanes between two places of their local memory.
void copy_frame(Warp& w, std::uint32_t lanes, std::uint32_t to, std::uint32_t from, std::uint32_t bytes) {
  for (; lanes; lanes &= lanes - 1) {
    std::byte* base = w.local + static_cast<std::size_t>(__builtin_ctz(lanes)) * w.local_stride;
    std::memmove(base + to, base + from, bytes);
  }
}

void save_registers(Warp& w, std::uint32_t function, Reconvergence& point) {
  const FunctionInfo& info = w.program->functions[function];
  if (!info.recursive) return;
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

struct Explanation {
  std::string what, hint;
};

/// "tile" of "matmul(float*)::tile", mangled.
std::string last_name(std::string_view mangled) {
  const std::string name = demangle(mangled);
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

/// Says of an address that is no good where it lies.
Explanation explain_address(const Warp& w, std::uint64_t address, std::uint32_t bytes) {
  if (address - kSharedWindow < w.shared_bytes)
    for (auto v = w.program->shared_variables.rbegin(); v != w.program->shared_variables.rend(); ++v)
      if (!v->dynamic && address - kSharedWindow >= v->offset && address - kSharedWindow + bytes > v->offset + v->bytes)
        return {fmt::format("at byte {} of '{}' in shared memory, which has {} bytes",
                            address - kSharedWindow - v->offset, last_name(v->name), v->bytes),
                "compare the index with the number of elements before the access"};
  if (address - kSharedWindow < kWindowBytes)
    return {
        fmt::format("at byte {} of shared memory, of which the block has {}", address - kSharedWindow, w.shared_bytes),
        "check the index, and the dynamic shared memory that the launch asks for"};
  if (address - kLocalWindow < kWindowBytes)
    return {
        fmt::format("at byte {} of local memory, of which the thread has {}", address - kLocalWindow, w.local_stride),
        "check the index of the local array; recursion may be too deep"};
  if (address < 4096) return {fmt::format("at the null address {:#x}", address), "is the pointer argument set?"};
  const Allocation* a = w.global->nearest(address);
  if (!a) return {fmt::format("at {:#x}, which belongs to no allocation", address), {}};
  const std::uint64_t offset = address - a->address;
  if (!a->host)
    return {fmt::format("at {:#x}: '{}' has been freed", address, a->name), "use memory only before it is freed"};
  if (offset + bytes > a->bytes)
    return {fmt::format("at {:#x}, byte {} of '{}', which has {} bytes", address, offset, a->name, a->bytes),
            "compare the index with the number of elements before the access"};
  return {fmt::format("at {:#x}, byte {} of '{}'", address, offset, a->name), {}};
}

}  // namespace

std::string thread_name(const Warp& w, int lane) {
  const Dim3 b = w.block->index, t = w.block->thread_of(w, lane);
  return fmt::format("block ({},{},{}), thread ({},{},{})", b.x, b.y, b.z, t.x, t.y, t.z);
}

void fault(Warp& w, const MicroOp* op, int lane, const std::string& what, const std::string& hint) {
  throw LaunchError(LaunchFailure::fault, fmt::format("{} in {}, {}", what, w.program->name, thread_name(w, lane)),
                    place_of(*w.program, op->site), hint);
}

void fault_access(Warp& w, const MicroOp* op, std::uint64_t address, int lane, std::uint32_t bytes,
                  const char* access) {
  const Explanation e = explain_address(w, address, bytes);
  w.block->launch.tell([&](Observer& observer) {
    observer.faulted(w, op, lane, address, fmt::format("{} of {} bytes {}", access, bytes, e.what));
  });
  if (address & (bytes - 1))
    fault(w, op, lane, fmt::format("misaligned {} of {} bytes {}", access, bytes, e.what),
          fmt::format("a {}-byte access needs an address that is a multiple of {}", bytes, bytes));
  fault(w, op, lane, fmt::format("out-of-bounds {} of {} bytes {}", access, bytes, e.what), e.hint);
}

void fault_trap(Warp& w, const MicroOp* op) {
  fault(w, op, __builtin_ctz(w.mask), fmt::format("{} instruction", w.program->sites[op->site].instruction->opcode));
}

void fault_message(Warp& w, const MicroOp* op, const char* what) { fault(w, op, __builtin_ctz(w.mask), what); }

void defer_atomic(Warp& w, std::byte* host, std::uint64_t value, void (*apply)(std::byte*, std::uint64_t)) {
  w.worker->log.atomics.push_back({host, value, apply});
}

void mark_far(Warp& w, const std::uint64_t* addresses, bool store) {
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const std::uint64_t address = addresses[__builtin_ctz(left)];
    const Allocation* a = w.global->find(address);
    if (!a) continue;
    const std::uint64_t sector = (address - a->address) >> 5;
    std::uint64_t* bits = store ? w.footprint->stored(a->index) : w.footprint->loaded(a->index);
    bits[sector >> 6] |= std::uint64_t{1} << (sector & 63);
  }
}

std::uint64_t simulated_clock(const Warp& w) {
  return w.block->executed + w.block->polled + static_cast<std::uint64_t>(w.block->slice - w.fuel);
}

std::uint32_t callee_frame(const Warp& w, const CallInfo& call) {
  return w.local_base + w.program->functions[call.caller].frame_bytes;
}

std::int32_t begin_call(Warp& w, const MicroOp* op, const CallInfo&, std::int32_t point) {
  Reconvergence& r = w.reconvergences[static_cast<std::size_t>(point)];
  r.block = kNoBlock;
  r.expected = w.mask;
  r.parent = w.splits[static_cast<std::size_t>(w.running)].reconvergence;
  r.call = op->imm;
  r.local_base = w.local_base;
  return point;
}

void enter_function(Warp& w, const MicroOp* op, const CallInfo& call, std::uint32_t callee, std::int32_t point,
                    std::uint32_t lanes) {
  const FunctionInfo& info = w.program->functions[callee];
  const std::uint32_t frame = callee_frame(w, call);
  if (frame + info.frame_bytes > w.local_stride)
    fault(w, op, __builtin_ctz(lanes),
          fmt::format("stack overflow: {} bytes of local memory are used up", w.local_stride),
          "recursion this deep needs another algorithm");
  if (call.arguments.size() != info.parameters.size())
    fault(w, op, __builtin_ctz(lanes), "call with a wrong number of arguments");
  w.reconvergences[static_cast<std::size_t>(point)].callee = callee;
  save_registers(w, callee, w.reconvergences[static_cast<std::size_t>(point)]);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    copy_frame(w, lanes, frame + info.parameters[i].first, w.local_base + call.arguments[i].first,
               std::min(call.arguments[i].second, info.parameters[i].second));
}

std::uint32_t finish_call(Warp& w, Reconvergence& point) {
  const CallInfo& call = w.program->calls[static_cast<std::size_t>(point.call)];
  const std::uint32_t frame = point.local_base + w.program->functions[call.caller].frame_bytes;
  const auto& results = w.program->functions[point.callee].results;
  for (std::size_t i = 0; i < std::min(call.results.size(), results.size()); ++i)
    copy_frame(w, point.arrived, point.local_base + call.results[i].first, frame + results[i].first,
               std::min(call.results[i].second, results[i].second));
  for (const auto& saved : point.saved) restore_registers(w, saved, point.arrived);
  return call.return_block;
}

std::uint32_t function_at(Warp& w, const MicroOp* op, std::uint64_t address) {
  const auto& all = w.program->module->functions;
  const auto& reachable = w.program->functions;
  for (std::uint32_t i = 1; i < reachable.size(); ++i)
    if (address == code_address(static_cast<std::size_t>(reachable[i].function - all.data()))) return i;
  fault(w, op, __builtin_ctz(w.mask), fmt::format("call of address {:#x}, where no function is", address),
        "is the function pointer set?");
}

void call_builtin(Warp& w, const MicroOp* op, const CallInfo& call) {
  if (!call.builtin)
    fault(w, op, __builtin_ctz(w.mask),
          fmt::format("the device function '{}' is not implemented by the simulator", call.site->target.name));
  call.builtin->run(w, op, call);
}

}  // namespace gpulab::simt
