#include "common/ptx/parse/scopes.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace gpulab::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Scopes::close() {
  const std::size_t start = starts_.back();
  starts_.pop_back();
  while (declarations_.size() > start) {
    const Entry& last = declarations_.back();
    visible(last.declaration)[last.declaration.name] = last.shadowed;
    declarations_.pop_back();
  }
}

Declaration* Scopes::declare(Declaration declaration) {
  std::size_t& place = visible(declaration)[declaration.name];
  if (place > starts_.back()) return nullptr;
  declarations_.push_back({std::move(declaration), place});
  place = declarations_.size();
  return &declarations_.back().declaration;
}

Scopes::Meaning Scopes::find(std::string_view name) {
  constexpr std::size_t most_digits = 10;
  std::size_t place = place_of(names_, name);
  Meaning meaning;
  std::size_t digits = name.size();
  while (digits > 1 && name.size() - digits < most_digits && is_digit(name[digits - 1])) --digits;
  for (; digits < name.size(); ++digits) {  // "r12" is a member of r<13> or of r1<3>
    if (name[digits] == '0' && digits + 1 < name.size()) continue;
    const std::size_t range_place = place_of(ranges_, name.substr(0, digits));
    if (range_place == 0) continue;
    std::uint64_t number = 0;
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
    const Declaration& range = declarations_[range_place - 1].declaration;
    if (number >= range.count) {
      meaning.too_small = &range;
    } else if (range_place > place) {
      place = range_place;
      meaning.number = number;
    }
  }
  if (place != 0) meaning.declaration = &declarations_[place - 1].declaration;
  return meaning;
}

const Declaration* Scopes::find_label_here(std::string_view name) const {
  const std::size_t place = place_of(names_, name);
  if (place <= starts_.back()) return nullptr;
  const Declaration& declaration = declarations_[place - 1].declaration;
  return declaration.kind == Declaration::Kind::label ? &declaration : nullptr;
}

std::string_view Scopes::make_unique(std::string_view name, bool is_register) {
  if ((is_register || !taken_.contains(name)) && used_.insert(name).second) return name;
  std::uint32_t& copies = copies_[name];
  if (copies == 0) copies = 1;
  std::string_view made = strings_.emplace_back(fmt::format("{}@{}", name, ++copies));
  used_.insert(made);
  return made;
}

}  // namespace gpulab::ptx
