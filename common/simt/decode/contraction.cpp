#include "common/simt/decode/contraction.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

namespace gpulab::simt {

// The rule, within one basic block, for products and sums of one type that name neither rounding nor .sat:
//   1. A product whose one use is a sum is taken into it; of two such operands, the first.
//   2. Then sum by sum: a product all of whose other uses are sums, too, is taken into this one. Of two such operands
//      it is the one with fewer uses in all; of two alike, the first. A product that was added to another remains one.
// A product that is used otherwise (stored, compared, multiplied, twice by one sum) stays a product, and what adds it
// stays a sum. `mov` and `neg` only rename. Basic blocks end at branches and labels, and where ptxas calls a
// subroutine: for quotients and roots that are correctly rounded, and for quotients of integers but 32-bit unsigned
// ones.

namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr std::int32_t kNone = -1;

std::string_view name_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }
bool has(std::string_view opcode, std::string_view word) { return opcode.find(word) != std::string_view::npos; }

/// ".ftz.f32" of "mul.ftz.f32" and "div.approx.ftz.f32"; nothing where it names a rounding, saturates, or is no sum,
/// product or such a quotient of numbers.
std::string_view type_of(std::string_view opcode) {
  static constexpr std::array<std::string_view, 9> types{".f32",       ".ftz.f32", ".f64",  ".f16",   ".ftz.f16",
                                                         ".ftz.f16x2", ".f16x2",   ".bf16", ".bf16x2"};
  std::string_view type = opcode.substr(name_of(opcode).size());
  for (const std::string_view quotient : {".approx", ".full"})
    if (type.starts_with(quotient)) type.remove_prefix(quotient.size());
  return std::ranges::find(types, type) == types.end() ? std::string_view{} : type;
}
bool is_float(std::string_view opcode) { return has(opcode, ".f") || has(opcode, ".bf"); }
/// A quotient by div.approx or div.full ends with a product, too.
bool is_product(const Instruction& i) {
  const std::string_view name = name_of(i.opcode);
  const bool quotient = name == "div" && (has(i.opcode, ".approx") || has(i.opcode, ".full"));
  return (name == "mul" || quotient) && !type_of(i.opcode).empty() && i.guard.empty() && i.operands.size() == 3;
}
bool names_rounding(std::string_view opcode) {
  static constexpr std::array<std::string_view, 4> roundings{".rn", ".rz", ".rm", ".rp"};
  return std::ranges::any_of(roundings, [&](std::string_view r) { return has(opcode, r); });
}
/// What may be taken together with a product by ptxas, if not by the rule.
bool may_be_sum(const Instruction& i) {
  const std::string_view name = name_of(i.opcode);
  return (name == "add" || name == "sub") && is_float(i.opcode) && !names_rounding(i.opcode);
}
/// Gives what ptxas may take into a sum: rcp.approx ends with a multiplication, too.
bool may_be_product(const Instruction& i) {
  const std::string_view name = name_of(i.opcode);
  return is_float(i.opcode) && !names_rounding(i.opcode) && (name == "mul" || name == "div" || name == "rcp");
}
bool renames(const Instruction& i) {
  const std::string_view name = name_of(i.opcode);
  return i.operands.size() == 2 && i.operands[1].kind == Operand::Kind::reg && (name == "mov" || name == "neg");
}

/// ptxas leaves out min(x, x), and the magnitude of what cannot be negative.
bool may_be_left_out(const Instruction& i) {
  const std::string_view name = name_of(i.opcode);
  if (name == "abs") return i.operands.size() == 2;
  return (name == "min" || name == "max") && i.operands.size() == 3 && i.operands[1].reg == i.operands[2].reg;
}

