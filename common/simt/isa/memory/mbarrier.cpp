// mbarrier (PTX ISA: Parallel Synchronization: mbarrier; the object is mbarrier.h's), and what asynchronous copies do
// to one. A test that fails in all its lanes sends them to sleep until the phase is over, or until nobody else of the
// block can run: a thread may be slow to look.

#include "common/simt/machine/sync/mbarrier.h"

#include "common/simt/isa/lanes.h"
#include "common/simt/machine/memory/windows.h"
#include "common/simt/machine/sync/async.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// Places in the shared window of an instruction's [a+imm]; generic addresses lie there.
struct Objects {
  u32 at[kLanes];
  Objects(Warp& w, const MicroOp* op, int operand) {
    for (int i = 0; i < kLanes; ++i) {
      u64 address = op->mods & kAddress32 ? values<u32>(w, op, operand)[i] : values<u64>(w, op, operand)[i];
      address += static_cast<u64>(std::int64_t{op->imm});
      if (address - kSharedWindow < kWindowBytes) address -= kSharedWindow;
      address = without_own(address, w.own_window);
      at[i] = static_cast<u32>(address);
      if (address >> 32 && w.mask >> i & 1) fault_message(w, op, "mbarrier outside shared memory");
    }
  }
};
template <typename F>
inline void for_active(const Warp& w, F f) {
  for (u32 left = w.mask; left; left &= left - 1) f(__builtin_ctz(left));
}

const MicroOp* init(Warp& w, const MicroOp* op) {
  const Objects objects(w, op, 0);
  for_active(w, [&](int i) { init_mbarrier(w, op, i, objects.at[i], values<u32>(w, op, 1)[i]); });
  return op + 1;
}
const MicroOp* inval(Warp& w, const MicroOp* op) {
  const Objects objects(w, op, 0);
  for_active(w, [&](int i) { invalidate_mbarrier(w, op, i, objects.at[i]); });
  return op + 1;
}

/// What lane `lane` learns of its arrival, which found the object in state `before`; `tokens` has what the lanes below
/// it learnt. All lanes that arrive at one object with one instruction learn its state from before the instruction, as
/// on an H200: the hardware counts them at once. Where the arrivals of the lanes below ended a phase, it is another.
u64 token(const Warp& w, const u32* objects, const u64* tokens, int lane, u64 before) {
  for (u32 below = w.mask & ((1u << lane) - 1); below;) {
    const int other = 31 - __builtin_clz(below);
    if (objects[other] == objects[lane]) return parity_of(tokens[other]) == parity_of(before) ? tokens[other] : before;
    below &= ~(1u << other);
  }
  return before;
}

/// state or _, [a]{, count}.
template <Arrival how, bool counts, bool returns>
const MicroOp* arrive_at(Warp& w, const MicroOp* op) {
  constexpr int address = returns ? 1 : 0;
  const Objects objects(w, op, address);
  for_active(w, [&](int i) {
    const u32 count = counts ? values<u32>(w, op, address + 1)[i] : 1;
    const u64 before = arrive(w, op, i, objects.at[i], count, how);
    if constexpr (returns) values<u64>(w, op, 0)[i] = token(w, objects.at, values<u64>(w, op, 0), i, before);
  });
  return op + 1;
}
/// arrive.expect_tx, arrive_drop.expect_tx: state or _, [a], bytes.
template <Arrival how>
const MicroOp* arrive_expecting(Warp& w, const MicroOp* op) {
  const Objects objects(w, op, 1);
  for_active(w, [&](int i) {
    expect_bytes(w, op, i, objects.at[i], values<u32>(w, op, 2)[i]);
    const u64 before = arrive(w, op, i, objects.at[i], 1, how);
    values<u64>(w, op, 0)[i] = token(w, objects.at, values<u64>(w, op, 0), i, before);
  });
  return op + 1;
}
template <auto change>
const MicroOp* change_bytes(Warp& w, const MicroOp* op) {
  const Objects objects(w, op, 0);
  for_active(w, [&](int i) { change(w, op, i, objects.at[i], values<u32>(w, op, 1)[i]); });
  return op + 1;
}
const MicroOp* pending_count(Warp& w, const MicroOp* op) {
  for_each_lane<u32>(w, op, [&](int i) { return pending_of(values<u64>(w, op, 1)[i]); });
  return op + 1;
}

/// p, [a], state or parity{, time}.
template <bool by_parity>
const MicroOp* test(Warp& w, const MicroOp* op) {
  const Objects objects(w, op, 1);
  u32 over = 0;
  for_active(w, [&](int i) {
    const bool parity = by_parity ? values<u32>(w, op, 2)[i] & 1 : parity_of(values<u64>(w, op, 2)[i]);
    over |= static_cast<u32>(phase_is_over(w, op, i, objects.at[i], parity)) << i;
  });
  write_pred(w, op->r[0], over);
  if (over) return op + 1;
  return stop(w, SleepStop{.resume = op, .may_give_up = true, .awaited = "mbarrier"});
}

