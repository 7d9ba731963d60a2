#include "runner/student_file/arguments/struct_layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr auto npos = std::string_view::npos;
/// Structs in structs: deeper ones are not read, nor are those that hold themselves.
constexpr int most_levels = 16;
constexpr std::size_t most_members = 4096;  ///< a kernel's parameters have at most as many bytes on most GPUs

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    auto end = at + 1;
    if (word_character(text[at]))
      while (end < text.size() && word_character(text[end])) ++end;
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::size_t closing(std::string_view code, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < code.size(); ++at) {
    if (code[at] == '{') ++depth;
    if (code[at] == '}' && --depth == 0) return at;
  }
  return npos;
}

/// The body of `struct NAME {…}` or `typedef struct {…} NAME`, without its braces.
std::optional<std::string_view> body_of(std::string_view name, std::string_view code) {
  for (const std::string_view key : {"struct", "class"}) {
    for (auto at = code.find(key); at != npos; at = code.find(key, at + 1)) {
      if (at > 0 && word_character(code[at - 1])) continue;
      const auto stop = code.find_first_of("{;(", at);
      if (stop == npos || code[stop] != '{') continue;
      const auto close = closing(code, stop);
      if (close == npos) return std::nullopt;
      const auto head = words_of(code.substr(at, stop - at));
      const auto behind = words_of(code.substr(close + 1, code.find(';', close) - close - 1));
      const bool is_typedef = head.size() == 1 && behind.size() == 1 && behind[0] == name;
      // Whatever stands behind the name (": Base") makes it more than a struct of its members.
      if (head.back() == name || is_typedef) return code.substr(stop + 1, close - stop - 1);
    }
  }
  return std::nullopt;
}

/// float4, int2, uchar3, dim3: CUDA's vectors. Those of 2 and 4 are aligned as a whole, up to 16 bytes.
std::optional<StructLayout> vector_layout(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, Scalar>, 12> bases{{{"char", Scalar::i8},
                                                                              {"uchar", Scalar::u8},
                                                                              {"short", Scalar::i16},
                                                                              {"ushort", Scalar::u16},
                                                                              {"int", Scalar::i32},
                                                                              {"uint", Scalar::u32},
                                                                              {"long", Scalar::i64},
                                                                              {"ulong", Scalar::u64},
                                                                              {"longlong", Scalar::i64},
                                                                              {"ulonglong", Scalar::u64},
                                                                              {"float", Scalar::f32},
                                                                              {"double", Scalar::f64}}};
  if (type == "dim3") type = "uint3";
  if (type.empty() || type.back() < '1' || type.back() > '4') return std::nullopt;
  const auto base = std::find_if(bases.begin(), bases.end(),
                                 [&](const auto& known) { return known.first == type.substr(0, type.size() - 1); });
  if (base == bases.end()) return std::nullopt;
  const auto count = static_cast<std::size_t>(type.back() - '0');
  StructLayout layout;
  for (std::size_t i = 0; i < count; ++i) layout.add(base->second);
  if (count != 3) layout.align = std::min<std::size_t>(16, layout.bytes);
  return layout;
}

class Reader {
 public:
  explicit Reader(std::string_view code) : code_(code) {}

  std::optional<StructLayout> type(std::string_view name, int level) const {
    if (const auto number = scalar_of_cpp(name)) {
      StructLayout layout;
      layout.add(*number);
      return layout;
    }
    if (auto vector = vector_layout(name)) return vector;
    if (level == most_levels) return std::nullopt;
    const auto scope = name.rfind("::");
    const auto body = body_of(scope == npos ? name : name.substr(scope + 2), code_);
    return body ? members(*body, level + 1) : std::nullopt;
  }

