#include "common/simt/isa/form.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

std::uint16_t mod_of(std::string_view modifier) {
  static constexpr std::array<std::pair<std::string_view, std::uint16_t>, 18> table{{
      {".rz", kRoundZero},
      {".rm", kRoundDown},
      {".rp", kRoundUp},
      {".rzi", kRoundZero},  // cvt: to an integer
      {".rmi", kRoundDown},
      {".rpi", kRoundUp},
      {".ftz", kFtz},
      {".sat", kSat},
      {".and", kAnd},
      {".or", kOr},
      {".xor", kXor},
      {".volatile", kOrdered},
      {".relaxed", kOrdered},
      {".acquire", kOrdered},
      {".release", kOrdered},
      {".acq_rel", kOrdered},
      {".clamp", kOutsideClamps},  // of surfaces
      {".zero", kOutsideIsZero},
  }};
  for (const auto& [name, mod] : table)
    if (name == modifier) return mod;
  return 0;
}

namespace {

/// A part of a form: a literal, one of several modifiers, or at most one of them.
struct Part {
  bool optional = false;
  std::string_view choices;  ///< separated by commas; a literal is its only choice

  /// f(choice) for each until one gives true.
  template <typename F>
  bool any(F f) const {
    for (std::string_view left = choices;;) {
      const auto comma = left.find(',');
      if (f(left.substr(0, comma))) return true;
      if (comma == std::string_view::npos) return false;
      left.remove_prefix(comma + 1);
    }
  }
};

/// Takes the first part off a form.
Part take_part(std::string_view& form) {
  const char open = form.front();
  if (open != '{' && open != '(') {
    const auto end = std::min(form.find_first_of("{("), form.size());
    const Part literal{false, form.substr(0, end)};
    form.remove_prefix(end);
    return literal;
  }
  const auto close = form.find(open == '{' ? '}' : ')');
  if (close == std::string_view::npos) throw std::logic_error("unclosed group in form " + std::string(form));
  const Part group{open == '{', form.substr(1, close - 1)};
  form.remove_prefix(close + 1);
  return group;
}

std::string_view opcode_form(std::string_view form) { return form.substr(0, form.find(' ')); }

std::optional<std::uint16_t> match_parts(std::string_view form, std::string_view opcode) {
  if (form.empty()) return opcode.empty() ? std::optional<std::uint16_t>(0) : std::nullopt;
  const Part part = take_part(form);
  std::optional<std::uint16_t> mods;
  part.any([&](std::string_view choice) {
    if (opcode.substr(0, choice.size()) != choice) return false;
    mods = match_parts(form, opcode.substr(choice.size()));
    if (mods) *mods |= mod_of(choice);
    return mods.has_value();
  });
  return mods || !part.optional ? mods : match_parts(form, opcode);
}

}  // namespace

std::optional<std::uint16_t> match(std::string_view form, std::string_view opcode) {
  return match_parts(opcode_form(form), opcode);
}

namespace {

/// ".sync.any.pred" -> ".sync", ".any", ".pred".
std::vector<std::string_view> modifiers_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (auto at = opcode.find('.'); at < opcode.size();) {
    const auto end = std::min(opcode.find('.', at + 1), opcode.size());
    parts.push_back(opcode.substr(at, end - at));
    at = end;
  }
  return parts;
}

/// Modifiers whose order among themselves means something: result and source types, where a copy goes and where it
/// comes from, the layouts of matrices. none: at any place.
enum class Series { none, types, spaces, layouts };
Series series_of(std::string_view modifier) {
  if (modifier == ".row" || modifier == ".col") return Series::layouts;
  for (const std::string_view space : {".shared", ".global", ".local", ".param", ".const"})
    if (modifier.substr(0, modifier.find(':')) == space) return Series::spaces;
  if (modifier == ".pred") return Series::types;
  // Letters, then a number, which ".x2" may follow: ".u32", ".bf16x2", ".e4m3x2"; not ".f4e".
  const auto digit = modifier.find_first_of("0123456789");
  if (digit == std::string_view::npos) return Series::none;
  constexpr std::string_view kinds[] = {".u", ".s", ".b", ".f", ".bf", ".tf", ".e"};
  const bool known = std::find(std::begin(kinds), std::end(kinds), modifier.substr(0, digit)) != std::end(kinds);
  return known && modifier.back() != 'e' ? Series::types : Series::none;
}

