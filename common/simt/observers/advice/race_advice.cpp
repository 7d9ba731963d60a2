#include "common/simt/observers/advice/race_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/ptx/lines.h"
#include "common/simt/observers/advice/address_forms.h"
#include "common/simt/observers/advice/code_paths.h"
#include "common/simt/observers/locator.h"

namespace gpulab::simt {

namespace {

/// What the two accesses of a witness are to each other.
enum class Kind : std::uint8_t {
  update,     ///< both threads read the element, compute, and write it
  neighbour,  ///< one writes its own element, the other reads it as its neighbour's, in one line
  overwrite,  ///< two threads write one element by one instruction, which keeps nothing of what was there
  order,      ///< one line has to wait for the other
  unknown,
};

constexpr const char* kByAtomic = "update it by an atomic operation (of x[i] += y: atomicAdd(&x[i], y))";

constexpr const char* kByAtomicOrFence =
    "update it by an atomic operation; where a lock guards it, put __threadfence() behind the taking of the lock and "
    "in "
    "front of its release";

/// An access of a witness, where it stands in its function.
struct Access {
  const Site* site;
  MemoryUse use;
  std::size_t at;
  std::uint32_t line;
};

/// What strangers' code makes us look through for one pair of lines: instructions of its function, and witnesses.
constexpr std::size_t kLongest = 4096, kMost = 64;

class Advice {
 public:
  Advice(const LaunchState& launch, std::span<const Accusation* const> witnesses, Reach reach)
      : launch_(launch),
        program_(*launch.program),
        witnesses_(witnesses.first(std::min(witnesses.size(), kMost))),
        reach_(reach) {
    const ptx::Function* function = site(witnesses_.front()->first).function;
    const auto inside = [&](const Suspect& s) { return is_inside(site(s), *function); };
    if (!std::ranges::all_of(witnesses_, [&](const Accusation* a) { return inside(a->first) && inside(a->second); }))
      return;
    if (function->instructions.size() > kLongest) return;
    const ptx::Lines lines(*program_.module, program_.module->name);
    for (const ptx::Instruction& one : function->instructions) lines_.push_back(lines.user_line(one.location).line);
    forms_.emplace(*function);
    paths_.emplace(program_, *function);
    if (!paths_->is_known()) paths_.reset();
  }

  [[nodiscard]] std::string in_words() const {
    if (reach_ == Reach::grid && witnesses_.front()->message == "shared") return of_cluster();
    if (reach_ == Reach::grid)
      if (auto text = same_index()) return *text;
    const std::optional<Kind> kind = common_kind();
    if (kind == Kind::update) return has_locks() ? kByAtomicOrFence : kByAtomic;
    if (reach_ == Reach::grid) return of_blocks(kind);
    if (kind == Kind::overwrite) return of_one_value();
    return of_block(kind);
  }

 private:
  [[nodiscard]] const Site& site(const Suspect& suspect) const { return program_.sites[suspect.site]; }
  [[nodiscard]] static bool is_inside(const Site& site, const ptx::Function& function) {
    const auto& all = function.instructions;
    return site.function == &function && site.instruction >= all.data() && site.instruction < all.data() + all.size();
  }
  [[nodiscard]] Access access(const Suspect& suspect) const {
    const Site& s = site(suspect);
    const auto at = static_cast<std::size_t>(s.instruction - s.function->instructions.data());
    return {&s, memory_use_of(s), at, lines_[at]};
  }

  // ---- kinds ----

