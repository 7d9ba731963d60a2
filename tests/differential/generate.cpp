#include "tests/differential/generate.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "tests/instructions/instruction_case.h"

namespace gpulab::differential {
namespace {

using simt::Kind;
using simt::Role;

constexpr std::uint64_t kEdges[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    255,
                                    0x7f,
                                    0x80,
                                    0xffff,
                                    0x8000,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x3f800000,
                                    0xbf000000,
                                    0x7f800000,
                                    0x00800000,
                                    0x4b000001,
                                    0x3c003c00,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff,
                                    0x3ff0000000000000,
                                    0xc000000000000000,
                                    0x7ff0000000000000,
                                    0x41dfffffffc00000};

Class class_of(Kind kind) {
  const int width = simt::width_of(kind);
  return width == 1 ? Class::pred : width <= 16 ? Class::b16 : width == 32 ? Class::b32 : Class::b64;
}
/// Kinds of 16 bits that take no literal.
bool is_half(Kind kind) { return kind == Kind::f16 || kind == Kind::bf16; }

class Generator {
 public:
  Generator(std::uint64_t seed, const InstructionPool& pool) : pool_(pool), random_(seed) { program_.seed = seed; }

  Program every_instruction() {
    program_.grid = program_.block = {1, 1, 1};
    for (std::size_t i = 0; i < pool_.all().size(); ++i)
      for (const std::uint32_t rarity : {0u, 1u}) {
        literal_rarity_ = rarity;
        program_.statements.push_back(instruction(static_cast<int>(i)));
        program_.statements.back().guarded = false;
      }
    return std::move(program_);
  }

  Program program() {
    static constexpr std::uint32_t blocks[] = {32, 64, 64, 96, 128, 50, 33, 7};
    program_.block = {blocks[below(8)], 1, 1};
    if (one_in(6) && program_.block.x % 4 == 0) program_.block = {program_.block.x / 4, 4, 1};
    program_.grid = {1 + below(3), 1, 1};
    whole_warps_ = program_.block.volume() % 32 == 0;
    for (std::uint32_t k = below(3); k > 0; --k) add_function();
    const std::uint32_t together = 6 + below(16), alone = one_in(2) ? 4 + below(10) : 0;
    for (std::uint32_t i = 0; i < together; ++i)
      program_.statements.push_back(one_in(5) ? collective() : statement(0, false));
    may_finish_ = true;  // and no statement of a whole warp or block follows
    for (std::uint32_t i = 0; i < alone; ++i) program_.statements.push_back(statement(0, false));
    return std::move(program_);
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() >> 33) % n; }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  Operand any(Class cls) {
    Operand operand;
    operand.cls = cls;
    operand.index = static_cast<int>(below(static_cast<std::uint32_t>(kRegisters[static_cast<std::size_t>(cls)])));
    return operand;
  }
  Operand literal(Class cls, std::uint64_t bits) {
    Operand operand;
    operand.cls = cls;
    operand.literal = true;
    operand.bits = bits_of(cls) == 64 ? bits : bits & ((std::uint64_t{1} << bits_of(cls)) - 1);
    return operand;
  }
  std::uint64_t edge() { return one_in(4) ? random_() : kEdges[below(std::size(kEdges))]; }
  Condition condition() { return {any(Class::pred).index, one_in(2)}; }

  void add_function() {
    in_function_ = true;
    std::vector<Statement> body;
    for (std::uint32_t n = 3 + below(5); n > 0; --n) body.push_back(statement(1, false));
    program_.functions.push_back(std::move(body));
    in_function_ = false;
  }

  // ---- instructions ----

