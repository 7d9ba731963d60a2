#include "tests/differential/write_ptx.h"

#include <fmt/format.h>

#include <iterator>

namespace gpulab::differential {
namespace {

using simt::Kind;
using simt::Role;

const char* letter_of(Class cls) {
  static constexpr const char* letters[] = {"p", "h", "w", "d"};
  return letters[static_cast<std::size_t>(cls)];
}
std::string reg(const Operand& operand) { return fmt::format("%{}{}", letter_of(operand.cls), operand.index); }
std::string reg_or_literal(const Operand& operand, Kind kind = Kind::u32) {
  if (!operand.literal) return reg(operand);
  if (kind == Kind::f32) return fmt::format("0f{:08X}", operand.bits);
  if (kind == Kind::f64) return fmt::format("0d{:016X}", operand.bits);
  return fmt::format("0x{:x}", operand.bits);
}
std::string condition_text(const Condition& condition, bool inverted = false) {
  return fmt::format("@{}%p{} ", condition.negated != inverted ? "!" : "", condition.pred);
}
std::string guard_of(const Statement& s) { return s.guarded ? condition_text(s.condition) : ""; }

/// A list of registers in braces, where there are several.
std::string registers_text(const std::vector<Operand>& operands, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = first; i < operands.size(); ++i) text += (i > first ? ", " : "") + reg(operands[i]);
  return operands.size() - first > 1 ? "{" + text + "}" : text;
}

class Writer {
 public:
  Writer(const Program& program, const InstructionPool& pool) : program_(program), pool_(pool) {}

  std::string kernel() {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) function(i);
    line("// seed {}: grid {} block {}x{}", program_.seed, program_.grid.x, program_.block.x, program_.block.y);
    line(
        ".visible .entry k{}(.param .u64 init, .param .u64 in, .param .u64 own, .param .u64 counters, .param .u64 out) "
        "{{",
        program_.seed);
    prologue();
    statements(program_.statements);
    write_out();
    line("  ret;");
    line("}}");
    return std::move(text_);
  }