/// Whether ptxas ends a basic block here. What is not known to go on does.
bool ends_region(const Instruction& i) {
  static constexpr std::array<std::string_view, 75> known{
      "abs",   "activemask", "add",   "addc",  "and",      "atom",     "bar",      "barrier", "bfe",  "bfi",
      "bfind", "brev",       "clz",   "cnot",  "copysign", "cos",      "cp",       "cvt",     "cvta", "div",
      "dp2a",  "dp4a",       "ex2",   "fma",   "isspacep", "ld",       "ldmatrix", "ldu",     "lg2",  "lop3",
      "mad",   "mad24",      "madc",  "match", "max",      "mbarrier", "min",      "mma",     "mov",  "mul",
      "mul24", "nanosleep",  "neg",   "not",   "or",       "popc",     "prefetch", "prmt",    "rcp",  "red",
      "redux", "rem",        "rsqrt", "sad",   "selp",     "set",      "setp",     "shf",     "shfl", "shl",
      "shr",   "sin",        "slct",  "sqrt",  "st",       "stmatrix", "sub",      "subc",    "tanh", "testp",
      "vote",  "xor",        "tex",   "tld4",  "wmma"};
  const std::string_view name = name_of(i.opcode);
  if (!i.guard.empty() || i.call >= 0) return true;
  if (std::ranges::find(known, name) == known.end()) return true;
  if (name == "div") return !has(i.opcode, ".approx") && !has(i.opcode, ".full") && !has(i.opcode, ".u32");
  if (name == "rem") return !has(i.opcode, ".u32");
  if (name == "rcp" || name == "sqrt") return !has(i.opcode, ".approx");
  if (name == "rsqrt") return has(i.opcode, ".f64") && !has(i.opcode, ".ftz");
  if (name == "cp") return has(i.opcode, ".bulk") || has(i.opcode, ".reduce");
  if (name == "atom" || name == "ld" || name == "st") return has(i.opcode, ".b128") || has(i.opcode, ".async");
  return false;
}

class Search {
 public:
  Search(const ptx::Function& f, const std::vector<bool>& writes_first)
      : f_(f), writes_first_(writes_first), registers_(f.registers.size()) {}

  std::vector<Contraction> run() {
    find_writes();
    if (products_ == 0) return {};
    find_renamed();
    for (std::uint32_t i = 0; i < f_.instructions.size(); ++i) find_uses(i);
    check_factors();
    take();
    return found_;
  }

 private:
  struct Register {
    std::uint32_t writes = 0, writer = 0;
    bool suspect = false;  ///< may hold what ptxas sees as a product
    // What it stands for, where that is known: a product, or what a mov or a neg renames.
    std::int32_t product = kNone;
    bool negated = false;
    // Of a product's own register:
    std::uint32_t uses = 0;       ///< in all
    std::uint32_t otherwise = 0;  ///< by what is no sum of its block, or is one that took its other operand
    std::uint32_t last_use = 0;
    std::int32_t part_of = kNone;  ///< of what hangs together: products that one sum adds
    bool unknown = false;          ///< what ptxas does is not known
  };
  struct Sum {
    std::uint32_t at;
    std::array<std::int32_t, 2> product{kNone, kNone};
    std::int32_t taken = kNone;  ///< 0 or 1
  };

  Register& of(std::int32_t reg) { return registers_[static_cast<std::size_t>(reg)]; }
  template <typename F>
  static void for_each_register(const Operand& operand, F f) {
    if (operand.reg >= 0) f(operand.reg);
    if (operand.second_reg >= 0) f(operand.second_reg);
    for (const Operand& element : operand.elements) for_each_register(element, f);
  }

  void find_writes() {
    std::vector<bool> labelled(f_.instructions.size() + 1);
    for (const auto& label : f_.labels) labelled[label.instruction] = true;
    std::uint32_t region = 0;
    for (std::uint32_t i = 0; i < f_.instructions.size(); ++i) {
      const Instruction& one = f_.instructions[i];
      if (labelled[i]) ++region;
      region_.push_back(region);
      if (ends_region(one)) ++region;
      if (is_product(one)) ++products_;
      if (!writes_first_[i] || one.operands.empty()) continue;
      for_each_register(one.operands[0], [&](std::int32_t reg) {
        Register& r = of(reg);
        ++r.writes;
        r.writer = i;
        if (may_be_product(one)) r.suspect = true;
      });
    }
    for (std::uint32_t i = 0; i < f_.instructions.size(); ++i) {
      const Instruction& one = f_.instructions[i];
      if (is_product(one) && one.operands[0].reg >= 0 && of(one.operands[0].reg).writes == 1)
        of(one.operands[0].reg).product = one.operands[0].reg;
    }
  }