  static bool may_be_literal(const PooledInstruction& one, Kind kind) {
    const bool packed = one.opcode.find("x2") != std::string::npos || one.opcode.starts_with('v');
    return !packed && kind != Kind::pred && !is_half(kind) && kind != Kind::u8 && kind != Kind::s8;
  }
  Operand source(const PooledInstruction& one, Kind kind, bool in_vector) {
    if (in_vector || !may_be_literal(one, kind) || literal_rarity_ == 0 || !one_in(literal_rarity_))
      return any(class_of(kind));
    Operand operand = literal(class_of(kind), edge());
    const bool divides = one.family == "div" || one.family == "rem" || one.family == "rcp";
    if (divides && operand.bits == 0) operand.bits = 3;  // compilers need not fold a division by zero as it runs
    const bool field = one.family == "bfe" || one.family == "bfi";
    if (field && kind == Kind::u32) operand.bits &= 0xff;  // ptxas takes no others for start and length
    return operand;
  }
  /// A destination that differs from all `others`.
  Operand destination(const std::vector<Operand>& others, Class cls) {
    Operand operand = any(cls);
    while (std::find(others.begin(), others.end(), operand) != others.end()) operand = any(cls);
    return operand;
  }
  static Operand absent(Class cls) {
    Operand operand;
    operand.cls = cls;
    operand.index = -1;
    return operand;
  }

  Statement instruction() {
    const auto& family = pool_.families()[below(static_cast<std::uint32_t>(pool_.families().size()))];
    return instruction(family[below(static_cast<std::uint32_t>(family.size()))]);
  }
  Statement instruction(int index) {
    Statement s;
    s.instruction = index;
    const PooledInstruction& one = pool_.at(s.instruction);
    for (const auto& operand : one.row->meaning.operands) {
      const Class cls = class_of(operand.kind);
      for (int k = 0; k < operand.vector; ++k) {
        if (operand.role == Role::out)
          s.out.push_back(destination(s.out, cls));
        else if (operand.role == Role::optional_out)
          s.out.push_back(one.opcode.ends_with("f16") || !one_in(3) ? absent(cls) : destination(s.out, cls));
        else if (operand.role == Role::in)
          s.in.push_back(source(one, operand.kind, operand.vector > 1));
        else if (operand.role == Role::optional_in)
          s.in.push_back(one.combines ? any(cls) : absent(cls));
        else if (operand.role == Role::immediate)
          s.immediate = below(256);
      }
    }
    s.guarded = one.may_be_guarded && one_in(5);
    s.condition = condition();
    return s;
  }

  // ---- memory ----

  Access access(bool store) {
    Access a;
    static constexpr Space to_load[] = {Space::input, Space::input, Space::own,
                                        Space::rows,  Space::local, Space::shared};
    static constexpr Space to_store[] = {Space::own, Space::rows, Space::local, Space::shared};
    a.space = store ? to_store[below(4)] : to_load[below(6)];
    a.bytes = 1 << below(4);
    a.vector = 1 << below(3);
    while (a.bytes * a.vector > 16) a.vector /= 2;
    a.type = "usbf"[below(a.bytes >= 4 ? 4 : 3)];
    a.generic = one_in(4);
    if (a.space == Space::input) a.pattern = static_cast<Pattern>(below(3));
    if (a.space == Space::input && a.pattern == Pattern::uniform)
      a.fixed = static_cast<int>(below(kInputBytes / 16)) * 16;
    else if (a.space == Space::own)
      a.fixed = static_cast<int>(below(3)) * 32;
    else if (a.space == Space::local || a.space == Space::shared)
      a.fixed = static_cast<int>(below(2)) * 32;
    return a;
  }
  /// A register class that holds the elements.
  Class holder(const Access& a) {
    if (a.type == 'f') return a.bytes == 8 ? Class::b64 : Class::b32;
    const int least = a.bytes == 8 ? 3 : a.bytes == 4 ? 2 : 1;
    return static_cast<Class>(least + static_cast<int>(below(static_cast<std::uint32_t>(4 - least))));
  }
  Statement load() {
    Statement s;
    s.kind = StatementKind::load;
    s.access = access(false);
    const Class cls = holder(s.access);
    for (int k = 0; k < s.access.vector; ++k) s.out.push_back(destination(s.out, cls));
    s.in.push_back(any(Class::b32));
    s.guarded = one_in(5);
    s.condition = condition();
    return s;
  }
  Statement store() {
    Statement s;
    s.kind = StatementKind::store;
    s.access = access(true);
    const Class cls = holder(s.access);
    s.in.push_back(any(Class::b32));
    for (int k = 0; k < s.access.vector; ++k) s.in.push_back(any(cls));
    s.guarded = one_in(5);
    s.condition = condition();
    return s;
  }
  Statement fetch() {
    Statement s;
    s.kind = StatementKind::fetch;
    s.variant = static_cast<int>(below(kFetches));
    const Class cls = kFetchTable[static_cast<std::size_t>(s.variant)].bytes == 8 ? Class::b64 : Class::b32;
    s.access.space = one_in(3) ? Space::shared : Space::own;
    s.access.bytes = bits_of(cls) / 8;
    s.access.generic = one_in(4);
    s.out = {any(cls)};
    s.in = {any(Class::b32), any(cls), any(cls)};
    return s;
  }
  Statement reduce() {
    Statement s;
    s.kind = StatementKind::reduce;
    s.variant = static_cast<int>(below(kReductions));
    const Class cls = kReductionTable[static_cast<std::size_t>(s.variant)].bytes == 8 ? Class::b64 : Class::b32;
    s.in = {any(Class::b32), any(cls)};
    s.guarded = one_in(4);
    s.condition = condition();
    return s;
  }

