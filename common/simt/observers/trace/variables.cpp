#include "common/simt/observers/trace/variables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "common/simt/observers/trace/debug_sections.h"

namespace gpulab::simt {

namespace {

// DWARF's numbers (DWARF 4, sections 7.5 and 7.7) of what nvcc writes.
namespace attribute {
constexpr std::uint64_t location = 0x02, name = 0x03, low_pc = 0x11, high_pc = 0x12, abstract_origin = 0x31;
}
namespace operation {
constexpr std::uint64_t addr = 0x03, plus_uconst = 0x23, regx = 0x90;
}

/// How an entry of .debug_info is written: a row of .debug_abbrev.
struct Abbreviation {
  bool has_children = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes;  ///< and their forms
};

/// From where to where a scope or a location reaches: lines of labels.
struct Span {
  std::uint32_t begin = 0, end = 0;
};

/// "%r1" of DW_OP_regx: its letters, the first one in the highest byte that is not 0.
std::string register_name(std::uint64_t number) {
  std::string name;
  for (int byte = 7; byte >= 0; --byte)
    if (const char c = static_cast<char>(number >> (8 * byte)); c != 0) name.push_back(c);
  return name;
}

/// What is no name (nothing, a line break, half a character) is nobody's.
bool is_identifier(std::string_view name) {
  constexpr std::size_t longest = 200;
  return !name.empty() && name.size() <= longest &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$") ==
             std::string::npos;
}

/// Reads the entries of .debug_info.
class Entries {
 public:
  struct Variable {
    std::string name;
    std::uint64_t origin = 0;  ///< of an inlined function's: the entry that has the name
    std::string reg, symbol;   ///< that hold it
    Span span;
    std::optional<std::uint64_t> offset{};  ///< of local memory: bytes behind `symbol`
  };

  Entries(const DebugSection& info, const DebugSection& abbreviations, const DebugSection& locations,
          const DebugSection& strings, std::unordered_map<std::string_view, std::uint32_t> labels)
      : info_(info),
        abbreviations_(abbreviations),
        locations_(locations),
        strings_(strings),
        labels_(std::move(labels)) {}

  /// All variables and parameters whose places are known, with their names.
  std::vector<Variable> variables() {
    std::size_t at = 0;
    for (int unit = 0; unit < kMostUnits && at + 11 < info_.bytes.all.size() && read_unit(at); ++unit) {
    }
    for (Variable& v : found_)
      if (const auto origin = names_.find(v.origin); v.name.empty() && origin != names_.end()) v.name = origin->second;
    std::erase_if(found_, [](const Variable& v) { return !is_identifier(v.name); });
    return std::move(found_);
  }

 private:
  // A hostile text has entries that share one long list or name, and units that share a long table: nvcc writes one
  // unit.
  static constexpr int kMostUnits = 16;
  static constexpr std::size_t kMostAttributes = 32;  ///< of an entry; nvcc writes ten
  static constexpr std::size_t kMostVariables = std::size_t{1} << 20;

  struct Entry {
    std::string name;
    std::uint64_t origin = 0;
    std::string_view low, high;                ///< labels
    std::optional<std::uint64_t> list;         ///< place in .debug_loc
    std::pair<std::size_t, std::uint64_t> at;  ///< expression: place in .debug_info, bytes
  };

  /// False: its rest cannot be read.
  bool read_unit(std::size_t& at) {
    DebugReader reader(info_, at);
    const std::size_t unit = at;
    const std::uint64_t bytes = reader.number(4), version = reader.number(2);
    const std::uint64_t table = reader.number(4), address = reader.number(1);
    if (!reader.ok() || version < 2 || version > 4 || address != 8 || bytes > info_.bytes.all.size() - unit)
      return false;
    const auto rows = read_abbreviations(table);
    const std::size_t end = unit + 4 + bytes;
    std::vector<Span> scopes{{0, UINT32_MAX}};
    while (reader.ok() && reader.at() < end && !scopes.empty()) {
      const std::size_t place = reader.at();
      const std::uint64_t code = reader.uleb();
      if (code == 0) {
        scopes.pop_back();
        continue;
      }
      const auto row = rows.find(code);
      if (row == rows.end()) return false;
      Entry entry;
      for (const auto& [what, form] : row->second.attributes)
        if (!read_attribute(reader, what, form, unit, entry)) return false;
      if (!entry.name.empty()) names_.emplace(place, entry.name);
      Span span = scopes.back();
      if (const auto low = labels_.find(entry.low), high = labels_.find(entry.high);
          low != labels_.end() && high != labels_.end())
        span = {low->second, high->second};
      add(entry, span);
      if (row->second.has_children) scopes.push_back(span);
    }
    at = end;
    return reader.ok();
  }