/// Puts an opcode's modifiers in the order of a form.
class InOrder {
 public:
  explicit InOrder(std::string_view opcode) : left_(modifiers_of(opcode)) {}

  /// What is spelled so far goes on with the rest of a form.
  bool goes_on(std::string_view form) {
    if (form.empty()) return left_.empty();
    const Part part = take_part(form);
    const auto before = std::pair(left_, spelled.size());
    const bool fits = part.any([&](std::string_view choice) {
      if (take_all(choice) && goes_on(form)) return true;
      left_ = before.first;
      spelled.resize(before.second);
      return false;
    });
    return fits || (part.optional && goes_on(form));
  }
  std::string spelled;

 private:
  bool take_all(std::string_view choice) {
    spelled += choice;
    const auto parts = modifiers_of(choice);
    return std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return take(part); });
  }
  /// Of a series, only the first that is left.
  bool take(std::string_view modifier) {
    const Series series = series_of(modifier);
    for (auto one = left_.begin(); one != left_.end(); ++one) {
      if (*one == modifier) {
        left_.erase(one);
        return true;
      }
      if (series != Series::none && series_of(*one) == series) return false;
    }
    return false;
  }

  std::vector<std::string_view> left_;
};

}  // namespace

std::optional<std::string> in_order_of(std::string_view form, std::string_view opcode) {
  form = opcode_form(form);
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  if (!form.starts_with(name)) return std::nullopt;
  // Of these the name has two parts: ptxas knows no "mad.s32.lo".
  constexpr std::string_view families[] = {"mul",     "mad", "madc",     "shf",  "bar",
                                           "barrier", "cp",  "mbarrier", "suld", "sust"};
  if (std::find(std::begin(families), std::end(families), name) != std::end(families)) {
    const std::string_view literal = form.substr(0, form.find_first_of("{("));
    const std::string_view second = literal.substr(0, literal.find('.', name.size() + 1));
    if (!opcode.starts_with(second)) return std::nullopt;
  }
  InOrder order(opcode);
  if (!order.goes_on(form)) return std::nullopt;
  return order.spelled;
}

std::vector<std::string_view> form_endings(std::string_view form) {
  form = opcode_form(form);
  Part last;
  while (!form.empty()) last = take_part(form);
  std::vector<std::string_view> endings;
  bool all_known = !last.optional;
  last.any([&](std::string_view choice) {
    const auto dot = choice.rfind('.');
    all_known = all_known && dot != std::string_view::npos;
    if (all_known) endings.push_back(choice.substr(dot + 1));
    return false;
  });
  return all_known ? endings : std::vector<std::string_view>{};
}

std::vector<std::string> spellings(std::string_view form, const std::function<bool(std::string_view)>& optional) {
  std::vector<std::string> all{{}};
  for (form = opcode_form(form); !form.empty();) {
    const Part part = take_part(form);
    std::vector<std::string> next;
    for (const auto& head : all) {
      if (part.optional) next.push_back(head);
      part.any([&](std::string_view choice) {
        if (!part.optional || optional(choice)) next.push_back(head + std::string(choice));
        return false;
      });
    }
    all = std::move(next);
  }
  return all;
}

std::vector<std::uint16_t> mod_sets(std::string_view form) {
  std::set<std::uint16_t> all{0};
  for (form = opcode_form(form); !form.empty();) {
    const Part part = take_part(form);
    std::set<std::uint16_t> next;
    for (const std::uint16_t mods : all) {
      if (part.optional) next.insert(mods);
      part.any([&](std::string_view choice) {
        next.insert(static_cast<std::uint16_t>(mods | mod_of(choice)));
        return false;
      });
    }
    all = std::move(next);
  }
  return {all.begin(), all.end()};
}

}  // namespace gpulab::simt
