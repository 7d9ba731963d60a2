#include "common/simt/compiled/emit/emit.h"

#include <algorithm>

namespace gpulab::simt::compiled {

namespace {
using Kind = Operation::Kind;
bool widens(const Operation& o) {
  return o.line == Line::widen_unsigned || o.line == Line::widen_signed || o.line == Line::wide_product_unsigned ||
         o.line == Line::wide_product_signed;
}
}  // namespace

Emitter::Emitter(CodeBuilder& builder, Module module, const Operations& operations, Flow& flow, const RowNames& rows,
                 Points& points, const std::vector<bool>& hot)
    : b_(builder),
      module_(module),
      all_(operations),
      flow_(flow),
      rows_(rows),
      points_(points),
      hot_(hot),
      words_(operations.variables()),
      vectors_(operations.variables()) {}

void Emitter::emit(bool masked) {
  const auto blocks = static_cast<std::uint32_t>(all_.blocks.size());
  Type parameters[] = {b_.pointer(), b_.integer(32), b_.pointer(), b_.pointer()};
  function_ = b_.llvm.AddFunction(module_, kFunction, b_.llvm.FunctionType(b_.pointer(), parameters, 4, 0));
  exit_ = b_.llvm.GetParam(function_, 2);
  addresses_ = b_.llvm.GetParam(function_, 3);
  variables_ = fresh("variables");
  start_ = fresh("start");
  hop_ = fresh("hop");
  b_.begin(start_);
  warp_ = b_.phi(b_.pointer(), {b_.llvm.GetParam(function_, 0)}, {variables_});
  entry_ = b_.phi(b_.integer(32), {b_.llvm.GetParam(function_, 1)}, {variables_});
  registers_ = field(offsetof(Warp, regs), b_.pointer());
  predicates_ = field(offsetof(Warp, preds), b_.pointer());
  counts_ = field(offsetof(Warp, block_counts), b_.pointer());
  sites_ = field(offsetof(Warp, sites), b_.pointer());
  patterns_ = field(offsetof(Warp, patterns), b_.pointer());
  footprint_ = field(offsetof(Warp, footprint), b_.pointer());
  shared_ = field(offsetof(Warp, shared), b_.pointer());
  shared_bytes_ = b_.cast(kZExt, field(offsetof(Warp, shared_bytes), b_.integer(32)), b_.integer(64));
  masks_ = temporary(b_.integer(32));
  next_ = temporary(b_.integer(32));
  b_.store(field(offsetof(Warp, mask), b_.integer(32)), masks_);
  const Block none = fresh("no_entry");
  entries_ = b_.choose(entry_, none);
  b_.begin(none);
  b_.unreachable();
  next_entry_ = blocks;
  emit_blocks();
  masked_ = masked;
  if (masked) {
    emit_blocks();
    emit_dispatch();
  }
  emit_hop();
  b_.begin(variables_);
  b_.go(start_);
}

/// The function from its start, with the warp that hop_on() gave. No register of the last one's is alive: LLVM is told.
void Emitter::emit_hop() {
  b_.begin(hop_);
  if (hops_.empty()) return b_.unreachable();
  std::vector<Value> warps;
  std::vector<Block> from;
  for (const auto& [warp, block] : hops_) {
    warps.push_back(warp);
    from.push_back(block);
  }
  const Value next = b_.phi(b_.pointer(), warps, from);
  const Value entry = b_.load(b_.integer(32), b_.at(exit_, offsetof(Exit, value)));
  for (Variable v = 0; v < words_.size(); ++v) {
    if (words_[v]) b_.store(b_.llvm.GetUndef(word_of(v)), words_[v]);
    if (vectors_[v]) b_.store(b_.llvm.GetUndef(vector_type(v)), vectors_[v]);
  }
  b_.add_to_phi(warp_, next, hop_);
  b_.add_to_phi(entry_, entry, hop_);
  b_.go(start_);
}

void Emitter::emit_blocks() {
  const auto blocks = static_cast<std::uint32_t>(all_.blocks.size());
  entered_.clear();
  counted_.clear();
  for (std::uint32_t i = 0; i < blocks; ++i) {
    entered_.push_back(fresh("entered"));
    counted_.push_back(hot_[i] ? fresh("counted") : nullptr);
  }
  for (std::uint32_t i = 0; i < blocks; ++i) emit_block(i);
}

void Emitter::leave_if(Value condition, const Live& live, Exit::Kind kind, Value value) {
  const Block on = fresh("on"), off = fresh("off");
  b_.go_if(condition, off, on);
  b_.begin(off);
  leave_at(live, kind, nullptr, value);
  b_.begin(on);
}

/// Counts the block as enter() does, and ends the turn where it would.
void Emitter::enter_from_code(std::uint32_t block) {
  b_.begin(entered_[block]);
  now_ = at_entry(block);
  const Live& live = flow_.live_in(block);
  if (masked_) meet(block);
  const Value at = b_.at(warp_, offsetof(Warp, fuel));
  const Value fuel = b_.load(b_.integer(64), at);
  leave_if(b_.compare(kSignedLess, fuel, b_.k64(0)), live, Exit::Kind::slice_ended, b_.k32(block));
  b_.store(b_.sub(fuel, b_.k64(all_.program.blocks[block].instructions)), at);
  count_block(block, masked_ ? region_of(b_.load(b_.integer(32), masks_)).count : nullptr);
  b_.go(counted_[block]);
}

/// The interpreter has come to the block, and counted it. What flow_ knows of registers holds where lanes meet again as
/// they parted; they need not (a loop with a barrier brings lanes of several rounds together), so it is looked at.
void Emitter::enter_from_interpreter(std::uint32_t block) {
  const Block from = fresh("from_interpreter");
  b_.llvm.AddCase(entries_, b_.k32(masked_ ? block + kMasked : block), from);
  b_.begin(from);
  now_ = at_entry(block);
  const Live& live = flow_.live_in(block);
  if (masked_) {
    for (Variable v = 0; v < live.size(); ++v)
      if (live[v] || flow_.is_preserved(v)) load_home(v);
    return b_.go(counted_[block]);
  }
  LineRegisters lines;
  for (Variable v = 0; v < live.size(); ++v)
    if (live[v] && all_.written[v] && now_[v].kind == State::Kind::affine) lines.push_back(line_register(v));
  if (!lines.empty()) {
    points_.lines.push_back(std::move(lines));
    const Value as_known = b_.call(b_.integer(32), pointer_to(&registers_are),
                                   {warp_, pointer_to(&points_.lines.back())}, {b_.pointer(), b_.pointer()});
    const Block known = fresh("as_known"), otherwise = fresh("otherwise");
    b_.go_if(b_.compare(kNotEqual, as_known, b_.k32(0)), known, otherwise);
    b_.begin(otherwise);
    b_.give(pointer_to(points_.plain.data() + all_.program.blocks[block].first_op));
    b_.begin(known);
  }
  for (Variable v = 0; v < live.size(); ++v)
    if (live[v]) load_home(v);
  b_.go(counted_[block]);
}

void Emitter::emit_block(std::uint32_t block) {
  if (!hot_[block]) {
    b_.begin(entered_[block]);
    now_ = at_entry(block);
    return leave_at(flow_.live_in(block), Exit::Kind::enters, nullptr, b_.k32(block));
  }
  enter_from_code(block);
  enter_from_interpreter(block);
  b_.begin(counted_[block]);
  now_ = at_entry(block);
  forget_block();
  checked_.clear();
  if (masked_) begin_masked();
  const std::size_t count = all_.blocks[block].size();
  std::size_t k = 0;
  while (k < count && emit_one(block, k)) {
    const Operation& o = all_.blocks[block][k++];
    forget_places(o);
    std::erase_if(checked_,
                  [&](Variable v) { return o.kind == Kind::through || std::ranges::find(o.out, v) != o.out.end(); });
  }
}

bool Emitter::emit_one(std::uint32_t block, std::size_t k) {
  const Operation& o = all_.blocks[block][k];
  const bool plain =
      o.kind == Kind::nothing || o.kind == Kind::value || o.kind == Kind::access || o.kind == Kind::handler;
  if (masked_ && !plain) end_masked();
  switch (o.kind) {
    case Kind::nothing:
      return true;
    case Kind::value:
      emit_value(block, k);
      return true;
    case Kind::access:
      emit_access(block, k);
      return true;
    case Kind::handler:
      emit_handler(o);
      return true;
    case Kind::through:
      // Some lanes that wait are known by where they go on: all of a warp by the same micro-op, the interpreter's.
      if (masked_) return leave(block, k), false;
      if (flow_.is_at_once(o, now_))
        emit_collective(o);
      else
        emit_through(block, k);
      return true;
    case Kind::branch:
      go_to(static_cast<std::uint32_t>(o.op->imm));
      return false;
    case Kind::branch_if:
      emit_branch_if(o);
      return false;
    case Kind::leave:
      if (o.ends_kernel && !masked_)
        end_warp(o);
      else
        leave(block, k);
      return false;
  }
  return false;
}

void Emitter::emit_handler(const Operation& o) {
  // As the copy has it: accesses may repeat the pattern of one that is inlined, comparisons branch.
  for (const Variable v : o.out) remember(v);
  call_handlers_of(o, true);
  flow_.pass(o, now_);
  for (const Variable v : o.out) load_home(v);
}

/// Whether no lane of an affine operand that is widened lies beyond 32 bits; nullptr: they cannot.
Value Emitter::in_range(const Operation& o) {
  Value good = nullptr;
  const bool is_signed = o.line == Line::widen_signed || o.line == Line::wide_product_signed;
  for (const Variable v : o.in) {
    if (!widens(o) || now_[v].lanes == 0) continue;
    const auto [least, most] = std::ranges::minmax(flow_.lanes(now_[v].lanes));
    const Value x = b_.cast(is_signed ? kSExt : kZExt, scalar(v), b_.integer(64));
    const std::int64_t lowest = is_signed ? INT32_MIN : 0, highest = is_signed ? INT32_MAX : std::int64_t{UINT32_MAX};
    const Value is = b_.both(b_.compare(kSignedGreaterEqual, x, b_.k64(static_cast<std::uint64_t>(lowest - least))),
                             b_.compare(kSignedLessEqual, x, b_.k64(static_cast<std::uint64_t>(highest - most))));
    good = good ? b_.both(good, is) : is;
  }
  return good;
}

/// Else the interpreter goes on.
void Emitter::check_range(const Operation& o, std::uint32_t block, std::size_t k) {
  const Value good = in_range(o);
  if (!good) return;
  const Block on = fresh("in_range"), off = fresh("out_of_range");
  b_.go_if(good, on, off);
  b_.begin(off);
  leave(block, k);
  b_.begin(on);
}

void Emitter::emit_value(std::uint32_t block, std::size_t k) {
  const Operation& o = all_.blocks[block][k];
  int lanes = flow_.result_lanes(o, now_);
  // check_range() leaves, where the warp is whole: within a side it was looked at before (ranges_of_side()).
  if (region_ && lanes > 0 && widens(o) && std::ranges::find(in_range_, &o) == in_range_.end()) lanes = -1;
  if (!region_ && lanes > 0) check_range(o, block, k);
  const bool all = lanes < 0;
  const bool divides = all && o.division != Operation::Division::none && now_[o.in[1]].kind == State::Kind::affine &&
                       now_[o.in[1]].lanes == 0;
  const std::size_t known = remainders_.size();
  if (divides) note_remainder(o);
  set(o.out[0],
      divides ? quotient_or_remainder(o)
      : all   ? compared(o)
              : call_row(o, false),
      all ? State{State::Kind::vector, true, 0} : State{State::Kind::affine, true, static_cast<std::uint32_t>(lanes)});
  forget_remainders(o, known);
}

/// The row's function, of all lanes or of one.
Value Emitter::call_row(const Operation& o, bool all) {
  std::vector<Value> operands;
  for (const Variable v : o.in) operands.push_back(all || all_.is_predicate(v) ? vector(v) : scalar(v));
  return call_row(o, all, operands);
}

Value Emitter::call_row(const Operation& o, bool all, const std::vector<Value>& operands) {
  const Variable to = o.out[0];
  const std::string name = rows_.name_of(o.row, all);
  std::vector<Type> types(5, b_.pointer());
  Value function = b_.llvm.GetNamedFunction(module_, name.c_str());
  if (!function)
    function = b_.llvm.AddFunction(module_, name.c_str(),
                                   b_.llvm.FunctionType(b_.llvm.VoidTypeInContext(b_.context), types.data(), 5, 0));
  const Value result = temporary(all ? vector_type(to) : word_of(to));
  std::vector<Value> arguments{result};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    arguments.push_back(temporary(all ? vector_type(o.in[k]) : word_of(o.in[k])));
    b_.store(operands[k], arguments.back());
  }
  while (arguments.size() < 5) arguments.push_back(b_.llvm.ConstNull(b_.pointer()));
  b_.call(b_.llvm.VoidTypeInContext(b_.context), function, arguments, types);
  return b_.load(all ? vector_type(to) : word_of(to), result);
}