  /// A store of what was computed from the element's old value.
  [[nodiscard]] bool updates(const Access& store) const {
    return std::ranges::any_of(forms_->loads_for(*store.site->instruction), [&](const ptx::Instruction* load) {
      return forms_->compare(*load, *store.site->instruction) == Element::same;
    });
  }
  /// `if (v > *most) *most = v;`, as it may be: the element is loaded in front of the store.
  [[nodiscard]] bool looks_before(const Access& store) const {
    const auto& all = store.site->function->instructions;
    const auto is_look = [&](const ptx::Instruction& one) {
      if (!one.opcode.starts_with("ld.") || one.opcode.starts_with("ld.param")) return false;
      const Element element = forms_->compare(one, *store.site->instruction);
      return element == Element::same || element == Element::unknown;
    };
    return std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(store.at), is_look);
  }
  [[nodiscard]] Kind kind_of(const Accusation& witness) const {
    if (!forms_) return Kind::unknown;
    Access a = access(witness.first), b = access(witness.second);
    if (a.use.atomic || b.use.atomic) return Kind::order;
    if (a.use.store && b.use.store) {
      if (a.site != b.site) return a.line == b.line ? Kind::unknown : Kind::order;
      return updates(a) ? Kind::update : looks_before(a) ? Kind::unknown : Kind::overwrite;
    }
    const Access &load = a.use.store ? b : a, &store = a.use.store ? a : b;
    const Element element = forms_->compare(*load.site->instruction, *store.site->instruction);
    const bool feeds = forms_->feeds(*load.site->instruction, *store.site->instruction);
    if (element == Element::same && feeds) return several_write() ? Kind::update : Kind::unknown;
    if (a.line == b.line) return element == Element::other ? Kind::neighbour : Kind::unknown;
    // `if (v > *most) *most = v;` is an update, too, and what a loop hands on is none.
    if (element == Element::same && first_of(load) < first_of(store)) return Kind::unknown;
    return element != Element::other && element != Element::same && feeds ? Kind::unknown : Kind::order;
  }
  /// Nothing: it cannot be told, or the witnesses are of several kinds.
  [[nodiscard]] std::optional<Kind> common_kind() const {
    std::optional<Kind> common;
    for (const Accusation* witness : witnesses_) {
      Kind kind = kind_of(*witness);
      if (kind == Kind::unknown || (common && kind != *common)) return std::nullopt;
      common = kind;
    }
    return common;
  }

  // ---- the code between them ----

  /// Ways with no barrier, from the line that stands first to the other one, and back, by a loop.
  struct Ways {
    bool there = false, back = false;
  };
  [[nodiscard]] Ways ways(bool of_warp) const {
    Ways ways;
    for (const Accusation* witness : witnesses_) {
      Access a = access(witness->first), b = access(witness->second);
      if (std::pair(first_of(b), b.at) < std::pair(first_of(a), a.at)) std::swap(a, b);
      ways.there = ways.there || paths_->lead_past_barriers(a.at, b.at, of_warp);
      ways.back = ways.back || (a.at != b.at && paths_->lead_past_barriers(b.at, a.at, of_warp));
    }
    return ways;
  }
  /// Where such an access of its line comes first: in a loop that was unrolled it stands in several places.
  [[nodiscard]] std::size_t first_of(const Access& access) const {
    const auto& all = access.site->function->instructions;
    for (std::size_t i = 0; i < access.at && access.line != 0; ++i)
      if (lines_[i] == access.line && all[i].opcode == access.site->instruction->opcode) return i;
    return access.at;
  }
  [[nodiscard]] bool several_write() const { return std::ranges::any_of(witnesses_, &Accusation::two_writers); }
  /// Of one line: its reads come once more, behind its writes.
  [[nodiscard]] bool writes_reach_reads(bool of_warp) const {
    return std::ranges::any_of(witnesses_, [&](const Accusation* witness) {
      Access load = access(witness->first), store = access(witness->second);
      if (load.use.store) std::swap(load, store);
      return paths_->lead_past_barriers(store.at, load.at, of_warp);
    });
  }
  [[nodiscard]] bool any_access(const auto& holds) const {
    return std::ranges::any_of(
        witnesses_, [&](const Accusation* a) { return holds(access(a->first)) || holds(access(a->second)); });
  }
  [[nodiscard]] bool is_in_a_branch() const {
    return paths_ && any_access([&](const Access& a) { return paths_->is_in_a_branch(a.at); });
  }

