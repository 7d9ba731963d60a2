#include "common/simt/compiled/operations.h"

#include <algorithm>
#include <unordered_map>

#include "common/simt/isa/instruction_set.h"
#include "common/simt/isa/kind.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt::compiled {

namespace {

using Kind = Operation::Kind;

struct FoundRow {
  const Row* row;
  RowNumber number;
};

/// The row of each handler that executes an instruction by itself.
const std::unordered_map<Handler, FoundRow>& rows_by_handler() {
  static const auto map = [] {
    std::unordered_map<Handler, FoundRow> rows;
    const auto tables = instruction_set().tables();
    for (std::size_t t = 0; t < tables.size(); ++t)
      for (std::size_t i = 0; i < tables[t].size(); ++i) {
        const Meaning& meaning = tables[t][i].meaning;
        rows.try_emplace(meaning.run, FoundRow{&tables[t][i], {t, i}});
        if (meaning.modified) rows.try_emplace(meaning.modified, FoundRow{&tables[t][i], {t, i}});
      }
    return rows;
  }();
  return map;
}

RowNumber number_of(const Row* row) {
  const auto tables = instruction_set().tables();
  for (std::size_t t = 0; t < tables.size(); ++t)
    if (row >= tables[t].data() && row < tables[t].data() + tables[t].size())
      return {t, static_cast<std::size_t>(row - tables[t].data())};
  return {};
}

Handler pseudo_handler(std::string_view name) { return instruction_set().find(name).front().row->meaning.run; }

/// By the forms of the rows whose functions these are: where one is spelled otherwise some day, its results are
/// vectors.
Line line_of(std::string_view form) {
  struct Known {
    std::string_view form;
    Line line;
  };
  static constexpr Known known[] = {{"add(.u32,.s32)", Line::sum},
                                    {"add(.u64,.s64)", Line::sum},
                                    {"%offset", Line::sum},
                                    {"sub(.u32,.s32)", Line::difference},
                                    {"sub(.u64,.s64)", Line::difference},
                                    {"mul.lo(.u32", Line::product},
                                    {"mul.lo(.u64", Line::product},
                                    {"mad.lo(.u32", Line::multiply_add},
                                    {"mad.lo(.u64", Line::multiply_add},
                                    {"shl.b32", Line::shift},
                                    {"shl.b64", Line::shift},
                                    {"mov(.b32", Line::copy},
                                    {"mov(.b64", Line::copy},
                                    {"%copy.b32", Line::copy},
                                    {"%copy.b64", Line::copy},
                                    {"%narrow", Line::copy},  // differences are small
                                    {"cvt{.sat}.u32.u64", Line::copy},
                                    {"cvt{.sat}.u32.s64", Line::copy},
                                    {"cvt{.sat}.s32.u64", Line::copy},
                                    {"cvt{.sat}.s32.s64", Line::copy},
                                    {"cvt.u64.u32", Line::widen_unsigned},
                                    {"cvt.s64.u32", Line::widen_unsigned},
                                    {"%widen.u32", Line::widen_unsigned},
                                    {"cvt.s64.s32", Line::widen_signed},
                                    {"%widen.s32", Line::widen_signed},
                                    {"cvt{.sat}.u64.s32", Line::widen_signed},
                                    {"mul.wide.u32", Line::wide_product_unsigned},
                                    {"mul.wide.s32", Line::wide_product_signed}};
  const auto found = std::ranges::find_if(known, [&](const Known& k) { return form.starts_with(k.form); });
  return found == std::end(known) ? Line::none : found->line;
}

bool is_of(const Meaning& meaning, Handler run) {
  return run == meaning.run || (meaning.counted && run == meaning.counted) ||
         (meaning.followed && run == meaning.followed) || (meaning.modified && run == meaning.modified) ||
         (meaning.then_branch && run == meaning.then_branch);
}

bool ends_block(Kind kind) { return kind == Kind::branch || kind == Kind::branch_if || kind == Kind::leave; }

}  // namespace