/// By one divisor for all lanes, which is mostly a power of two: the strides of reductions. Else the row's function.
Value Emitter::quotient_or_remainder(const Operation& o) {
  const Value divisor = scalar(o.in[1]), less = b_.sub(divisor, b_.k32(1));
  const Value bits = intrinsic("llvm.ctpop.i32", b_.integer(32), {divisor}, {b_.integer(32)});
  const Block quick = fresh("power_of_two"), slow = fresh("divide"), done = fresh("divided");
  b_.go_if(b_.compare(kEqual, bits, b_.k32(1)), quick, slow);
  b_.begin(quick);
  const Value shift = intrinsic("llvm.ctpop.i32", b_.integer(32), {less}, {b_.integer(32)});
  const Value quick_value = o.division == Operation::Division::remainder
                                ? b_.both(vector(o.in[0]), b_.splat(less, false))
                                : b_.op(kLShr, vector(o.in[0]), b_.splat(shift, false));
  b_.go(done);
  b_.begin(slow);
  const Value slow_value = call_row(o, true);
  const Block slow_end = b_.here();
  b_.go(done);
  b_.begin(done);
  return b_.phi(b_.lanes(false), {quick_value, slow_value}, {quick, slow_end});
}

/// A barrier ends the turn as its handler does (isa/warp/control.cpp); any other handler is called. Where a turn that
/// it has ended goes on, the code is entered again.
void Emitter::emit_through(std::uint32_t block, std::size_t k) {
  const Operation& o = all_.blocks[block][k];
  const Live live = flow_.live_at(block, k + 1);
  const bool is_inline = flow_.is_inline_barrier(o);
  LineRegisters kept;
  if (is_inline)
    keep(live, kept);
  else
    spill(flow_.live_at(block, k)), spill(live);
  const MicroOp* next = points_.plain.data() + (o.op + o.count - all_.program.ops.data());
  const std::uint32_t number = next_entry_++;
  ThroughPoint& point = points_.through.emplace_back();
  point.op = *o.op;
  point.behind = entry_point(next, points_.code, number, false);
  if (!kept.empty()) point.behind.kept = &points_.lines.emplace_back(std::move(kept));
  const Block again = fresh("behind"), joined = fresh("joined");
  const auto load_all = [&](const Live& which) {
    for (Variable v = 0; v < which.size(); ++v)
      if (which[v]) load_home(v);
    b_.go(joined);
  };
  if (is_inline) {
    stop_at_barrier(point, static_cast<std::uint32_t>(*flow_.constant(o.in[0])));
    flow_.pass(o, now_);
  } else {
    const Value to = b_.call(b_.pointer(), pointer_to(&call_through), {warp_, pointer_to(&point.op), exit_},
                             {b_.pointer(), b_.pointer(), b_.pointer()});
    const Block on = fresh("on"), out = fresh("turn_ended");
    b_.go_if(b_.compare(kEqual, to, pointer_to(&point.behind)), on, out);
    b_.begin(out);
    b_.give(to);
    b_.begin(on);
    flow_.pass(o, now_);
    Live written(live.size());
    for (const Variable v : o.out) written[v] = true;
    load_all(written);
  }
  b_.llvm.AddCase(entries_, b_.k32(number), again);
  b_.begin(again);
  load_all(live);
  b_.begin(joined);
}