  // ---- threads of one block ----

  /// Where the barrier must not stand.
  [[nodiscard]] std::string outside() const {
    if (reach_ == Reach::warp) {
      const bool parted = std::ranges::any_of(witnesses_, [](const Accusation* a) { return a->parted; });
      return parted ? ", outside of the branch, where all lanes of the warp come by" : "";
    }
    if (!paths_) return ", where all threads of the block come by";
    return is_in_a_branch() ? ", outside of the branch, where all threads of the block come by" : "";
  }
  [[nodiscard]] std::string of_block(std::optional<Kind> kind) const {
    const bool of_warp = reach_ == Reach::warp;
    const std::string barrier = of_warp ? "__syncwarp()" : "__syncthreads()";
    const std::string who = of_warp ? "both are of one warp: " : "";
    // Of a block of one warp nobody knows whether it is to have more.
    const std::string larger = of_warp && launch_.block.volume() <= kLanes && !is_in_a_branch()
                                   ? " (in blocks of more warps: __syncthreads())"
                                   : "";
    if (!kind)
      return fmt::format("{}put {} between them{}{}, or, where they update one element, do it by an atomic operation",
                         who, barrier, outside(), larger);
    if (!paths_) return fmt::format("{}put {} between them{}{}", who, barrier, outside(), larger);
    const Ways ways = this->ways(of_warp);
    if (*kind == Kind::neighbour)
      return fmt::format("{}read into a variable, {}, then write{}{}{}", who, barrier,
                         writes_reach_reads(of_warp) ? ", and " + barrier + " again behind it" : "", outside(), larger);
    if (!ways.there && !ways.back)
      return fmt::format("{}put a {} that both threads wait at between them{}{}", who, barrier, outside(), larger);
    return fmt::format("{}put {} {}{}{}", who, barrier,
                       !ways.back   ? "between them"
                       : ways.there ? "between them, and again at the end of the round"
                                    : "at the end of the round, behind both",
                       outside(), larger);
  }
  [[nodiscard]] std::string of_one_value() const {
    const bool in_rounds = !paths_ || any_access([&](const Access& a) { return paths_->lead(a.at, a.at); });
    return in_rounds
               ? "let each thread write an element of its own, or, where they write it in different rounds, put a "
                 "barrier at the end of the round" +
                     outside()
               : "let one of them write it, or each thread an element of its own";
  }

  // ---- blocks of a cluster that meet in the shared memory of one ----

  [[nodiscard]] std::string of_cluster() const {
    if (common_kind() == Kind::update) return kByAtomic;
    return "they are of different blocks of a cluster: put cluster.sync() between them, where all threads of all its "
           "blocks come by";
  }

  // ---- several blocks ----

