#include "common/simt/form.h"

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

void extend(std::vector<Spelling>& all, const std::vector<std::string_view>& choices, bool optional) {
  std::vector<Spelling> next;
  for (const auto& head : all) {
    if (optional) next.push_back(head);
    for (auto choice : choices)
      next.push_back({head.opcode + std::string(choice), static_cast<std::uint16_t>(head.mods | mod_of(choice))});
  }
  all = std::move(next);
}

}  // namespace

std::vector<Spelling> spellings(std::string_view form) {
  form = form.substr(0, form.find(' '));
  std::vector<Spelling> all{{}};
  while (!form.empty()) {
    const char open = form.front();
    if (open == '{' || open == '(') {
      const auto close = form.find(open == '{' ? '}' : ')');
      if (close == std::string_view::npos) throw std::logic_error("unclosed group in form " + std::string(form));
      extend(all, alternatives(form.substr(1, close - 1)), open == '{');
      form.remove_prefix(close + 1);
    } else {
      const auto end = form.find_first_of("{(");
      for (auto& one : all) one.opcode += form.substr(0, end);
      form.remove_prefix(end == std::string_view::npos ? form.size() : end);
    }
  }
  return all;
}

}  // namespace gpulab::simt