  std::map<std::uint64_t, Abbreviation> read_abbreviations(std::size_t at) const {
    std::map<std::uint64_t, Abbreviation> rows;
    DebugReader reader(abbreviations_, at);
    for (std::uint64_t code = reader.uleb(); code != 0 && reader.ok(); code = reader.uleb()) {
      Abbreviation row;
      (void)reader.uleb();  // what the entry is: its attributes say enough
      row.has_children = reader.number(1) != 0;
      for (;;) {
        const std::uint64_t what = reader.uleb(), form = reader.uleb();
        if (row.attributes.size() == kMostAttributes) reader.fail();
        if ((what == 0 && form == 0) || !reader.ok()) break;
        row.attributes.emplace_back(what, form);
      }
      rows.emplace(code, std::move(row));
    }
    return rows;
  }

  /// An attribute as it stands there.
  struct Value {
    std::string_view symbol;  ///< that the number is added to
    std::uint64_t number = 0;
    std::string text;
    std::pair<std::size_t, std::uint64_t> block;  ///< place in .debug_info, bytes
  };

  /// Nothing where the form is none that is known.
  std::optional<Value> read_value(DebugReader& reader, std::uint64_t form, bool wanted) {
    Value value{reader.symbol(), 0, {}, {}};
    const auto block = [&](std::uint64_t bytes) {
      value.block = {reader.at(), bytes};
      reader.skip(bytes);
    };
    switch (form) {
      case 0x01:  // addr, data8, ref8, ref_sig8
      case 0x07:
      case 0x14:
      case 0x20:
        value.number = reader.number(8);
        break;
      case 0x06:  // data4, ref_addr, ref4, sec_offset
      case 0x10:
      case 0x13:
      case 0x17:
        value.number = reader.number(4);
        break;
      case 0x05:  // data2, ref2
      case 0x12:
        value.number = reader.number(2);
        break;
      case 0x0b:  // data1, flag, ref1
      case 0x0c:
      case 0x11:
        value.number = reader.number(1);
        break;
      case 0x0d:  // sdata, udata, ref_udata
      case 0x0f:
      case 0x15:
        value.number = reader.uleb();
        break;
      case 0x19:  // flag_present
        break;
      case 0x03:
        block(reader.number(2));
        break;
      case 0x04:
        block(reader.number(4));
        break;
      case 0x0a:
        block(reader.number(1));
        break;
      case 0x09:  // block, exprloc
      case 0x18:
        block(reader.uleb());
        break;
      case 0x08:
        value.text = reader.string();
        break;
      case 0x0e:  // strp
        value.number = reader.number(4);
        if (wanted) value.text = string_at(value.symbol, value.number);
        break;
      default:
        return std::nullopt;
    }
    return value;
  }

  std::string string_at(std::string_view label, std::uint64_t offset) {
    if (patience_ == 0) return {};
    const auto start = strings_.labels.find(label);
    std::string text = DebugReader(strings_, (start == strings_.labels.end() ? 0 : start->second) + offset).string();
    spend(text.size());
    return text;
  }

  /// False where its form is none that is known.
  bool read_attribute(DebugReader& reader, std::uint64_t what, std::uint64_t form, std::size_t unit, Entry& entry) {
    auto value = read_value(reader, form, what == attribute::name);
    if (!value || !reader.ok()) return false;
    if (what == attribute::name) entry.name = std::move(value->text);
    if (what == attribute::low_pc) entry.low = value->symbol;
    if (what == attribute::high_pc) entry.high = value->symbol;
    if (what == attribute::abstract_origin) entry.origin = form == 0x10 ? value->number : unit + value->number;
    if (what == attribute::location) {
      entry.at = value->block;
      const auto label = locations_.labels.find(value->symbol);
      if (form == 0x06 || form == 0x17)
        entry.list = (label == locations_.labels.end() ? 0 : label->second) + value->number;
    }
    return true;
  }

