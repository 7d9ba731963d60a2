#include "common/simt/observers/trace/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "common/demangle.h"
#include "common/simt/observers/trace/wording_of_access.h"
#include "common/text.h"

namespace gpulab::simt {

namespace {

/// "2nd", "3rd", "4th".
std::string ordinal(int n) { return fmt::format("{}{}", n, n == 2 ? "nd" : n == 3 ? "rd" : "th"); }

std::string_view first_word(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

bool has(std::string_view opcode, std::string_view part) { return opcode.find(part) != std::string_view::npos; }

/// "[_Z5scalePff_param_1]" -> "the kernel's parameter 1", counted from 0 as PTX does.
std::string parameter_text(const std::string& operand) {
  constexpr std::string_view mark = "_param_";
  const auto at = operand.rfind(mark);
  if (at == std::string::npos) return operand;
  const std::string number = operand.substr(at + mark.size());
  return fmt::format("parameter {}", number.substr(0, number.find(']')));
}

/// "a + b": what arithmetic makes of its sources, in C's terms; empty where it has no sign there.
std::string formula_of(std::string_view opcode, const std::vector<std::string>& o) {
  const std::string_view name = first_word(opcode);
  if (o.size() == 3) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> signs{{{"add", "+"},
                                                                                          {"sub", "-"},
                                                                                          {"mul", "*"},
                                                                                          {"div", "/"},
                                                                                          {"rem", "%"},
                                                                                          {"and", "&"},
                                                                                          {"or", "|"},
                                                                                          {"xor", "^"},
                                                                                          {"shl", "<<"},
                                                                                          {"shr", ">>"},
                                                                                          {"mul24", "*"}}};
    for (const auto& [word, sign] : signs)
      if (word == name) return fmt::format("{} {} {}", o[1], sign, o[2]);
    if (name == "min" || name == "max") return fmt::format("{}({}, {})", name, o[1], o[2]);
  }
  if (o.size() == 4 && (name == "mad" || name == "fma")) return fmt::format("{} * {} + {}", o[1], o[2], o[3]);
  if (o.size() == 4 && name == "selp") return fmt::format("{} ? {} : {}", o[3], o[1], o[2]);
  if (o.size() == 2) {
    if (name == "mov" || name == "cvta") return o[1];
    if (name == "cvt") return fmt::format("{}, converted", o[1]);
    if (name == "neg") return fmt::format("-{}", o[1]);
    if (name == "not") return fmt::format("~{}", o[1]);
    return fmt::format("{}({})", name, o[1]);
  }
  return {};
}

std::string comparison_of(std::string_view opcode, const std::vector<std::string>& o) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> signs{{{".eq", "=="},
                                                                                        {".ne", "!="},
                                                                                        {".lt", "<"},
                                                                                        {".le", "<="},
                                                                                        {".gt", ">"},
                                                                                        {".ge", ">="},
                                                                                        {".lo", "<"},
                                                                                        {".ls", "<="},
                                                                                        {".hi", ">"},
                                                                                        {".hs", ">="}}};
  for (const auto& [word, sign] : signs)
    if (const auto at = opcode.find(word); at != std::string_view::npos && o.size() >= 3)
      return fmt::format("compares: {} = ({} {} {})", o[0], o[1], sign, o[2]);
  return fmt::format("compares ({})", opcode);
}

std::string warp_wide(std::string_view opcode, const std::vector<std::string>& o) {
  const std::string_view name = first_word(opcode);
  const auto operand = [&](std::size_t i) { return i < o.size() ? o[i] : std::string("?"); };
  if (name == "shfl") {
    const std::string target = operand(0).substr(0, operand(0).find('|'));
    if (has(opcode, ".down"))
      return fmt::format("shuffles: {} = {} of the lane {} above", target, operand(1), operand(2));
    if (has(opcode, ".up"))
      return fmt::format("shuffles: {} = {} of the lane {} below", target, operand(1), operand(2));
    if (has(opcode, ".bfly"))
      return fmt::format("shuffles: {} = {} of the lane whose number differs in the bits of {}", target, operand(1),
                         operand(2));
    return fmt::format("shuffles: {} = {} of lane {}", target, operand(1), operand(2));
  }
  if (has(opcode, "ballot")) return fmt::format("votes: {} = the lanes in which {} holds", operand(0), operand(1));
  if (name == "vote") return fmt::format("votes on {}: {}", operand(1), opcode);
  if (name == "redux") return fmt::format("reduces {} over the warp into {}: {}", operand(1), operand(0), opcode);
  return {};
}

/// "lane 0 goes on", "lanes 0–3 go on".
std::string_view verb_end(std::uint32_t lanes) { return std::popcount(lanes) == 1 ? "s" : ""; }

/// Lines that a branch leads to.
std::string place_of(const StepFacts& step, std::uint32_t site) {
  if (site == kNoSite) return "the end of the kernel";
  const StepSite& shown = (*step.sites)[site].shown;
  if (shown.ptx_line == 0) return "the end of the kernel";
  return shown.line != 0 ? fmt::format("line {} (PTX {})", shown.line, shown.ptx_line)
                         : fmt::format("PTX line {}", shown.ptx_line);
}

/// Where a branch's ways meet. What the compiler moved there may have a line in front of the branch, which would read
/// as a way back: then the first line behind the branch that is executed there is named, or the PTX alone.
std::string meeting_text(const StepFacts& step, const SiteFacts& branch) {
  const auto& sites = step.program->sites;
  const StepSite& first = (*step.sites)[branch.meeting].shown;
  if (first.line == 0 || first.line > branch.shown.line) return place_of(step, branch.meeting);
  for (std::size_t i = branch.meeting; i < sites.size() && sites[i].block == sites[branch.meeting].block; ++i)
    if (const std::uint32_t line = (*step.sites)[i].shown.line; line > branch.shown.line)
      return fmt::format("line {} (PTX {})", line, first.ptx_line);
  return fmt::format("PTX line {}", first.ptx_line);
}

std::string branch_text(const StepFacts& step, const SiteFacts& facts, const ptx::Instruction& instruction) {
  const auto place = [&](std::uint32_t site) {
    return site != kNoSite && site == facts.meeting ? meeting_text(step, facts) : place_of(step, site);
  };
  if (instruction.guard.empty()) return fmt::format("goes to {}", place(facts.taken));
  const std::string guard = fmt::format("{}{}", instruction.guard_negated ? "!" : "", instruction.guard);
  const std::uint32_t stay = step.active & ~step.lanes;
  if (step.lanes == 0)
    return fmt::format("does not branch: {} holds in no lane; goes on to {}", guard, place(facts.fall_through));
  if (stay == 0)
    return fmt::format("branches to {}: {} holds in {}", place(facts.taken), guard, lanes_text(step.active));
  std::string text =
      fmt::format("diverges: {} branch{} to {}, because {} holds there; {} go{} on to {}", lanes_text(step.lanes),
                  std::popcount(step.lanes) == 1 ? "es" : "", place(facts.taken), guard, lanes_text(stay),
                  std::popcount(stay) == 1 ? "es" : "", place(facts.fall_through));
  if (facts.meeting != kNoSite) text += fmt::format("; they meet again at {}", place(facts.meeting));
  return text;
}

std::string barrier_text(const StepFacts& step) {
  const BarrierState& b = step.barrier;
  if (!b.waits) return fmt::format("comes to barrier {} and goes on", b.number);
  if (b.come >= b.all)
    return fmt::format("comes to barrier {} as the last of {}: nobody has to wait any more", b.number,
                       plural(b.all, "warp"));
  return fmt::format("comes to barrier {} and waits: {} of the block's {} {} there", b.number, b.come,
                     plural(b.all, "warp"), b.come == 1 ? "is" : "are");
}

std::string leaving_text(const StepFacts& step) {
  if (step.live == 0) return "leaves the kernel: the warp has ended";
  return fmt::format("{} leave{} the kernel; {} ha{} not", lanes_text(step.lanes), verb_end(step.lanes),
                     lanes_text(step.live), std::popcount(step.live) == 1 ? "s" : "ve");
}

/// What an instruction does that accesses no memory that is followed.
std::string plain_text(const StepFacts& step, const SiteFacts& facts) {
  const Site& site = step.program->sites[step.site];
  const ptx::Instruction& instruction = *site.instruction;
  const std::string_view opcode = instruction.opcode, name = first_word(opcode);
  const std::uint16_t traits = site.row->meaning.traits;
  if (facts.taken != kNoSite || name == "bra") return branch_text(step, facts, instruction);
  if ((traits & kBarrier) && step.barrier.all > 0) return barrier_text(step);
  if (instruction.call >= 0) {
    const auto& target = site.function->calls[static_cast<std::size_t>(instruction.call)].target;
    return target.kind == ptx::Operand::Kind::reg ? "calls the function at " + std::string(target.name)
                                                  : "calls " + kernel_name(target.name);
  }
  if (site.facts & (kReturn | kExit))
    return site.function == step.program->functions[0].function ? leaving_text(step) : "returns to where it was called";
  if (site.facts & kFence) return "orders its accesses (" + std::string(opcode) + ")";
  const auto& operands = facts.operands;
  if (site.facts & kWarpBarrier) return "meets the warp's other lanes (" + std::string(opcode) + ")";
  if (name == "ld" && has(opcode, ".param") && operands.size() == 2)
    return fmt::format("reads {} into {}", parameter_text(operands[1]), operands[0]);
  if (name == "setp") return comparison_of(opcode, operands);
  if (std::string text = warp_wide(opcode, operands); !text.empty()) return text;
  if (const std::string formula = formula_of(opcode, operands); !formula.empty())
    return fmt::format("computes {} = {}", operands[0], formula);
  std::string text = fmt::format("executes {}", opcode);
  for (std::size_t i = 0; i < operands.size() && !operands[i].empty(); ++i) text += (i ? ", " : " ") + operands[i];
  return text;
}

/// Braces would count as places for numbers.
std::string without_braces(std::string text) {
  std::replace(text.begin(), text.end(), '{', '(');
  std::replace(text.begin(), text.end(), '}', ')');
  return text;
}

}  // namespace