 private:
  std::optional<StructLayout> members(std::string_view body, int level) const {
    StructLayout layout;
    for (const auto& statement : statements(body))
      if (!declare(statement, level, layout)) return std::nullopt;
    layout.finish();
    return layout;
  }
  /// The parts between semicolons and bodies of functions, without access labels.
  static std::vector<std::string> statements(std::string_view body) {
    std::vector<std::string> all(1);
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (body[at] == '{') {
        const auto close = closing(body, at);
        if (close == npos) break;
        if (all.back().find('(') != npos) all.emplace_back();  // what stands before was a function
        at = close;
      } else if (body[at] == ';') {
        all.emplace_back();
      } else {
        all.back() += body[at];
      }
      for (const std::string_view label : {"public:", "private:", "protected:"})
        if (all.back().ends_with(label)) all.back().resize(all.back().size() - label.size());
    }
    return all;
  }
  /// One statement's members: "const float *a, b[3]". False where it is not understood.
  bool declare(const std::string& statement, int level, StructLayout& layout) const {
    auto words = words_of(statement);
    if (words.empty() || statement.find('(') != npos) return true;  // a function, or nothing
    static constexpr std::array no_member{"static", "using", "typedef", "friend", "enum", "template", "operator"};
    if (std::any_of(no_member.begin(), no_member.end(), [&](const char* word) { return words[0] == word; }))
      return true;
    std::erase_if(words, [](const std::string& word) {
      return word == "const" || word == "volatile" || word == "struct" || word == "mutable";
    });
    std::string type;
    std::size_t at = 0;
    const auto is_name = [&](std::size_t i) { return i < words.size() && word_character(words[i][0]); };
    // The type is all words but the last before a sign: "unsigned long n", "ns :: Point p".
    while (is_name(at) && (is_name(at + 1) || (at + 1 < words.size() && words[at + 1] == ":") ||
                           (at + 1 < words.size() && words[at + 1] == "*"))) {
      type += (type.empty() || type.ends_with(':') ? "" : " ") + words[at++];
      while (at < words.size() && words[at] == ":") type += words[at++];
    }
    if (at == words.size()) return false;
    // A pointer is 8 bytes, whatever it points to: a node of a list points to its like.
    bool pointers = words[at] == "*";
    for (auto comma = at; comma + 1 < words.size(); ++comma)
      if (words[comma] == ",") pointers = pointers && words[comma + 1] == "*";
    const auto element = pointers ? StructLayout{} : this->type(type, level);
    return element && declarators(words, at, *element, layout);
  }
  /// "*a, b[3] = …, c" of elements of one type.
  static bool declarators(const std::vector<std::string>& words, std::size_t at, const StructLayout& element,
                          StructLayout& layout) {
    while (at < words.size()) {
      bool pointer = false;
      for (; at < words.size() && words[at] == "*"; ++at) pointer = true;
      if (at == words.size() || !word_character(words[at][0])) return false;
      std::size_t count = 1;
      for (++at; at + 2 < words.size() && words[at] == "["; at += 3) {
        const auto extent = parse_integer(words[at + 1]);
        if (!extent || *extent < 1 || words[at + 2] != "]") return false;
        count = std::min(most_members + 1, count * static_cast<std::size_t>(std::min<std::int64_t>(*extent, 1 << 20)));
      }
      if (at < words.size() && words[at] == "=")
        while (at < words.size() && words[at] != ",") ++at;
      if (at < words.size() && words[at] != ",") return false;
      ++at;
      if (layout.members.size() + count * std::max<std::size_t>(1, element.members.size()) > most_members) return false;
      for (std::size_t i = 0; i < count; ++i) {
        if (pointer)
          layout.add(Scalar::u64);
        else
          layout.add(element);
      }
    }
    return true;
  }

  std::string_view code_;
};

}  // namespace

void StructLayout::add(Scalar type) {
  const auto size = size_of(type);
  bytes = (bytes + size - 1) / size * size;
  members.push_back({type, bytes});
  bytes += size;
  align = std::max(align, size);
}

void StructLayout::add(const StructLayout& nested) {
  bytes = (bytes + nested.align - 1) / nested.align * nested.align;
  for (const auto& member : nested.members) members.push_back({member.type, bytes + member.offset});
  bytes += nested.bytes;
  align = std::max(align, nested.align);
}

void StructLayout::finish() { bytes = (bytes + align - 1) / align * align; }

std::optional<StructLayout> layout_of(std::string_view type, std::string_view code) {
  return Reader(code).type(type, 0);
}

std::optional<Scalar> scalar_of_cpp(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, Scalar>, 40> names{{
      {"bool", Scalar::u8},
      {"char", Scalar::i8},
      {"signed char", Scalar::i8},
      {"int8_t", Scalar::i8},
      {"unsigned char", Scalar::u8},
      {"uint8_t", Scalar::u8},
      {"uchar", Scalar::u8},
      {"short", Scalar::i16},
      {"short int", Scalar::i16},
      {"int16_t", Scalar::i16},
      {"unsigned short", Scalar::u16},
      {"uint16_t", Scalar::u16},
      {"ushort", Scalar::u16},
      {"int", Scalar::i32},
      {"signed", Scalar::i32},
      {"signed int", Scalar::i32},
      {"int32_t", Scalar::i32},
      {"unsigned", Scalar::u32},
      {"unsigned int", Scalar::u32},
      {"uint32_t", Scalar::u32},
      {"uint", Scalar::u32},
      {"long", Scalar::i64},
      {"long int", Scalar::i64},
      {"long long", Scalar::i64},
      {"long long int", Scalar::i64},
      {"int64_t", Scalar::i64},
      {"ptrdiff_t", Scalar::i64},
      {"unsigned long", Scalar::u64},
      {"unsigned long int", Scalar::u64},
      {"unsigned long long", Scalar::u64},
      {"unsigned long long int", Scalar::u64},
      {"uint64_t", Scalar::u64},
      {"size_t", Scalar::u64},
      {"std::size_t", Scalar::u64},
      {"half", Scalar::f16},
      {"__half", Scalar::f16},
      {"__nv_bfloat16", Scalar::bf16},
      {"nv_bfloat16", Scalar::bf16},
      {"float", Scalar::f32},
      {"double", Scalar::f64},
  }};
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.first == type; });
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gpulab