  void add(const Entry& entry, Span span) {
    if (entry.name.empty() && entry.origin == 0) return;
    if (entry.list) return add_list(entry, *entry.list);
    if (entry.at.second != 0) add_expression(entry, info_, entry.at.first, entry.at.second, span);
  }

  /// A location list: from a label to a label, an expression; two zeros end it.
  void add_list(const Entry& entry, std::size_t at) {
    DebugReader reader(locations_, at);
    for (; reader.ok() && patience_ > 0; spend(1)) {
      const std::string_view low = reader.symbol();
      (void)reader.number(8);
      const std::string_view high = reader.symbol();
      (void)reader.number(8);
      if (low.empty() || high.empty()) return;
      const std::uint64_t bytes = reader.number(2);
      const auto begin = labels_.find(low), end = labels_.find(high);
      if (reader.ok() && begin != labels_.end() && end != labels_.end())
        add_expression(entry, locations_, reader.at(), bytes, {begin->second, end->second});
      reader.skip(bytes);
    }
  }

  void add_expression(const Entry& entry, const DebugSection& section, std::size_t at, std::uint64_t bytes, Span span) {
    if (found_.size() >= kMostVariables) return;
    DebugReader reader(section, at);
    Variable variable{entry.name, entry.origin, {}, {}, span};
    const std::uint64_t what = reader.number(1);
    if (what == operation::regx) {
      variable.reg = register_name(reader.uleb());
    } else if (what == operation::addr) {
      variable.symbol = reader.symbol();
      (void)reader.number(8);
      if (reader.ok() && reader.at() - at < bytes) {
        if (reader.number(1) != operation::plus_uconst) return;
        variable.offset = reader.uleb();
      }
    } else {
      return;
    }
    if (reader.ok() && reader.at() - at == bytes) found_.push_back(std::move(variable));
  }

  void spend(std::uint64_t steps) { patience_ -= std::min(patience_, steps); }

  const DebugSection &info_, &abbreviations_, &locations_, &strings_;
  const std::unordered_map<std::string_view, std::uint32_t> labels_;
  std::unordered_map<std::uint64_t, std::string> names_;  ///< of entries, by place
  std::vector<Variable> found_;
  std::uint64_t patience_ = std::uint64_t{1} << 22;  ///< entries of lists and letters of names that may still be read
};

}  // namespace

Variables::Variables(std::string_view ptx) {
  const auto info = debug_section(ptx, ".debug_info"), abbreviations = debug_section(ptx, ".debug_abbrev");
  const auto locations = debug_section(ptx, ".debug_loc"), strings = debug_section(ptx, ".debug_str");
  if (!info || !abbreviations || !locations || !strings || info->bytes.all.empty()) return;
  for (Entries::Variable& v : Entries(*info, *abbreviations, *locations, *strings, label_lines(ptx)).variables()) {
    if (!v.reg.empty())
      ranges_[v.reg].push_back({v.span.begin, v.span.end, std::move(v.name)});
    else if (v.offset)
      locals_[v.symbol].push_back({*v.offset, std::move(v.name)});
    else
      parameters_.emplace(v.symbol, std::move(v.name));
  }
  for (auto& [symbol, all] : locals_) {
    std::ranges::sort(all, {}, &Local::offset);
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i].offset == all[i + 1].offset) all[i].name.clear(), all[i + 1].name.clear();
    const auto same = [](const Local& a, const Local& b) { return a.offset == b.offset; };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
  }
}

/// In the narrowest of the scopes that hold the line: one variable may hide another.
std::string_view Variables::held(std::string_view reg, std::uint32_t line) const {
  const auto found = ranges_.find(std::string(reg));
  if (found == ranges_.end() || patience_ < found->second.size()) return {};
  patience_ -= found->second.size();
  const Range* best = nullptr;
  for (const Range& range : found->second)
    if (range.begin < line && line < range.end &&
        (best == nullptr || range.end - range.begin < best->end - best->begin))
      best = &range;
  return best == nullptr ? std::string_view() : best->name;
}

const std::vector<Variables::Local>& Variables::locals(std::string_view symbol) const {
  static const std::vector<Local> none;
  const auto found = locals_.find(std::string(symbol));
  return found == locals_.end() ? none : found->second;
}

std::string_view Variables::parameter(std::string_view symbol) const {
  const auto found = parameters_.find(std::string(symbol));
  return found == parameters_.end() ? std::string_view() : found->second;
}

}  // namespace gpulab::simt
