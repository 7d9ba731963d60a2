#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <utility>

namespace gpulab::tests {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }
bool chance(Random& random, int percent) { return below(random, 100) < static_cast<std::size_t>(percent); }

template <typename T>
const auto& one_of(Random& random, const T& items) {
  return items[below(random, items.size())];
}

// Where sizes, offsets and addresses change their kind: signs, widths, guards of shared memory, alignments.
constexpr std::array<std::string_view, 40> numbers{"0",
                                                   "1",
                                                   "-1",
                                                   "2",
                                                   "3",
                                                   "4",
                                                   "5",
                                                   "7",
                                                   "8",
                                                   "16",
                                                   "31",
                                                   "32",
                                                   "33",
                                                   "63",
                                                   "64",
                                                   "127",
                                                   "128",
                                                   "255",
                                                   "256",
                                                   "1023",
                                                   "1024",
                                                   "4095",
                                                   "4096",
                                                   "32764",
                                                   "49152",
                                                   "65535",
                                                   "65536",
                                                   "233472",
                                                   "524288",
                                                   "1048576",
                                                   "16777215",
                                                   "2147483647",
                                                   "2147483648",
                                                   "-2147483648",
                                                   "4294967295",
                                                   "4294967296",
                                                   "1099511627776",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "18446744073709551615"};

// What may stand for each other behind a dot.
const std::vector<std::vector<std::string_view>> suffixes{
    {"u32", "s32", "b32", "f32"},
    {"u64", "s64", "b64", "f64"},
    {"u8", "s8", "b8", "u16", "s16", "b16", "f16", "bf16"},
    {"u8", "u16", "u32", "u64", "b128", "f16x2", "pred"},
    {"global", "shared", "local", "const", "param"},
    {"v2", "v4"},
    {"relaxed", "acquire", "release", "acq_rel", "volatile", "weak"},
    {"cta", "cluster", "gpu", "sys"},
    {"add", "min", "max", "inc", "dec", "cas", "exch", "and", "or", "xor"},
    {"lt", "le", "gt", "ge", "eq", "ne"},
    {"up", "down", "bfly", "idx", "all", "any", "ballot", "uni"},
    {"lo", "hi", "wide", "sat", "rn", "rz", "ftz"},
    {"aligned", "sync", "arrive", "red", "popc"}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }

/// Words, one text each, and what stands between them.
std::vector<std::string> tokens_of(std::string_view line) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < line.size();) {
    auto end = at + 1;
    while (end < line.size() && is_word(line[end]) == is_word(line[at])) ++end;
    tokens.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return tokens;
}

bool is_number(const std::string& token) { return std::isdigit(static_cast<unsigned char>(token.front())) != 0; }
bool is_register(const std::string& token) {
  return token.front() == '%' &&
         std::any_of(token.begin(), token.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// A statement: most are one line of what compilers write.
struct Line {
  std::string text;
  [[nodiscard]] bool is_instruction() const {
    const auto first = text.find_first_not_of(" \t");
    return first != std::string::npos && text.back() == ';' &&
           (std::isalpha(static_cast<unsigned char>(text[first])) != 0 || text[first] == '@');
  }
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.size(), text.find('\n', at));
    lines.push_back({std::string(text.substr(at, end - at))});
    at = end + 1;
  }
  return lines;
}

class Mutant {
 public:
  Mutant(std::string_view ptx, std::uint64_t seed, const std::vector<std::string>& donors)
      : random_(seed), lines_(lines_of(ptx)), donors_(donors) {
    for (const Line& line : lines_) {
      for (auto& token : tokens_of(line.text)) {
        if (is_register(token)) registers_.push_back(token);
        if (std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '$')
          names_.push_back(std::move(token));
      }
    }
  }

  std::string text() {
    if (!lines_.empty())
      for (auto changes = 1 + below(random_, 3); changes > 0; --changes) change();
    std::string all;
    for (const Line& line : lines_) all += line.text + '\n';
    return all;
  }

 private:
  /// Of the instructions, but for one time in five.
  std::size_t some_line() {
    for (int tries = 0; tries < 20; ++tries) {
      const auto at = below(random_, lines_.size());
      if (lines_[at].is_instruction() || chance(random_, 5)) return at;
    }
    return below(random_, lines_.size());
  }

  void change() {
    const auto at = some_line();
    const auto kind = below(random_, 100);
    if (kind < 8) {
      if (lines_.size() > 1) lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (kind < 16) {
      insert(lines_[at], some_line());
    } else if (kind < 22) {
      std::swap(lines_[at], lines_[some_line()]);
    } else if (kind < 36) {
      borrow(at);
    } else if (kind < 40) {
      guard(lines_[at].text);
    } else {
      change_token(lines_[at].text);
    }
  }

  void insert(Line line, std::size_t at) {
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), std::move(line));
  }

  /// An instruction of another module, with registers of this one.
  void borrow(std::size_t at) {
    if (donors_.empty()) return;
    const auto lines = lines_of(one_of(random_, donors_));
    for (int tries = 0; tries < 20 && !lines.empty(); ++tries) {
      const Line& line = one_of(random_, lines);
      if (!line.is_instruction()) continue;
      std::string own;
      for (const auto& token : tokens_of(line.text)) own += is_register(token) ? like(token) : token;
      insert({std::move(own)}, at);
      return;
    }
  }

  /// A register that is probably of the same type: its name begins in the same way.
  std::string like(const std::string& name) {
    const auto stem = [](const std::string& text) { return text.substr(0, text.find_first_of("0123456789")); };
    for (int tries = 0; tries < 20 && !registers_.empty(); ++tries) {
      const auto& other = one_of(random_, registers_);
      if (stem(other) == stem(name)) return other;
    }
    return name;
  }

  void guard(std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return;
    if (text[first] == '@')
      text.erase(first, text.find(' ', first) - first);
    else
      text.insert(first, (chance(random_, 50) ? "@" : "@!") + like("%p1") + ' ');
  }

  void change_token(std::string& text) {
    auto tokens = tokens_of(text);
    if (tokens.empty()) return;
    for (int tries = 0; tries < 10; ++tries) {
      auto& token = tokens[below(random_, tokens.size())];
      if (auto other = replacement(token); !other.empty()) {
        token = std::move(other);
        break;
      }
    }
    text.clear();
    for (const auto& token : tokens) text += token;
  }

  std::string replacement(const std::string& token) {
    if (is_number(token))
      return chance(random_, 50) ? std::to_string(below(random_, 40)) : std::string(one_of(random_, numbers));
    if (is_register(token))
      return chance(random_, 85) || registers_.empty() ? like(token) : one_of(random_, registers_);
    for (const auto& kind : suffixes) {
      if (std::find(kind.begin(), kind.end(), token) == kind.end()) continue;
      return std::string(one_of(random_, chance(random_, 90) ? kind : one_of(random_, suffixes)));
    }
    if (!names_.empty() && (token.front() == '$' || (is_word(token.front()) && chance(random_, 3))))
      return one_of(random_, names_);
    if (token == "]" || token == "];") return "+" + std::string(one_of(random_, numbers)) + token;
    return {};
  }

  Random random_;
  std::vector<Line> lines_;
  const std::vector<std::string>& donors_;
  std::vector<std::string> registers_, names_;
};

}  // namespace

std::string mutated(std::string_view ptx, std::uint64_t seed, const std::vector<std::string>& donors) {
  return Mutant(ptx, seed, donors).text();
}

}  // namespace gpulab::tests
