#include "common/simt/timing/code/vectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <set>
#include <string_view>

namespace gpulab::simt {

namespace {

constexpr std::uint64_t kMostAligned = 16;  // bytes: the widest load

std::uint64_t aligned_by(std::uint64_t value) {
  return value == 0 ? kMostAligned : std::min(kMostAligned, std::uint64_t{1} << std::countr_zero(value));
}

/// What ptxas may make a part of a wider access of shared memory: one element or a pair of them. Bytes and signed
/// halves that a load extends stay alone.
struct Part {
  const ptx::Instruction* instruction = nullptr;
  const ptx::Operand* address = nullptr;
  std::uint64_t element = 0, bytes = 0;

  /// The widest access that its elements become a part of: four of them, two of 8 bytes.
  [[nodiscard]] std::uint64_t widest() const { return std::min(kMostAligned, 4 * element); }
  [[nodiscard]] std::int64_t offset() const { return address->integer; }
};

/// Whether a store takes another register than its own operands': that of the branch around its block.
bool is_guarded(const TimedInstruction& t, const ptx::Instruction& i) {
  std::set<std::int32_t> own;
  for (const auto& operand : i.operands) {
    own.insert(operand.reg);
    for (const auto& element : operand.elements) own.insert(element.reg);
  }
  own.erase(-1);
  return std::ranges::count_if(t.in, [](std::uint16_t r) { return r != 0; }) > static_cast<std::ptrdiff_t>(own.size());
}

std::optional<Part> part_of(const Program& program, const TimedInstruction& t) {
  const bool is_load = t.kind == TimedInstruction::Kind::load;
  if ((!is_load && t.kind != TimedInstruction::Kind::store) || t.space != TimedInstruction::Space::shared || t.spill ||
      t.cost.issue == 0)
    return std::nullopt;
  const ptx::Instruction& i = *program.sites[t.site].instruction;
  if (i.guard_reg >= 0 || i.operands.size() != 2) return std::nullopt;
  std::string_view type = i.opcode;
  const std::string_view begins = is_load ? "ld.shared." : "st.shared.";
  if (!type.starts_with(begins)) return std::nullopt;  // volatile, of another block, …
  type.remove_prefix(begins.size());
  Part part{.instruction = &i, .address = &i.operands[is_load ? 1 : 0]};
  if (part.address->kind != ptx::Operand::Kind::address) return std::nullopt;
  const std::size_t count = type.starts_with("v2.") ? 2 : 1;
  if (count == 2) type.remove_prefix(3);
  const auto& value = i.operands[is_load ? 0 : 1];
  if (type == "u16" || type == "b16") {
    part.element = 2;
    const auto reg =
        value.kind == ptx::Operand::Kind::vector && !value.elements.empty() ? value.elements[0].reg : value.reg;
    const auto& registers = program.sites[t.site].function->registers;
    if (reg < 0 || static_cast<std::size_t>(reg) >= registers.size()) return std::nullopt;
    if (registers[static_cast<std::size_t>(reg)].type.size != 2) return std::nullopt;
  } else if (type == "f32" || type == "u32" || type == "s32" || type == "b32") {
    part.element = 4;
  } else if (type == "f64" || type == "u64" || type == "s64" || type == "b64") {
    part.element = 8;
  } else {
    return std::nullopt;
  }
  part.bytes = count * part.element;
  if (!is_load && is_guarded(t, i)) return std::nullopt;
  return part.bytes < part.widest() ? std::optional(part) : std::nullopt;
}
}  // namespace

Alignment::Alignment(const ptx::Function& function) {
  for (const ptx::Instruction& i : function.instructions)
    if (!i.operands.empty() && i.operands[0].kind == ptx::Operand::Kind::reg) writers_[i.operands[0].reg].push_back(&i);
}

std::uint64_t Alignment::of(std::int32_t reg, int depth) {
  constexpr int deepest = 8;
  if (const auto found = known_.find(reg); found != known_.end()) return found->second;
  const auto writers = writers_.find(reg);
  if (depth > deepest || writers == writers_.end()) return 1;
  known_[reg] = kMostAligned;  // a loop's register that is added to: as well as what is added
  std::uint64_t all = kMostAligned;
  for (const ptx::Instruction* i : writers->second) all = std::min(all, of_result(*i, depth));
  return known_[reg] = all;
}

std::uint64_t Alignment::of_operand(const ptx::Operand& operand, int depth) {
  using enum ptx::Operand::Kind;
  if (operand.kind == integer) return aligned_by(static_cast<std::uint64_t>(operand.integer));
  if (operand.kind == symbol) return aligned_by(static_cast<std::uint64_t>(operand.integer));  // arrays start at 16
  return operand.kind == reg ? of(operand.reg, depth + 1) : 1;
}

std::uint64_t Alignment::of_result(const ptx::Instruction& i, int depth) {
  const std::string_view name = i.opcode.substr(0, i.opcode.find('.'));
  const auto operand = [&](std::size_t n) { return n < i.operands.size() ? of_operand(i.operands[n], depth) : 1; };
  const auto product = [&] { return std::min(kMostAligned, operand(1) * operand(2)); };
  if (name == "mov" || name == "cvta" || name == "cvt") return operand(1);
  if (name == "add" || name == "sub" || name == "or") return std::min(operand(1), operand(2));
  if (name == "and") return std::max(operand(1), operand(2));
  if (name == "mul") return product();
  if (name == "mad") return std::min(product(), operand(3));
  if (name == "shl" && i.operands.size() > 2 && i.operands[2].kind == ptx::Operand::Kind::integer)
    return std::min(kMostAligned, operand(1) << std::clamp<std::int64_t>(i.operands[2].integer, 0, 4));
  return 1;
}

namespace {

/// Accesses of one block that lie in one piece of shared memory as large as the widest of them.
struct Piece {
  struct Member {
    TimedInstruction* access;
    unsigned quarters;  ///< of the piece, that it takes
  };
  const ptx::Function* function = nullptr;
  const ptx::Operand* address = nullptr;  ///< of the first
  std::array<std::uint16_t, 6> in{};      ///< of loads, the same of all: base and guard
  std::uint16_t base = 0;                 ///< the address' register, 0: a symbol
  std::size_t first = 0;                  ///< its place in the block
  std::uint64_t widest = 0;
  std::int64_t start = 0;  ///< from the register or symbol that the address names
  bool loads = true;
  std::vector<Member> members;