  /// What a mov or a neg gives is a product under another name, or may be one.
  void find_renamed() {
    std::vector<std::vector<std::uint32_t>> renaming(registers_.size());  // by source
    std::vector<std::int32_t> open;
    for (std::uint32_t i = 0; i < f_.instructions.size(); ++i) {
      const Instruction& one = f_.instructions[i];
      if (renames(one) && one.operands[1].reg >= 0 && one.operands[0].reg >= 0)
        renaming[static_cast<std::size_t>(one.operands[1].reg)].push_back(i);
    }
    for (std::size_t r = 0; r < registers_.size(); ++r)
      if (registers_[r].suspect) open.push_back(static_cast<std::int32_t>(r));
    while (!open.empty()) {
      const std::int32_t from = open.back();
      open.pop_back();
      for (const std::uint32_t i : renaming[static_cast<std::size_t>(from)]) {
        const Instruction& one = f_.instructions[i];
        Register& to = of(one.operands[0].reg);
        if (to.suspect) continue;
        to.suspect = true;
        open.push_back(one.operands[0].reg);
        const Register& source = of(from);
        const std::string_view opcode = one.opcode;
        const bool minus = name_of(opcode) == "neg";
        const bool exact = !minus || opcode == "neg.f32" || opcode == "neg.f64";
        if (to.writes != 1 || !one.guard.empty() || !exact || source.product == kNone ||
            region_[i] != region_[of(source.product).writer])
          continue;
        to.product = source.product;
        to.negated = source.negated != minus;
      }
    }
  }

  std::int32_t product_of(const Operand& operand) {
    return operand.kind == Operand::Kind::reg && operand.reg >= 0 ? of(operand.reg).product : kNone;
  }

  void find_uses(std::uint32_t i) {
    const Instruction& one = f_.instructions[i];
    const bool writes = writes_first_[i];
    if (renames(one) && product_of(one.operands[1]) != kNone) {
      if (of(one.operands[0].reg).product == kNone) of(product_of(one.operands[1])).unknown = true;
      return;
    }
    if (may_be_sum(one) && one.operands.size() == 3 && add_sum(i)) return;
    if (may_be_left_out(one))
      if (const std::int32_t product = product_of(one.operands[1]); product != kNone) of(product).unknown = true;
    for (std::size_t k = writes ? 1 : 0; k < one.operands.size(); ++k)
      for_each_register(one.operands[k], [&](std::int32_t reg) {
        if (const std::int32_t product = of(reg).product; product != kNone) use(product, i, false);
      });
    if (one.call >= 0)
      for (const Operand& argument : f_.calls[static_cast<std::size_t>(one.call)].arguments)
        for_each_register(argument, [&](std::int32_t reg) {
          if (const std::int32_t product = of(reg).product; product != kNone) use(product, i, false);
        });
  }
  void use(std::int32_t product, std::uint32_t i, bool by_sum) {
    Register& p = of(product);
    ++p.uses;
    p.last_use = std::max(p.last_use, i);
    if (!by_sum) ++p.otherwise;
  }

  /// False: it uses products as anything else does.
  bool add_sum(std::uint32_t i) {
    const Instruction& one = f_.instructions[i];
    Sum sum{i};
    bool unknown = !one.guard.empty() || type_of(one.opcode).empty();
    for (std::size_t k = 0; k < 2; ++k) {
      const Operand& operand = one.operands[k + 1];
      if (operand.kind != Operand::Kind::reg || operand.reg < 0 || !of(operand.reg).suspect) continue;
      const std::int32_t product = sum.product[k] = of(operand.reg).product;
      if (product == kNone) {
        unknown = true;
        continue;
      }
      const std::uint32_t writer = of(product).writer;
      unknown = unknown || writer >= i || region_[writer] != region_[i] ||
                type_of(f_.instructions[writer].opcode) != type_of(one.opcode);
    }
    if (sum.product[0] != kNone && sum.product[0] == sum.product[1]) return false;
    for (std::size_t k = 0; k < 2; ++k) {
      if (sum.product[k] == kNone) continue;
      use(sum.product[k], i, true);
      if (unknown) of(sum.product[k]).unknown = true;
    }
    if (sum.product[0] != kNone && sum.product[1] != kNone) join(sum.product[0], sum.product[1]);
    if (!unknown && (sum.product[0] != kNone || sum.product[1] != kNone)) sums_.push_back(sum);
    return true;
  }