 private:
  template <typename... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }
  std::string label() { return fmt::format("L{}_{}", program_.seed, labels_++); }

  void registers() {
    line("  .reg .pred %p<{}>, %q;", kRegisters[0]);
    line("  .reg .b16 %h<{}>;", kRegisters[1]);
    line("  .reg .b32 %w<{}>, %x, %y, %c<8>, %gt, %me, %full, %lane, %s32, %z;", kRegisters[2]);
    line("  .reg .b64 %d<{}>, %a, %in, %own, %rows, %counters, %out, %s, %sg, %l, %lg;", kRegisters[3]);
    // Zeros that the compiler does not know, and copies.
    line("  .reg .b16 %hz, %hn<4>; .reg .b32 %wz, %wn<4>; .reg .b64 %dz, %dn<4>;");
    line("  mov.u32 %wz, %ctaid.z;\n  cvt.u16.u32 %hz, %wz;\n  cvt.u64.u32 %dz, %wz;");
  }

  void function(std::size_t index) {
    line(".func (.param .b64 r) f{}_{}(.param .b32 a, .param .b64 b) {{", program_.seed, index);
    registers();
    for (int i = 0; i < kRegisters[1]; ++i) line("  mov.b16 %h{}, {};", i, i);
    for (int i = 1; i < kRegisters[2]; ++i) line("  mov.b32 %w{}, {};", i, i);
    for (int i = 1; i < kRegisters[3]; ++i) line("  mov.b64 %d{}, {};", i, i);
    line("  ld.param.b32 %w0, [a];");
    line("  ld.param.b64 %d0, [b];");
    for (int i = 0; i < kRegisters[0]; ++i) {
      line("  and.b32 %x, %w0, {};", 1 << i);
      line("  setp.ne.u32 %p{}, %x, 0;", i);
    }
    statements(program_.functions[index]);
    line("  st.param.b64 [r], %d0;");
    line("  ret;");
    line("}}");
  }

  void prologue() {
    const std::uint32_t block = static_cast<std::uint32_t>(program_.block.volume()), n = program_.threads();
    line("  .shared .align 16 .b8 sh{}[{}];", program_.seed, block * kSharedBytes);
    line("  .shared .align 8 .b8 xch{}[{}];", program_.seed, block * 8);
    line("  .local .align 16 .b8 loc{}[{}];", program_.seed, kLocalBytes);
    registers();
    line("  mov.u32 %me, %tid.y;\n  mov.u32 %x, %ntid.x;\n  mov.u32 %y, %tid.x;\n  mad.lo.u32 %me, %me, %x, %y;");
    line("  mov.u32 %x, %ctaid.x;\n  mad.lo.u32 %gt, %x, {}, %me;", block);
    line("  and.b32 %lane, %me, 31;\n  mov.u32 %z, 0;");
    line("  mov.u32 %full, 0xffffffff;");
    if (block % 32 != 0) {
      line("  setp.ge.u32 %q, %me, {};", block / 32 * 32);
      line("  @%q mov.u32 %full, {};", (1u << block % 32) - 1);
    }
    line("  ld.param.u64 %a, [init];\n  mul.wide.u32 %out, %gt, 8;\n  add.u64 %a, %a, %out;");
    read_registers(n);
    line("  ld.param.u64 %a, [out];\n  add.u64 %out, %a, %out;");
    line("  ld.param.u64 %in, [in];\n  ld.param.u64 %counters, [counters];\n  ld.param.u64 %own, [own];");
    line("  add.u64 %rows, %own, {};\n  mul.wide.u32 %a, %gt, {};\n  add.u64 %own, %own, %a;", n * kOwnBytes,
         kOwnBytes);
    line("  mov.u32 %s32, sh{};\n  mad.lo.u32 %s32, %me, {}, %s32;\n  cvt.u64.u32 %s, %s32;", program_.seed,
         kSharedBytes);
    line("  cvta.shared.u64 %sg, %s;\n  mov.u64 %l, loc{};\n  cvta.local.u64 %lg, %l;", program_.seed);
    for (int at = 0; at < kSharedBytes; at += 16) line("  st.shared.v4.u32 [%s+{}], {{%z, %z, %z, %z}};", at);
    for (int at = 0; at < kLocalBytes; at += 16) line("  st.local.v4.u32 [%l+{}], {{%z, %z, %z, %z}};", at);
  }

  void read_registers(std::uint32_t n) {
    int word = 0;
    for (int i = 0; i < kRegisters[3]; ++i) line("  ld.global.u64 %d{}, [%a+{}];", i, word++ * 8 * n);
    for (int i = 0; i < kRegisters[2]; ++i) line("  ld.global.u32 %w{}, [%a+{}];", i, word++ * 8 * n);
    for (int i = 0; i < kRegisters[1]; ++i) line("  ld.global.u16 %h{}, [%a+{}];", i, word++ * 8 * n);
    line("  ld.global.u32 %x, [%a+{}];", word * 8 * n);
    for (int i = 0; i < kRegisters[0]; ++i) line("  and.b32 %y, %x, {};\n  setp.ne.u32 %p{}, %y, 0;", 1 << i, i);
  }

  void write_out() {
    const std::uint32_t n = program_.threads();
    int word = 0;
    for (int i = 0; i < kRegisters[3]; ++i) line("  st.global.u64 [%out+{}], %d{};", word++ * 8 * n, i);
    for (int i = 0; i < kRegisters[2]; ++i)
      line("  cvt.u64.u32 %a, %w{};\n  st.global.u64 [%out+{}], %a;", i, word++ * 8 * n);
    for (int i = 0; i < kRegisters[1]; ++i)
      line("  cvt.u64.u16 %a, %h{};\n  st.global.u64 [%out+{}], %a;", i, word++ * 8 * n);
    line("  mov.u32 %x, 0;");
    for (int i = 0; i < kRegisters[0]; ++i) line("  selp.b32 %y, {}, 0, %p{};\n  or.b32 %x, %x, %y;", 1 << i, i);
    line("  cvt.u64.u32 %a, %x;\n  st.global.u64 [%out+{}], %a;", word * 8 * n);
  }

  void statements(const std::vector<Statement>& list) {
    for (const auto& s : list) statement(s);
  }
  void statement(const Statement& s);
  void instruction(const Statement& s);
  std::string hidden_copy(const Operand& operand, std::size_t k);
  void canonical(const Statement& s, Kind kind);
  std::string address(const Access& a, const Operand& index);
  std::string space(const Access& a) const;
  void load(const Statement& s);
  void store(const Statement& s);
  void fetch(const Statement& s);
  void reduce(const Statement& s);
  void branch(const Statement& s);
  void loop(const Statement& s);
  void table(const Statement& s);
  void call(const Statement& s);
  void finish(const Statement& s);
  void warp_wide(const Statement& s);
  void exchange(const Statement& s);
  void block_vote(const Statement& s);

  const Program& program_;
  const InstructionPool& pool_;
  std::string text_;
  int labels_ = 0, loop_depth_ = 0;
  std::vector<std::pair<std::string, std::string>> loops_;  ///< where continue and break go
};

