#include "common/simt/form.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "common/simt/op.h"

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

std::vector<std::string_view> alternatives(std::string_view group) {
  std::vector<std::string_view> list;
  while (!group.empty()) {
    const auto comma = group.find(',');
    list.push_back(group.substr(0, comma));
    group = comma == std::string_view::npos ? std::string_view{} : group.substr(comma + 1);
  }
  return list;
}

void extend(std::vector<Spelling>& all, const std::vector<std::string_view>& choices, bool optional,
            std::size_t at_most) {
  std::vector<Spelling> next;
  if (optional) next = all;  // the plain spelling first, so that a cut list keeps it
  for (auto choice : choices)
    for (const auto& head : all) {
      if (next.size() >= at_most) break;
      next.push_back({head.opcode + std::string(choice), static_cast<std::uint16_t>(head.mods | mod_of(choice))});
    }
  all = std::move(next);
}

/// The first element of a form: a literal, or a group with its alternatives. Removes it from `form`.
struct Element {
  std::string_view text;
  bool group = false, optional = false;
};
Element next_element(std::string_view& form) {
  const char open = form.front();
  if (open != '{' && open != '(') {
    const auto end = std::min(form.find_first_of("{("), form.size());
    const Element literal{form.substr(0, end)};
    form.remove_prefix(end);
    return literal;
  }
  const auto close = form.find(open == '{' ? '}' : ')');
  if (close == std::string_view::npos) throw std::logic_error("unclosed group in form " + std::string(form));
  const Element group{form.substr(1, close - 1), true, open == '{'};
  form.remove_prefix(close + 1);
  return group;
}

std::optional<std::uint16_t> match_rest(std::string_view form, std::string_view opcode, std::uint16_t mods) {
  if (form.empty()) return opcode.empty() ? std::optional(mods) : std::nullopt;
  const Element element = next_element(form);
  if (!element.group)
    return opcode.starts_with(element.text) ? match_rest(form, opcode.substr(element.text.size()), mods) : std::nullopt;
  for (const auto choice : alternatives(element.text))
    if (opcode.starts_with(choice))
      if (const auto found =
              match_rest(form, opcode.substr(choice.size()), static_cast<std::uint16_t>(mods | mod_of(choice))))
        return found;
  return element.optional ? match_rest(form, opcode, mods) : std::nullopt;
}

std::string_view opcode_part(std::string_view form) { return form.substr(0, form.find(' ')); }

}  // namespace

std::vector<Spelling> spellings(std::string_view form, std::size_t at_most) {
  form = opcode_part(form);
  std::vector<Spelling> all{{}};
  while (!form.empty()) {
    const Element element = next_element(form);
    if (element.group)
      extend(all, alternatives(element.text), element.optional, at_most);
    else
      for (auto& one : all) one.opcode += element.text;
  }
  return all;
}

std::optional<std::uint16_t> match(std::string_view form, std::string_view opcode) {
  return match_rest(opcode_part(form), opcode, 0);
}

}  // namespace gpulab::simt