  std::int32_t part(std::int32_t product) {
    while (of(product).part_of != kNone) {
      if (const std::int32_t above = of(of(product).part_of).part_of; above != kNone) of(product).part_of = above;
      product = of(product).part_of;
    }
    return product;
  }
  void join(std::int32_t a, std::int32_t b) {
    if (part(a) != part(b)) of(part(a)).part_of = part(b);
  }

  /// A product's factors must be what they were where its last sum is. What hangs together with what is not known is
  /// not known either.
  void check_factors() {
    for (std::size_t r = 0; r < registers_.size(); ++r) {
      if (registers_[r].product != static_cast<std::int32_t>(r)) continue;
      const Instruction& one = f_.instructions[registers_[r].writer];
      for (std::size_t k = 1; k < 3; ++k) {
        const Operand& factor = one.operands[k];
        const bool constant = factor.kind == Operand::Kind::f32 || factor.kind == Operand::Kind::f64;
        const bool once = factor.kind == Operand::Kind::reg && factor.reg >= 0 && of(factor.reg).writes <= 1;
        const bool between =
            once && of(factor.reg).writer > registers_[r].writer && of(factor.reg).writer < registers_[r].last_use;
        if ((!constant && !once) || between) registers_[r].unknown = true;
      }
    }
    for (std::size_t r = 0; r < registers_.size(); ++r)
      if (registers_[r].unknown) of(part(static_cast<std::int32_t>(r))).unknown = true;
  }

  bool may_take(const Sum& sum, std::size_t k) {
    return sum.product[k] != kNone && of(sum.product[k]).otherwise == 0 && !of(part(sum.product[k])).unknown;
  }
  void take(Sum& sum, std::size_t k) {
    sum.taken = static_cast<std::int32_t>(k);
    if (const std::int32_t other = sum.product[1 - k]; other != kNone) ++of(other).otherwise;
    const Operand& operand = f_.instructions[sum.at].operands[k + 1];
    const bool difference = name_of(f_.instructions[sum.at].opcode) == "sub";
    Contraction c;
    c.sum = sum.at;
    c.product = of(sum.product[k]).writer;
    c.addend = static_cast<std::uint8_t>(k == 0 ? 2 : 1);
    c.minus_product = (difference && k == 1) != of(operand.reg).negated;
    c.minus_addend = difference && k == 0;
    found_.push_back(c);
  }
  void take() {
    for (const bool single : {true, false})
      for (Sum& sum : sums_) {
        if (sum.taken != kNone) continue;
        const auto fits = [&](std::size_t k) { return may_take(sum, k) && (!single || of(sum.product[k]).uses == 1); };
        std::optional<std::size_t> chosen;
        if (fits(0)) chosen = 0;
        if (fits(1) && (!chosen || of(sum.product[1]).uses < of(sum.product[0]).uses)) chosen = 1;
        if (chosen) take(sum, *chosen);
      }
  }

  const ptx::Function& f_;
  const std::vector<bool>& writes_first_;
  std::vector<Register> registers_;
  std::vector<std::uint32_t> region_;  ///< of each instruction: those of one region are of one basic block
  std::vector<Sum> sums_;
  std::vector<Contraction> found_;
  std::uint32_t products_ = 0;
};

}  // namespace

std::vector<Contraction> contractions(const ptx::Function& function, const std::vector<bool>& writes_first) {
  return Search(function, writes_first).run();
}

}  // namespace gpulab::simt