  // ---- control flow ----

  std::vector<Statement> body(int depth, bool in_loop) {
    std::vector<Statement> statements;
    for (std::uint32_t n = 1 + below(4); n > 0; --n) statements.push_back(statement(depth + 1, in_loop));
    return statements;
  }
  Statement branch(int depth, bool in_loop) {
    Statement s;
    s.kind = StatementKind::branch;
    s.condition = condition();
    s.bodies.push_back(body(depth, in_loop));
    s.bodies.push_back(one_in(2) ? body(depth, in_loop) : std::vector<Statement>{});
    return s;
  }
  Statement loop(int depth) {
    Statement s;
    s.kind = StatementKind::loop;
    s.in = {one_in(4) ? literal(Class::b32, 1 + below(4)) : any(Class::b32)};
    s.immediate = depth > 0 || one_in(2) ? 3 : 7;  // trips: the register's low bits
    s.variant = static_cast<int>(below(2));
    s.bodies.push_back(body(depth, true));
    return s;
  }
  Statement leave() {
    Statement s;
    s.kind = StatementKind::leave;
    s.condition = condition();
    s.variant = static_cast<int>(below(2));
    return s;
  }
  Statement table(int depth, bool in_loop) {
    Statement s;
    s.kind = StatementKind::table;
    s.in = {any(Class::b32)};
    s.immediate = one_in(2) ? 1 : 3;
    s.variant = static_cast<int>(below(2));  // 1: a case falls through to the next
    for (std::uint32_t k = 0; k <= s.immediate; ++k) s.bodies.push_back(body(depth, in_loop));
    return s;
  }
  Statement call() {
    Statement s;
    s.kind = StatementKind::call;
    s.variant = static_cast<int>(below(static_cast<std::uint32_t>(program_.functions.size())));
    s.out = {any(Class::b64)};
    s.in = {any(Class::b32), any(Class::b64)};
    s.guarded = one_in(4);
    s.condition = condition();
    return s;
  }