void Writer::statement(const Statement& s) {
  switch (s.kind) {
    case StatementKind::instruction:
      return instruction(s);
    case StatementKind::load:
      return load(s);
    case StatementKind::store:
      return store(s);
    case StatementKind::fetch:
      return fetch(s);
    case StatementKind::reduce:
      return reduce(s);
    case StatementKind::branch:
      return branch(s);
    case StatementKind::loop:
      return loop(s);
    case StatementKind::leave:
      return line("  {}bra {};", condition_text(s.condition), s.variant ? loops_.back().first : loops_.back().second);
    case StatementKind::table:
      return table(s);
    case StatementKind::call:
      return call(s);
    case StatementKind::finish:
      return finish(s);
    case StatementKind::exchange:
      return exchange(s);
    case StatementKind::block_vote:
      return block_vote(s);
    default:
      return warp_wide(s);
  }
}

/// Puts an operand into a register of which the compiler knows nothing.
std::string Writer::hidden_copy(const Operand& operand, std::size_t k) {
  const char* letter = letter_of(operand.cls);
  line("  xor.b{} %{}n{}, {}, %{}z;", bits_of(operand.cls), letter, k, reg_or_literal(operand), letter);
  return fmt::format("%{}n{}", letter, k);
}

void Writer::instruction(const Statement& s) {
  const PooledInstruction& one = pool_.at(s.instruction);
  std::string text;
  std::size_t out = 0, in = 0;
  for (const auto& operand : one.row->meaning.operands) {
    if (operand.role == Role::none) break;
    if (operand.role == Role::immediate) {
      text += fmt::format(", {}", s.immediate);
      continue;
    }
    const bool is_out = operand.role == Role::out || operand.role == Role::optional_out;
    std::string part;
    bool present = false;
    for (int k = 0; k < operand.vector; ++k) {
      const Operand& o = is_out ? s.out[out++] : s.in[in++];
      present = present || o.index >= 0;
      const bool hidden = one.hides_operands && !is_out;
      part += (k > 0 ? ", " : "") + (o.index < 0 ? "_"
                                     : hidden    ? hidden_copy(o, in - 1)
                                                 : reg_or_literal(o, operand.kind));
    }
    if (operand.vector > 1) part = "{" + part + "}";
    if (operand.vector == 1 && !present) continue;
    text += text.empty() ? part : (operand.role == Role::optional_out ? "|" : ", ") + part;
  }
  line("  {}{} {};", guard_of(s), one.opcode, text);
  if (one.canonical_nan) canonical(s, one.row->meaning.operands[0].kind);
}

void Writer::canonical(const Statement& s, Kind kind) {
  const std::string r = reg(s.out[0]);
  const char* type = kind == Kind::f64 ? "f64" : kind == Kind::f32 ? "f32" : kind == Kind::bf16 ? "bf16" : "f16";
  const char* nan = kind == Kind::f64 ? "0x7ff8000000000000" : kind == Kind::f32 ? "0x7fffffff" : "0x7fff";
  line("  setp.nan.{} %q, {}, {};", type, r, r);
  line("  {}selp.b{} {}, {}, {}, %q;", guard_of(s), bits_of(s.out[0].cls), r, nan, r);
}

std::string Writer::space(const Access& a) const {
  if (a.generic) return "";
  return a.space == Space::local ? ".local" : a.space == Space::shared ? ".shared" : ".global";
}

/// Leaves the address in %a (or in %x, of 32 bits) and gives the operand that names it.
std::string Writer::address(const Access& a, const Operand& index) {
  const int size = a.bytes * a.vector;
  if (a.space == Space::rows) {
    int row = 0;
    while (1 << row < size) ++row;
    line("  mul.wide.u32 %a, %gt, {};\n  add.u64 %a, %a, %rows;", size);
    return fmt::format("[%a+{}]", row * 16 * static_cast<int>(program_.threads()));
  }
  if (a.space == Space::input && a.pattern == Pattern::uniform) return fmt::format("[%in+{}]", a.fixed);
  const int range = a.space == Space::input ? kInputBytes : a.space == Space::own ? 64 : 32;
  if (a.pattern == Pattern::unit)
    line("  mul.lo.u32 %x, %gt, {};\n  and.b32 %x, %x, {};", size, range - 1);
  else
    line("  and.b32 %x, {}, {};\n  mul.lo.u32 %x, %x, {};", reg(index), range / size - 1, size);
  if (a.space == Space::shared && !a.generic && a.fixed != 0) {
    line("  add.u32 %x, %x, %s32;");
    return fmt::format("[%x+{}]", a.fixed);
  }
  const char* base = a.space == Space::input   ? "%in"
                     : a.space == Space::own   ? "%own"
                     : a.space == Space::local ? (a.generic ? "%lg" : "%l")
                                               : (a.generic ? "%sg" : "%s");
  line("  cvt.u64.u32 %a, %x;\n  add.u64 %a, %a, {};", base);
  return fmt::format("[%a+{}]", a.fixed);
}