void Emitter::stop_at_barrier(const ThroughPoint& point, std::uint32_t barrier) {
  hop_with(b_.call(b_.pointer(), pointer_to(&hop_on), {warp_, exit_, pointer_to(&point.behind), b_.k32(barrier)},
                   {b_.pointer(), b_.pointer(), b_.pointer(), b_.integer(32)}));
}

void Emitter::end_warp(const Operation& o) {
  hop_with(b_.call(b_.pointer(), pointer_to(&end_on), {warp_, exit_, pointer_to(plain_of(o))},
                   std::vector<Type>(3, b_.pointer())));
}

void Emitter::hop_with(Value next) {
  const Block out = fresh("turn_ended");
  hops_.emplace_back(next, b_.here());
  b_.go_if(b_.compare(kEqual, next, b_.llvm.ConstNull(b_.pointer())), out, hop_);
  b_.begin(out);
  b_.give(b_.llvm.ConstNull(b_.pointer()));
}

void Emitter::emit_branch_if(const Operation& o) {
  const Value all = masked_ ? mask_ : b_.k32(kFullMask);
  const Value predicate = b_.load(b_.integer(32), variable(o.in[0], true));
  const Value taken = b_.both(is_negated(o.op) ? b_.inverted(predicate) : predicate, all);
  const Block yes = fresh("taken"), not_all = fresh("not_all"), no = fresh("fall_through"), some = fresh("some");
  b_.go_if(b_.compare(kEqual, taken, all), yes, not_all);
  b_.begin(not_all);
  // What is the same in all lanes parts none.
  const bool may_part = masked_ || now_[o.in[0]].kind != State::Kind::affine;
  if (may_part)
    b_.go_if(b_.compare(kEqual, taken, b_.k32(0)), no, some);
  else
    b_.go(no);
  b_.begin(yes);
  go_to(taken_block(o.op));
  b_.begin(no);
  go_to(fall_through_block(o.op));
  b_.begin(some);
  if (may_part)
    emit_parted(o, taken);
  else
    b_.unreachable();
}