struct Operations::Decoder {
  Operations& all;
  const RowNames& rows;
  const Handler branch = pseudo_handler("%fall"), branch_if = pseudo_handler("%branch_if"),
                guard = pseudo_handler("%guard"), end_guard = pseudo_handler("%end_guard");

  /// Adds the registers that a row's operands are. Known: no operand lies elsewhere.
  void add_operands(Operation& o, const Meaning& meaning) const {
    const MicroOp* op = o.op;
    std::size_t entry = 0;
    for (const OperandType& operand : meaning.operands) {
      if (operand.role == Role::none) break;
      for (int k = 0; k < operand.vector; ++k, ++entry) {
        if (entry >= op->r.size()) {
          o.known = false;
          return;
        }
        const std::uint16_t r = op->r[entry];
        if (operand.role == Role::label || operand.role == Role::immediate || r == kNoOperand) continue;
        const bool address = operand.role == Role::address, pred = !address && operand.kind == gpulab::simt::Kind::pred;
        const Variable v = pred ? all.predicate(r) : r;
        if (!pred) all.note(v, address ? !(op->mods & kAddress32) : register_class(operand.kind) == 1);
        const bool out = operand.role == Role::out || operand.role == Role::optional_out;
        (out ? o.out : o.in).push_back(v);
        if (address) o.address = v;
        if (!address && k == 0 && (out || o.out.empty())) o.data = v;
      }
    }
  }

  void decode_access(Operation& o, const Row& row) const {
    const Meaning& meaning = row.meaning;
    const MicroOp* op = o.op;
    o.kind = Kind::handler;
    const bool load = meaning.traits & kLoad, store = meaning.traits & kStore;
    const bool plain =
        load != store && (row.unit == Unit::shared || row.unit == Unit::global || row.unit == Unit::local) &&
        !(op->mods & kOrdered) && (op->run == meaning.run || op->run == meaning.counted || op->run == meaning.followed);
    const OperandType& data = meaning.operands[load ? 0 : 1];
    if (!plain || meaning.operands[2].role != Role::none) return;
    const std::uint32_t width = bytes_of(data.kind);
    if (width != 4 && width != 8) return;
    if (row.unit == Unit::global && (op->mods & kAddress32)) return;
    o.kind = Kind::access;
    o.meaning = &meaning;
    o.load = load;
    o.shared = row.unit == Unit::shared;
    o.local = row.unit == Unit::local;
    o.values = data.vector;
    o.width = width * data.vector;
    o.data = op->r[load ? 0 : 1];
    o.counted = meaning.counted && op->run == meaning.counted;
  }

  /// Of words of 32 or 64 bits.
  static void note_comparison(Operation& o, std::string_view form) {
    using Comparison = Operation::Comparison;
    const auto is_any = [&](std::initializer_list<std::string_view> names) {
      return std::ranges::any_of(names, [&](std::string_view name) { return form.starts_with(name); });
    };
    o.is_signed = form.find(".s32 p") != form.npos || form.find(".s64 p") != form.npos;
    const bool is_unsigned = form.find(".u32 p") != form.npos || form.find(".u64 p") != form.npos;
    if (is_any({"setp.eq{.and,.or,.xor}(.b32", "setp.eq{.and,.or,.xor}(.b64", "setp.ne{.and,.or,.xor}(.b32",
                "setp.ne{.and,.or,.xor}(.b64"}))
      o.comparison = Comparison::equality;
    else if ((o.is_signed || is_unsigned) && is_any({"setp(.lt,", "setp.lt{", "setp(.le,", "setp.le{", "setp(.gt,",
                                                     "setp.gt{", "setp(.ge,", "setp.ge{"}))
      o.comparison = Comparison::ordered;
  }

