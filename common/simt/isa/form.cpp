#include "common/simt/isa/form.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

std::uint16_t mod_of(std::string_view modifier) {
  static constexpr std::array<std::pair<std::string_view, std::uint16_t>, 16> table{{
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

std::string in_manual_order(std::string_view opcode) {
  if (!opcode.starts_with("atom.") && !opcode.starts_with("red.")) return std::string(opcode);
  constexpr std::string_view order[] = {".relaxed", ".acquire", ".release", ".acq_rel", ".global",
                                        ".shared",  ".cta",     ".cluster", ".gpu",     ".sys"};
  const auto name_end = opcode.find('.');
  std::vector<std::string_view> parts;
  for (auto at = name_end; at < opcode.size();) {
    const auto end = std::min(opcode.find('.', at + 1), opcode.size());
    parts.push_back(opcode.substr(at, end - at));
    at = end;
  }
  std::stable_sort(parts.begin(), parts.end(), [&](std::string_view a, std::string_view b) {
    const auto rank = [&](std::string_view part) {
      return std::find(std::begin(order), std::end(order), part.substr(0, part.find(':'))) - std::begin(order);
    };
    return rank(a) < rank(b);
  });
  std::string spelled(opcode.substr(0, name_end));
  for (const auto part : parts) spelled += part;
  return spelled;
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