std::string lanes_text(std::uint32_t mask) {
  const int count = std::popcount(mask);
  if (count == 0) return "no lane";
  if (count == 32) return "all 32 lanes";
  const int first = std::countr_zero(mask), last = 31 - std::countl_zero(mask);
  if (count == 1) return fmt::format("lane {}", first);
  if (last - first + 1 == count) return fmt::format("lanes {}–{}", first, last);
  const int step = std::countr_zero(mask & (mask - 1)) - first;
  std::uint32_t even = 0;
  for (int lane = first; lane <= last; lane += step) even |= 1u << lane;
  if (count > 3 && even == mask)
    return fmt::format("lanes {}, {} … {} (every {})", first, first + step, last, ordinal(step));
  std::string text = "lanes ";
  int runs = 0;
  for (int lane = first; lane <= last; ++lane) {
    if (!(mask >> lane & 1)) continue;
    int end = lane;
    while (end < last && (mask >> (end + 1) & 1)) ++end;
    if (runs++) text += ", ";
    text += end == lane ? fmt::format("{}", lane) : fmt::format("{}–{}", lane, end);
    lane = end;
    if (runs == 4 && end < last) return fmt::format("{} … ({} lanes)", text, count);
  }
  return text;
}

Sentence sentence_of(const StepFacts& step) {
  const SiteFacts& facts = (*step.sites)[step.site];
  const ptx::Instruction& instruction = *step.program->sites[step.site].instruction;
  Sentence sentence;
  const bool is_branch = facts.taken != kNoSite;
  if (step.lanes == 0 && !is_branch)
    sentence.text = without_braces(
        fmt::format("does nothing ({}): its guard {} holds in no lane", instruction.opcode, instruction.guard));
  else if (step.access != nullptr)
    sentence = access_sentence(step, facts);
  else
    sentence.text = without_braces(plain_text(step, facts));
  const bool leaves = step.program->sites[step.site].facts & (kReturn | kExit);
  if (!is_branch && step.lanes != 0 && step.lanes != step.active)
    sentence.text += fmt::format("; the guard {} holds in {} alone", instruction.guard, lanes_text(step.lanes));
  else if (step.active != step.live && step.live != 0 && !is_branch && !leaves)
    sentence.text += fmt::format("; only {} run{} here", lanes_text(step.active), verb_end(step.active));
  if (step.joined != 0)
    sentence.text += fmt::format("; {} run{} with the others again", lanes_text(step.joined), verb_end(step.joined));
  return sentence;
}

}  // namespace gpulab::simt