  void decode_value(Operation& o, const Row& row, RowNumber number) const {
    o.kind = Kind::handler;
    const std::uint16_t mods = o.op->mods;
    const Handler executes = mods != 0 && row.meaning.modified ? row.meaning.modified : row.meaning.run;
    if (o.op->run != executes && o.op->run != row.meaning.then_branch) return;
    number.mods = mods;
    if (mods > kValueMods || !rows.has(number)) return;
    // The function takes what has the role `in` alone, and gives one result.
    std::vector<Variable> given;
    std::size_t entry = 0, results = 0;
    for (const OperandType& operand : row.meaning.operands) {
      if (operand.role == Role::none) break;
      const std::uint16_t r = o.op->r[entry];
      const bool pred = operand.kind == gpulab::simt::Kind::pred;
      if (operand.role == Role::optional_out && r != kNoOperand) return;
      if (operand.vector != 1 || operand.role == Role::address || operand.role == Role::label ||
          operand.role == Role::immediate)
        return;
      if (operand.role == Role::in) given.push_back(pred ? all.predicate(r) : r);
      if (operand.role == Role::out) ++results;
      ++entry;
    }
    if (results != 1 || o.out.size() != 1 || given.size() > 4) return;
    o.kind = Kind::value;
    o.row = number;
    o.in = given;
    if (mods == 0) o.line = line_of(row.form);
    const std::string_view form = row.form;
    if (mods == 0 && o.in.size() == 2) note_comparison(o, form);
    o.division = form.starts_with("div.u32 ")   ? Operation::Division::quotient
                 : form.starts_with("rem.u32 ") ? Operation::Division::remainder
                                                : Operation::Division::none;
  }

  Operation decode(const MicroOp* op) const {
    Operation o;
    o.op = op;
    o.known = true;
    if (op->run == observe_entry || op->run == observe_traced_access) {
      o.kind = Kind::nothing;
      return o;
    }
    if (op->run == branch) {
      o.kind = Kind::branch;
      return o;
    }
    if (op->run == branch_if) {
      o.kind = Kind::branch_if;
      o.in.push_back(all.predicate(op->r[0]));
      return o;
    }
    const Row* row = all.program.sites[op->site].row;
    RowNumber number;
    if (is_of(row->meaning, op->run)) {
      number = number_of(row);
    } else {
      const auto& by_handler = rows_by_handler();
      const auto found = by_handler.find(op->run);
      if (found == by_handler.end() || op->run == guard || op->run == end_guard) {
        o.known = false;
        return o;
      }
      row = found->second.row;
      number = found->second.number;
    }
    const std::uint16_t traits = row->meaning.traits;
    if (traits & kOperandTable) {
      o.known = false;
      return o;
    }
    // Of pseudo instructions that have operands of their own kind alone a few are known.
    if (row->form[0] == '%' && row->meaning.operands[0].role == Role::none) {
      add_pseudo(o, row->form);
      return o;
    }
    o.takes_turn = row->unit == Unit::system || (traits & kAtomic) || (op->mods & kOrdered);
    add_operands(o, row->meaning);
    if (!o.known) return o;
    if (traits & kEndsBlock) {
      o.kind = Kind::leave;
      o.known = !(traits & kSideEffect) && o.in.empty() && o.out.empty();
      const std::string_view form = row->form;
      o.ends_kernel = form == "exit" || form == "ret{.uni}";  // code is of kernels that call nobody
    } else if (traits & (kBarrier | kCollective | kSideEffect)) {
      o.kind = Kind::through;
      o.collective = !(traits & (kBarrier | kSideEffect));
      o.row_of_warp = row;
      o.shuffle = o.collective && std::string_view(row->form).starts_with("shfl.sync.") && o.in.size() == 4;
      if (o.collective && row->unit == Unit::warp) o.members = o.in.back();
      o.plain_barrier = row->form == std::string_view("bar{.cta}.sync a") ||
                        row->form == std::string_view("barrier{.cta}.sync{.aligned} a");
    } else if (traits & (kLoad | kStore | kAtomic)) {
      decode_access(o, *row);
    } else {
      decode_value(o, *row, number);
    }
    return o;
  }