std::string vector_text(int n) { return n == 1 ? "" : fmt::format(".v{}", n); }

void Writer::load(const Statement& s) {
  const std::string at = address(s.access, s.in[0]);
  line("  {}ld{}{}.{}{} {}, {};", guard_of(s), space(s.access), vector_text(s.access.vector), s.access.type,
       s.access.bytes * 8, registers_text(s.out), at);
}
void Writer::store(const Statement& s) {
  const std::string at = address(s.access, s.in[0]);
  std::string values = registers_text(s.in, 1);
  // The compiler of driver 580.159 takes a register for a number of the type that an instruction gave it, and converts
  // it to a narrower type of integer: an integer first.
  if (8 * s.access.bytes < bits_of(s.in[1].cls)) {
    values.clear();
    for (std::size_t k = 1; k < s.in.size(); ++k) values += (k > 1 ? ", " : "") + hidden_copy(s.in[k], k - 1);
    if (s.in.size() > 2) values = "{" + values + "}";
  }
  line("  {}st{}{}.{}{} {}, {};", guard_of(s), space(s.access), vector_text(s.access.vector), s.access.type,
       s.access.bytes * 8, at, values);
}
void Writer::fetch(const Statement& s) {
  const Reduction& one = kFetchTable[static_cast<std::size_t>(s.variant)];
  const std::string at = address(s.access, s.in[0]);
  const bool two = std::string_view(one.operation) == "cas";
  line("  atom{}.{}.{} {}, {}, {}{};", space(s.access), one.operation, one.type, reg(s.out[0]), at, reg(s.in[1]),
       two ? ", " + reg(s.in[2]) : "");
}
void Writer::reduce(const Statement& s) {
  const Reduction& one = kReductionTable[static_cast<std::size_t>(s.variant)];
  line("  and.b32 %x, {}, 7;\n  mul.wide.u32 %a, %x, 8;\n  add.u64 %a, %a, %counters;", reg(s.in[0]));
  line("  {}red.global.{}.{} [%a+{}], {};", guard_of(s), one.operation, one.type, s.variant * 64, reg(s.in[1]));
}

void Writer::branch(const Statement& s) {
  const std::string other = label(), end = label();
  line("  {}bra {};", condition_text(s.condition, true), other);
  statements(s.bodies[0]);
  if (!s.bodies[1].empty()) line("  bra {};", end);
  line("{}:", other);
  statements(s.bodies[1]);
  line("{}:", end);
}

void Writer::loop(const Statement& s) {
  const std::string top = label(), next = label(), end = label(), counter = fmt::format("%c{}", loop_depth_++);
  if (s.in[0].literal)
    line("  mov.u32 {}, {};", counter, s.in[0].bits);
  else
    line("  and.b32 {}, {}, {};", counter, reg(s.in[0]), s.immediate);
  const bool tested_last = s.variant == 1;
  if (tested_last) line("  max.u32 {}, {}, 1;", counter, counter);
  line("{}:", top);
  if (!tested_last) line("  setp.eq.u32 %q, {}, 0;\n  @%q bra {};", counter, end);
  loops_.emplace_back(next, end);
  statements(s.bodies[0]);
  loops_.pop_back();
  line("{}:\n  sub.u32 {}, {}, 1;", next, counter, counter);
  if (tested_last)
    line("  setp.ne.u32 %q, {}, 0;\n  @%q bra {};", counter, top);
  else
    line("  bra {};", top);
  line("{}:", end);
  --loop_depth_;
}