  /// What a thread does by itself.
  Statement statement(int depth, bool in_loop) {
    const std::uint32_t dice = below(100);
    const bool nests = depth < 3;
    if (dice < 8 && !in_function_) return load();
    if (dice < 15 && !in_function_) return store();
    if (dice < 18 && !in_function_) return fetch();
    if (dice < 20 && !in_function_) return reduce();
    if (dice < 28 && nests) return branch(depth, in_loop);
    if (dice < 33 && nests) return loop(depth);
    if (dice < 35 && depth < 2) return table(depth, in_loop);
    if (dice < 38 && !program_.functions.empty()) return call();
    if (dice < 43 && in_loop) return leave();
    if (dice < 45 && may_finish_ && !in_function_) {
      Statement s;
      s.kind = StatementKind::finish;
      s.condition = condition();
      return s;
    }
    return instruction();
  }

  // ---- statements of a warp or a block ----

  /// A member mask, one in three of them partial: lanes outside of it skip the statement.
  std::uint32_t members() {
    if (!one_in(3)) return ~0u;
    const std::uint32_t mask = static_cast<std::uint32_t>(random_()) | (one_in(2) ? 1u : 0x00010000u);
    return mask == 0 ? 1 : mask;
  }
  Statement shuffle() {
    Statement s;
    s.kind = StatementKind::shuffle;
    s.variant = static_cast<int>(below(4));
    s.out = {any(Class::b32), one_in(2) ? any(Class::pred) : absent(Class::pred)};
    s.in = {any(Class::b32), one_in(2) ? any(Class::b32) : literal(Class::b32, below(32))};
    const std::uint32_t width = 32u >> below(4);
    s.immediate = (32 - width) << 8 | (s.variant == 0 ? 0 : 31);
    if (one_in(4)) {  // a mask that contains each member's partner, so that no lane reads one outside
      const std::uint32_t distance = 1u << below(5);
      s.variant = 2;
      s.in[1] = literal(Class::b32, distance);
      s.immediate = 31;
      std::uint32_t mask = static_cast<std::uint32_t>(random_()) | 1;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) mask |= 1u << (lane ^ distance);
      s.members = mask;
    }
    return s;
  }
  Statement collective() {
    Statement s;
    switch (below(whole_warps_ ? 7 : 5)) {
      case 0:
        s.kind = StatementKind::vote;
        s.variant = static_cast<int>(below(4));
        s.condition = condition();
        s.members = members();
        s.out = {any(s.variant == 3 ? Class::b32 : Class::pred)};
        return s;
      case 1:
        s.kind = StatementKind::match;
        s.variant = static_cast<int>(below(3));
        s.members = members();
        s.immediate = one_in(2) ? 3 : 1;
        s.in = {any(s.variant == 1 ? Class::b64 : Class::b32)};
        s.out = {any(Class::b32), s.variant == 2 ? any(Class::pred) : absent(Class::pred)};
        return s;
      case 2:
        s.kind = StatementKind::reduction;
        s.variant = static_cast<int>(below(8));
        s.members = members();
        s.in = {any(Class::b32)};
        s.out = {any(Class::b32)};
        return s;
      case 3:
        s.kind = StatementKind::exchange;
        s.variant = static_cast<int>(below(3));
        s.immediate = below(static_cast<std::uint32_t>(program_.block.volume()));
        s.in = {any(Class::b64), any(Class::b32)};
        s.out = {any(Class::b64)};
        return s;
      case 4:
        s.kind = StatementKind::block_vote;
        s.variant = static_cast<int>(below(3));
        s.immediate = below(16);
        s.condition = condition();
        s.out = {any(s.variant == 2 ? Class::b32 : Class::pred)};
        return s;
      default:
        return shuffle();
    }
  }

  const InstructionPool& pool_;
  std::mt19937_64 random_;
  Program program_;
  std::uint32_t literal_rarity_ = 6;
  bool whole_warps_ = false, in_function_ = false, may_finish_ = false;
};

}  // namespace

Program generate(std::uint64_t seed, const InstructionPool& pool) { return Generator(seed, pool).program(); }

Program every_instruction(const InstructionPool& pool) { return Generator(0, pool).every_instruction(); }

}  // namespace gpulab::differential
