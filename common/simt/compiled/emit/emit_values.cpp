// Registers as variables of the function (emit.h).

#include "common/simt/compiled/emit/emit.h"

namespace gpulab::simt::compiled {

/// Of the entry block, where LLVM looks for what it may keep in registers.
Value Emitter::temporary(Type type) {
  const Block here = b_.here();
  b_.begin(variables_);
  const Value made = b_.slot(type);
  b_.begin(here);
  return made;
}

Value Emitter::variable(Variable v, bool vector) {
  Value& made = vector || all_.is_predicate(v) ? vectors_[v] : words_[v];
  if (!made) made = temporary(vector ? vector_type(v) : word_of(v));
  return made;
}

Value Emitter::home(Variable v) {
  return all_.is_predicate(v) ? b_.at(predicates_, std::uint64_t{v - all_.program.slots} * 4)
                              : b_.at(registers_, std::uint64_t{v} * sizeof(Slot));
}

/// Lane 0's value, of what is affine.
Value Emitter::scalar(Variable v) {
  if (const std::uint64_t* bits = flow_.constant(v)) return b_.k(is_wide(v), *bits);
  return b_.load(word_of(v), variable(v, false));
}

Value Emitter::spread(Variable v, const State& state) {
  const Value all = b_.splat(scalar(v), is_wide(v));
  return state.lanes == 0 ? all : b_.add(all, b_.vector_of(is_wide(v), flow_.lanes(state.lanes)));
}

Value Emitter::vector(Variable v) {
  if (all_.is_predicate(v)) return b_.load(b_.integer(32), variable(v, true));
  if (now_[v].kind == State::Kind::affine) return spread(v, now_[v]);
  return b_.load(vector_type(v), variable(v, true));
}

void Emitter::set(Variable v, Value x, const State& state) {
  remember(v);
  b_.store(x, variable(v, state.kind != State::Kind::affine));
  now_[v] = state;
}

/// The variable as the warp's registers in memory have it, which are what now_ says.
void Emitter::load_home(Variable v) {
  if (flow_.constant(v)) return;
  if (all_.is_predicate(v))
    b_.store(b_.load(b_.integer(32), home(v)), variable(v, true));
  else if (now_[v].kind == State::Kind::affine)
    b_.store(b_.load(word_of(v), home(v)), variable(v, false));
  else
    b_.store(b_.load(vector_type(v), home(v), sizeof(Slot)), variable(v, true));
}

void Emitter::store_home(Variable v) {
  const Value x = vector(v);
  b_.store(x, home(v), all_.is_predicate(v) ? 4 : sizeof(Slot));
}

void Emitter::spill(const Live& live) {
  for (Variable v = 0; v < live.size(); ++v)
    if ((live[v] || (masked_ && flow_.is_preserved(v))) && now_[v].dirty) store_home(v);
}

/// spill() at a barrier in code: of what is a line lane 0's word alone (EntryPoint::kept).
void Emitter::keep(const Live& live, LineRegisters& kept) {
  for (Variable v = 0; v < live.size(); ++v) {
    if (!live[v] || !now_[v].dirty) continue;
    if (all_.is_predicate(v) || now_[v].kind != State::Kind::affine) {
      store_home(v);
      continue;
    }
    b_.store(scalar(v), home(v));
    kept.push_back(line_register(v));
  }
}

LineRegister Emitter::line_register(Variable v) const {
  LineRegister r{all_.is_predicate(v) ? v - all_.program.slots : v, all_.is_predicate(v), is_wide(v)};
  const Lanes& lanes = flow_.lanes(now_[v].lanes);
  for (std::size_t i = 0; i < kLanes; ++i) {
    r.narrow[i] = static_cast<std::uint32_t>(lanes[i]);
    r.lanes[i] = static_cast<std::uint64_t>(lanes[i]);
  }
  return r;
}

/// spill() where code is left, which is rare: of what is one word, that word (Exit::left), for vectors of it would be
/// most of the code.
void Emitter::leave_behind(const Live& live) {
  LineRegisters left;
  for (Variable v = 0; v < live.size(); ++v) {
    if ((!live[v] && !(masked_ && flow_.is_preserved(v))) || !now_[v].dirty) continue;
    if (all_.is_predicate(v) || now_[v].kind != State::Kind::affine || left.size() == Exit::kMostLeft) {
      store_home(v);
      continue;
    }
    b_.store(scalar(v), b_.at(exit_, offsetof(Exit, words) + sizeof(std::uint64_t) * left.size()));
    left.push_back(line_register(v));
  }
  if (left.empty()) return;
  points_.lines.push_back(std::move(left));
  b_.store(pointer_to(&points_.lines.back()), b_.at(exit_, offsetof(Exit, left)));
}

/// The handler works on the registers in memory. `in_full`: as if it repeated nobody's pattern. No comparison branches.
void Emitter::call_handlers_of(const Operation& o, bool in_full) {
  for (const Variable v : o.in)
    if (now_[v].dirty) store_home(v);
  const MicroOp* first = in_full ? points_.plain.data() + (o.op - all_.program.ops.data()) : o.op;
  points_.called.push_back(callable(first, o.count));
  for (MicroOp& op : points_.called.back()) {
    const Meaning& meaning = all_.program.sites[op.site].row->meaning;
    if (meaning.then_branch && op.run == meaning.then_branch) op.run = meaning.run;
  }
  const bool some = region_ && !region_->own;
  if (some) set_lanes(region_->mask);
  const Value failed =
      b_.call(b_.integer(32), pointer_to(&call_handlers), {warp_, pointer_to(points_.called.back().data()), exit_},
              std::vector<Type>(3, b_.pointer()));
  if (some) set_lanes(masked_ ? mask_ : b_.k32(kFullMask));
  const Block on = fresh("called"), off = fresh("failed");
  b_.go_if(b_.compare(kEqual, failed, b_.k32(0)), on, off);
  b_.begin(off);
  b_.give(b_.llvm.ConstNull(b_.pointer()));
  b_.begin(on);
}

}  // namespace gpulab::simt::compiled