  void add_pseudo(Operation& o, std::string_view form) const {
    const MicroOp* op = o.op;
    o.kind = Kind::handler;
    if (form == "%not.pred" || form == "%copy.pred") {
      o.in.push_back(all.predicate(op->r[1]));
      o.out.push_back(all.predicate(op->r[0]));
    } else if (form == "%local_address" || form == "%special") {
      o.out.push_back(op->r[0]);
      all.note(op->r[0], true);
    } else {
      o.kind = Kind::leave;
      o.known = false;
    }
  }

  /// A guard with what it guards: its lanes alone write, so that what is written is read, too.
  Operation decode_guarded(const MicroOp* begin, const MicroOp* end) const {
    Operation group;
    group.op = begin;
    group.known = true;
    group.kind = Kind::handler;
    group.in.push_back(all.predicate(begin->r[0]));
    const MicroOp* op = begin + 1;
    for (; op != end && op->run != end_guard; ++op) {
      const Operation o = decode(op);
      const bool plain =
          o.kind == Kind::value || o.kind == Kind::access || o.kind == Kind::handler || o.kind == Kind::nothing;
      if (!o.known || !plain) group.known = false;
      group.takes_turn = group.takes_turn || o.takes_turn;
      group.in.insert(group.in.end(), o.in.begin(), o.in.end());
      group.out.insert(group.out.end(), o.out.begin(), o.out.end());
    }
    if (op == end) group.known = false;
    group.in.insert(group.in.end(), group.out.begin(), group.out.end());
    group.count = static_cast<std::uint32_t>(op - begin) + 1;
    if (!group.known) group.kind = Kind::leave;
    return group;
  }

  void decode_block(std::size_t block) const {
    const Program& p = all.program;
    const MicroOp* op = p.ops.data() + p.blocks[block].first_op;
    const MicroOp* end = p.ops.data() + (block + 1 < p.blocks.size() ? p.blocks[block + 1].first_op : p.ops.size());
    auto& list = all.blocks.emplace_back();
    while (op != end) {
      list.push_back(op->run == guard ? decode_guarded(op, end) : decode(op));
      const Operation& last = list.back();
      for (const Variable v : last.out) all.written[v] = true;
      all.may_poll = all.may_poll || last.takes_turn || !last.known;
      op += std::min<std::ptrdiff_t>(last.count, end - op);
    }
  }
};

Operations::Operations(const Program& p, const RowNames& rows)
    : program(p), wide(variables()), written(variables()), noted_(variables()) {
  for (const ConstantSlot& c : p.constants) note(c.slot, c.wide);
  for (const ParameterSlot& c : p.parameters) note(c.slot, c.wide);
  for (const SpecialSlot& c : p.specials) note(c.slot, c.wide);
  const Decoder decoder{*this, rows};
  for (std::size_t block = 0; block < p.blocks.size(); ++block) decoder.decode_block(block);
  // What an unknown operation writes nobody knows.
  for (const auto& list : blocks)
    for (const Operation& o : list) consistent = consistent && (o.known || o.kind == Kind::leave);
  for (const auto& list : blocks) consistent = consistent && !list.empty() && ends_block(list.back().kind);
}

void Operations::note(Variable v, bool is_wide) {
  if (noted_[v] && wide[v] != is_wide) consistent = false;
  noted_[v] = true;
  wide[v] = is_wide;
}

std::vector<std::uint32_t> Operations::successors(std::size_t block) const {
  if (blocks[block].empty()) return {};
  const Operation& last = blocks[block].back();
  if (last.kind == Kind::branch) return {static_cast<std::uint32_t>(last.op->imm)};
  if (last.kind == Kind::branch_if) return {taken_block(last.op), fall_through_block(last.op)};
  return {};
}

}  // namespace gpulab::simt::compiled