/// cp.async.mbarrier.arrive: .noinc takes one of the expected arrivals, else the phase gets one more.
template <bool adds>
const MicroOp* arrive_on_copies(Warp& w, const MicroOp* op) {
  const Objects objects(w, op, 0);
  if constexpr (adds) for_active(w, [&](int i) { add_pending(w, op, i, objects.at[i]); });
  arrive_after_copies(w, op, objects.at);
  return op + 1;
}

constexpr OperandType address{Role::address}, in32{Role::in, Kind::u32}, in64{Role::in, Kind::u64};
constexpr OperandType state{Role::out, Kind::u64}, verdict{Role::out, Kind::pred};
constexpr OperandType time_limit{Role::optional_in, Kind::u32};

template <Arrival how>
constexpr Meaning arrival(bool counts) {
  return {.run = counts ? arrive_at<how, true, true> : arrive_at<how, false, true>,
          .operands = {{state, address, counts ? in32 : OperandType{}}}};
}
/// Other threads' arrivals end a test: a guard does not go around it.
template <bool by_parity>
constexpr Meaning testing() {
  return {.run = test<by_parity>,
          .operands = {{verdict, address, by_parity ? in32 : in64, time_limit}},
          .traits = kSideEffect | kEarlyClobber};
}

#define SHARED "{.shared,.shared::cta,.shared::cluster}"
#define RELEASE "{.release,.relaxed}{.cta,.cluster}"
#define ACQUIRE "{.acquire,.relaxed}{.cta,.cluster}"

const Row rows[] = {
    {"mbarrier.init{.shared,.shared::cta}.b64 [a], count", Unit::barrier, {.run = init, .operands = {{address, in32}}}},
    {"mbarrier.inval{.shared,.shared::cta}.b64 [a]", Unit::barrier, {.run = inval, .operands = {{address}}}},
    {"mbarrier.arrive" RELEASE SHARED ".b64 state, [a]", Unit::barrier, arrival<Arrival::plain>(false)},
    {"mbarrier.arrive" RELEASE SHARED ".b64 state, [a], count", Unit::barrier, arrival<Arrival::plain>(true)},
    {"mbarrier.arrive_drop" RELEASE SHARED ".b64 state, [a]", Unit::barrier, arrival<Arrival::dropping>(false)},
    {"mbarrier.arrive_drop" RELEASE SHARED ".b64 state, [a], count", Unit::barrier, arrival<Arrival::dropping>(true)},
    {"mbarrier.arrive.noComplete" RELEASE SHARED ".b64 state, [a], count", Unit::barrier,
     arrival<Arrival::not_completing>(true)},
    {"mbarrier.arrive.expect_tx" RELEASE SHARED ".b64 state, [a], bytes",
     Unit::barrier,
     {.run = arrive_expecting<Arrival::plain>, .operands = {{state, address, in32}}}},
    {"mbarrier.arrive_drop.expect_tx" RELEASE SHARED ".b64 state, [a], bytes",
     Unit::barrier,
     {.run = arrive_expecting<Arrival::dropping>, .operands = {{state, address, in32}}}},
    {"mbarrier.expect_tx{.relaxed}{.cta,.cluster}" SHARED ".b64 [a], bytes",
     Unit::barrier,
     {.run = change_bytes<expect_bytes>, .operands = {{address, in32}}}},
    {"mbarrier.complete_tx{.relaxed}{.cta,.cluster}" SHARED ".b64 [a], bytes",
     Unit::barrier,
     {.run = change_bytes<complete_bytes>, .operands = {{address, in32}}}},
    {"mbarrier.pending_count.b64 count, state",
     Unit::barrier,
     {.run = pending_count, .operands = {{{Role::out, Kind::u32}, in64}}}},
    {"mbarrier(.test_wait,.try_wait)" ACQUIRE "{.shared,.shared::cta}.b64 p, [a], state{, time}", Unit::barrier,
     testing<false>()},
    {"mbarrier(.test_wait,.try_wait).parity" ACQUIRE "{.shared,.shared::cta}.b64 p, [a], parity{, time}", Unit::barrier,
     testing<true>()},
    {"cp.async.mbarrier.arrive{.shared,.shared::cta}.b64 [a]",
     Unit::async,
     {.run = arrive_on_copies<true>, .operands = {{address}}}},
    {"cp.async.mbarrier.arrive.noinc{.shared,.shared::cta}.b64 [a]",
     Unit::async,
     {.run = arrive_on_copies<false>, .operands = {{address}}}},
};

}  // namespace

std::span<const Row> mbarrier_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