  /// Blocks that do the same work: each thread meets the thread of its own number in another block, and several do.
  [[nodiscard]] std::optional<std::string> same_index() const {
    const bool one_line = std::ranges::all_of(witnesses_, [&](const Accusation* one) {
      return forms_ && access(one->first).line == access(one->second).line;
    });
    if (!one_line && common_kind() != Kind::update && knows_of_blocks()) return std::nullopt;
    const bool alike = std::ranges::all_of(witnesses_, &Accusation::alike);
    const bool several = std::ranges::any_of(witnesses_, [&](const Accusation* one) {
      return one->several || one->second.thread != witnesses_.front()->second.thread;
    });
    if (!alike || !several || !forms_) return std::nullopt;
    const auto made = [&](const Access& a) { return forms_->of_address(*a.site->instruction); };
    if (any_access([&](const Access& a) { return made(a).memory; })) return std::nullopt;
    if (!any_access([&](const Access& a) { return made(a).block; }))
      return knows_of_blocks()
                 ? "all blocks use the same index, without blockIdx: add blockIdx.x * blockDim.x where each block has "
                   "elements of its own; where all add to the same ones, do it by an atomic operation"
                 : "all blocks use the same index: make it blockIdx.x * blockDim.x + threadIdx.x";
    const bool steps_by_blocks = !any_access([&](const Access& a) {
      const auto steps = forms_->steps_of_address(*a.site->instruction);
      return steps.empty() || !std::ranges::all_of(steps, [](const Ingredients& step) {
               return step.block_dim && !step.grid && !step.block && !step.memory && !step.parameters;
             });
    });
    if (!steps_by_blocks) return std::nullopt;
    return "all blocks come to the same indices, for the loop steps by one block: step by gridDim.x * blockDim.x";
  }
  [[nodiscard]] bool knows_of_blocks() const {
    const auto names_a_block = [](const ptx::Operand& operand) {
      return operand.kind == ptx::Operand::Kind::special && operand.name.starts_with("%ctaid");
    };
    return std::ranges::any_of(
        program_.sites, [&](const Site& s) { return std::ranges::any_of(s.instruction->operands, names_a_block); });
  }
  [[nodiscard]] bool has_locks() const {
    return std::ranges::any_of(program_.sites, [](const Site& s) {
      const std::string_view opcode = s.instruction->opcode;
      return memory_use_of(s).atomic && (opcode.find(".cas") != opcode.npos || opcode.find(".exch") != opcode.npos);
    });
  }
  /// Threads of the kernel can hand over what they wrote within the launch, or try to.
  [[nodiscard]] bool hands_over() const {
    return std::ranges::any_of(program_.sites, [](const Site& s) {
      const MemoryUse use = memory_use_of(s);
      return (s.facts & kFence) != 0 || use.atomic || use.strong || use.is_volatile;
    });
  }
  [[nodiscard]] std::string of_blocks(std::optional<Kind> kind) const {
    constexpr const char* general =
        "no barrier orders blocks: hand it over by an atomic behind __threadfence(), or in another launch";
    if (kind == Kind::overwrite)
      return "no barrier orders blocks: let one thread of the grid write it, or each an element of its own; where they "
             "add to it, do it by an atomic operation";
    if (!kind || !paths_) {
      return std::string(general) + (kind ? "" : "; where blocks update one element, do it by an atomic operation");
    }
    bool before = false, behind = false;  // the write comes before the read, behind it
    for (const Accusation* witness : witnesses_) {
      Access load = access(witness->first), store = access(witness->second);
      if (load.use.store) std::swap(load, store);
      if (load.use.store || load.use.atomic || store.use.atomic) return general;
      before = before || paths_->lead(store.at, load.at);
      behind = behind || paths_->lead(load.at, store.at);
    }
    if (behind && before) return std::string(general) + "; what blocks read and write in turn needs two arrays";
    if (behind) return "no barrier orders blocks: write into another array than the one that is read";
    return before && !hands_over() ? "no barrier orders blocks: read it in another launch" : general;
  }

  using Element = AddressForms::Element;
  const LaunchState& launch_;
  const Program& program_;
  std::span<const Accusation* const> witnesses_;
  Reach reach_;
  std::vector<std::uint32_t> lines_;   ///< of the function's instructions, as they are told; 0: none is known
  std::optional<AddressForms> forms_;  ///< none: the accesses stand in several functions
  std::optional<CodePaths> paths_;     ///< none: not known
};

}  // namespace

std::string race_advice(const LaunchState& launch, std::span<const Accusation* const> witnesses, Reach reach) {
  return Advice(launch, witnesses, reach).in_words();
}

std::string race_in_words(const LaunchState& launch, std::span<const Accusation* const> witnesses, Reach reach,
                          const std::vector<FindingSite>& at) {
  return fmt::format("race in {} memory: {} and {} by different threads, with nothing that orders them; {}",
                     witnesses.front()->message, at[0].access, at[1].access, race_advice(launch, witnesses, reach));
}

}  // namespace gpulab::simt