void Writer::table(const Statement& s) {
  const std::string name = label(), end = label();
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) targets.push_back(label());
  line("  and.b32 %x, {}, {};", reg(s.in[0]), s.immediate);
  line("{}: .branchtargets {};", name, fmt::join(targets, ", "));
  line("  brx.idx %x, {};", name);
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    line("{}:", targets[i]);
    statements(s.bodies[i]);
    if (s.variant == 0) line("  bra {};", end);
  }
  line("{}:", end);
}

void Writer::call(const Statement& s) {
  const std::string end = label();
  if (s.guarded) line("  {}bra {};", condition_text(s.condition, true), end);
  line("  {{\n  .param .b32 pa;\n  .param .b64 pb;\n  .param .b64 pr;");
  line("  st.param.b32 [pa], {};\n  st.param.b64 [pb], {};", reg(s.in[0]), reg(s.in[1]));
  line("  call (pr), f{}_{}, (pa, pb);", program_.seed, s.variant);
  line("  ld.param.b64 {}, [pr];\n  }}", reg(s.out[0]));
  line("{}:", end);
}

void Writer::finish(const Statement& s) {
  const std::string end = label();
  line("  {}bra {};", condition_text(s.condition, true), end);
  write_out();
  line("  {};", labels_ % 2 ? "exit" : "ret");
  line("{}:", end);
}

void Writer::warp_wide(const Statement& s) {
  const std::string end = label();
  const std::string out = reg(s.out[0]);
  const std::string both = s.out.size() > 1 && s.out[1].index >= 0 ? out + "|" + reg(s.out[1]) : out;
  if (s.members != ~0u) {
    line("  shr.u32 %x, 0x{:x}, %lane;\n  and.b32 %x, %x, 1;\n  setp.eq.u32 %q, %x, 0;", s.members);
    line("  @%q bra {};", end);
  }
  line("  and.b32 %y, %full, 0x{:x};", s.members);
  if (s.kind == StatementKind::shuffle) {
    static constexpr const char* modes[] = {"up", "down", "bfly", "idx"};
    line("  shfl.sync.{}.b32 {}, {}, {}, 0x{:x}, %y;", modes[s.variant], both, reg(s.in[0]), reg_or_literal(s.in[1]),
         s.immediate);
  } else if (s.kind == StatementKind::vote) {
    static constexpr const char* modes[] = {"all.pred", "any.pred", "uni.pred", "ballot.b32"};
    line("  vote.sync.{} {}, {}%p{}, %y;", modes[s.variant], out, s.condition.negated ? "!" : "", s.condition.pred);
  } else if (s.kind == StatementKind::match && s.variant == 1) {
    line("  match.any.sync.b64 {}, {}, %y;", out, reg(s.in[0]));
  } else if (s.kind == StatementKind::match) {
    line("  and.b32 %x, {}, {};", reg(s.in[0]), s.immediate);
    line("  match.{}.sync.b32 {}, %x, %y;", s.variant == 2 ? "all" : "any", both);
  } else {
    const Reduction& one = kWarpReductions[static_cast<std::size_t>(s.variant)];
    line("  redux.sync.{}.{} {}, {}, %y;", one.operation, one.type, out, reg(s.in[0]));
  }
  line("{}:", end);
}

void Writer::exchange(const Statement& s) {
  const auto block = static_cast<std::uint32_t>(program_.block.volume());
  line("  mov.u32 %y, xch{};\n  mad.lo.u32 %x, %me, 8, %y;", program_.seed);
  line("  st.shared.b64 [%x], {};\n  bar.sync 0;", reg(s.in[0]));
  if (s.variant == 0)
    line("  add.u32 %x, %me, {};\n  rem.u32 %x, %x, {};", s.immediate, block);
  else if (s.variant == 1)
    line("  sub.u32 %x, {}, %me;", block - 1);
  else
    line("  rem.u32 %x, {}, {};", reg(s.in[1]), block);
  line("  mad.lo.u32 %x, %x, 8, %y;\n  ld.shared.b64 {}, [%x];\n  bar.sync 0;", reg(s.out[0]));
}

void Writer::block_vote(const Statement& s) {
  static constexpr const char* modes[] = {"and.pred", "or.pred", "popc.u32"};
  line("  bar.red.{} {}, {}, {}%p{};", modes[s.variant], reg(s.out[0]), s.immediate, s.condition.negated ? "!" : "",
       s.condition.pred);
}

}  // namespace

std::string write_kernel(const Program& program, const InstructionPool& pool) { return Writer(program, pool).kernel(); }
std::string write_ptx(const Program& program, const InstructionPool& pool) {
  return kModuleHead + write_kernel(program, pool);
}

}  // namespace gpulab::differential