  [[nodiscard]] unsigned taken() const {
    unsigned all = 0;
    for (const auto& member : members) all |= member.quarters;
    return all;
  }
  [[nodiscard]] bool takes(const Part& part, const TimedInstruction& t, std::int64_t from) const {
    return loads == (t.kind == TimedInstruction::Kind::load) && widest == part.widest() && start == from &&
           address->reg == part.address->reg && address->name == part.address->name && (!loads || in == t.in);
  }
};

void add_all(std::array<std::uint16_t, 6>& to, const std::array<std::uint16_t, 6>& registers) {
  for (const std::uint16_t r : registers) {
    if (r == 0 || std::ranges::find(to, r) != to.end()) continue;
    if (const auto place = std::ranges::find(to, 0); place != to.end()) *place = r;
  }
}

/// Makes one of those that lie in these quarters: of loads the first, of stores the last; the others cost nothing.
void join(Piece& piece, unsigned quarters, std::vector<JoinedAccess>& all) {
  std::vector<TimedInstruction*> joined;
  for (const auto& member : piece.members)
    if ((member.quarters & ~quarters) == 0) joined.push_back(member.access);
  if (joined.size() < 2) return;
  TimedInstruction& kept = piece.loads ? *joined.front() : *joined.back();
  for (TimedInstruction* t : joined) {
    if (t == &kept) continue;
    add_all(kept.out, t->out);
    add_all(kept.in, t->in);
    t->kind = TimedInstruction::Kind::plain;
    t->cost = {Pipe::none, 0, 0, 0};
    t->in = t->out = {};
  }
  kept.offset = piece.start + (quarters & 3 ? 0 : static_cast<std::int64_t>(piece.widest / 2));
  kept.bytes = static_cast<std::uint8_t>(std::popcount(quarters) * static_cast<int>(piece.widest) / 4);
  all.push_back({kept.site, kept.bytes});
}

/// A load may bring a quarter that nobody takes, a store has to have them all; else halves.
void close(Piece& piece, Alignments& alignments, std::vector<JoinedAccess>& joined) {
  constexpr unsigned all = 15, lower = 3, upper = 12;
  if (piece.members.size() < 2) return;
  std::uint64_t base = kMostAligned;  // a symbol's
  if (piece.address->reg >= 0)
    base = alignments.try_emplace(piece.function, *piece.function).first->second.of(piece.address->reg);
  const unsigned taken = piece.taken();
  if (base >= piece.widest && (taken == all || (piece.loads && std::popcount(taken) == 3)))
    return join(piece, all, joined);
  for (const unsigned half : {lower, upper})
    if (base >= piece.widest / 2 && (taken & half) == half) join(piece, half, joined);
}

bool may_touch_shared(const TimedInstruction& t) {
  return t.space == TimedInstruction::Space::shared || t.space == TimedInstruction::Space::any;
}

/// Whether loads (stores) of shared memory behind this one stay apart from those before it.
bool parts(const TimedInstruction& t, bool loads) {
  using Kind = TimedInstruction::Kind;
  if (t.kind == Kind::plain || t.spill) return false;
  if (t.kind == Kind::load) return !loads && may_touch_shared(t);
  if (t.kind == Kind::store) return may_touch_shared(t);
  return true;
}

}  // namespace

std::vector<JoinedAccess> join_neighbours(const Program& program, std::vector<TimedInstruction>& code,
                                          Alignments& alignments) {
  constexpr std::size_t furthest = 128;  // instructions between two that are joined
  std::vector<Piece> open;
  std::vector<JoinedAccess> joined;
  const auto close_if = [&](const auto& ends) {
    for (Piece& piece : open)
      if (ends(piece)) close(piece, alignments, joined);
    std::erase_if(open, ends);
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    TimedInstruction& t = code[at];
    const auto part = part_of(program, t);
    const bool loads = t.kind == TimedInstruction::Kind::load;
    const std::int64_t widest = part ? static_cast<std::int64_t>(part->widest()) : 1;
    const std::int64_t inside = part ? part->offset() & (widest - 1) : 0;
    const unsigned quarters =
        part ? ((1U << (4 * part->bytes / part->widest())) - 1) << static_cast<unsigned>(4 * inside / widest) : 0;
    const auto takes = [&](const Piece& piece) {
      return part && piece.takes(*part, t, part->offset() - inside) && (piece.taken() & quarters) == 0;
    };
    close_if(
        [&](const Piece& piece) { return at - piece.first > furthest || (parts(t, piece.loads) && !takes(piece)); });
    if (part && 4 * inside % widest == 0) {
      auto piece = std::ranges::find_if(open, takes);
      if (piece == open.end())
        piece = open.insert(open.end(), {program.sites[t.site].function,
                                         part->address,
                                         t.in,
                                         t.base,
                                         at,
                                         part->widest(),
                                         part->offset() - inside,
                                         loads,
                                         {}});
      piece->members.push_back({&t, quarters});
    }
    close_if([&](const Piece& piece) { return piece.base && std::ranges::find(t.out, piece.base) != t.out.end(); });
  }
  for (Piece& piece : open) close(piece, alignments, joined);
  return joined;
}

}  // namespace gpulab::simt