/// The interpreter goes on at operation k.
void Emitter::leave(std::uint32_t block, std::size_t k) {
  leave_behind(flow_.live_at(block, k));
  b_.give(pointer_to(plain_of(all_.blocks[block][k])));
}

void Emitter::leave_at(const Live& live, Exit::Kind kind, const MicroOp* op, Value value) {
  if (kind == Exit::Kind::slice_ended)
    leave_behind(live);
  else
    spill(live);
  b_.store(op ? pointer_to(op) : b_.llvm.ConstNull(b_.pointer()), b_.at(exit_, offsetof(Exit, op)));
  b_.store(b_.k32(static_cast<std::uint32_t>(kind)), b_.at(exit_, offsetof(Exit, kind)));
  b_.store(value, b_.at(exit_, offsetof(Exit, value)));
  b_.give(b_.llvm.ConstNull(b_.pointer()));
}

/// Makes of variables what the block takes them for.
void Emitter::go_to(std::uint32_t block) {
  const Live& live = flow_.live_in(block);
  const States& wanted = at_entry(block);
  for (Variable v = 0; v < live.size(); ++v)
    if ((live[v] || (masked_ && flow_.is_preserved(v))) && !all_.is_predicate(v) &&
        wanted[v].kind != State::Kind::affine && now_[v].kind == State::Kind::affine)
      b_.store(spread(v, now_[v]), variable(v, true));
  b_.go(entered_[block]);
}

}  // namespace gpulab::simt::compiled
