#include "common/cuda_api/link_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <unordered_map>
#include <vector>

namespace gpulab::cuda_api {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

/// What stands at the top of a module, from its first word to its end.
struct Item {
  enum class Kind { line, section, variable, function } kind = Kind::line;
  std::string_view text;
  std::string_view name;  ///< that it declares or defines; empty: none
  bool is_extern = false, is_weak = false, is_visible = false, is_common = false;
  bool defines = false;  ///< not only declares
};

/// Takes a text apart.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Item> items() {
    std::vector<Item> all;
    while (skip_blanks(), at_ < text_.size()) all.push_back(next());
    return all;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
        ++at_;
      else if (text_.substr(at_, 2) == "//")
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        return;
    }
  }
  [[nodiscard]] std::size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }

  /// Behind the semicolon or the brace that ends what begins here.
  std::size_t item_end(bool& has_body) const {
    int depth = 0;
    bool quoted = false, initial = false;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"' && (i == 0 || text_[i - 1] != '\\')) quoted = !quoted;
      if (quoted) continue;
      if (text_.substr(i, 2) == "//") {
        i = std::min(text_.find('\n', i), text_.size() - 1);
        continue;
      }
      if (c == '=' && depth == 0) initial = true;
      if (c == '{') ++depth;
      if (c == '}' && --depth <= 0 && !initial) {
        has_body = true;
        return i + 1;
      }
      if (c == ';' && depth == 0) return i + 1;
    }
    return text_.size();
  }

  Item next() {
    Item item;
    const auto rest = text_.substr(at_);
    for (const char* word : {".version", ".target", ".address_size", ".file"})
      if (rest.starts_with(word)) {
        item.text = text_.substr(at_, line_end() - at_);
        at_ = line_end();
        return item;
      }
    bool has_body = false;
    const std::size_t end = item_end(has_body);
    item.text = text_.substr(at_, end - at_);
    at_ = end;
    describe(item, has_body);
    return item;
  }

  /// Its words up to its name.
  static void describe(Item& item, bool has_body) {
    if (item.text.starts_with(".section")) {
      item.kind = Item::Kind::section;
      return;
    }
    const auto head = item.text.substr(0, item.text.find_first_of("={;"));
    item.is_extern = head.find(".extern") != std::string_view::npos;
    item.is_weak = head.find(".weak") != std::string_view::npos;
    item.is_visible = head.find(".visible") != std::string_view::npos;
    item.is_common = head.find(".common") != std::string_view::npos;
    const auto function = std::min(head.find(".func"), head.find(".entry"));
    if (function != std::string_view::npos) {
      item.kind = Item::Kind::function;
      item.defines = has_body;
      item.name = function_name(head.substr(function));
    } else if (head.starts_with('.') && !item.text.starts_with(".alias") && !item.text.starts_with(".pragma")) {
      item.kind = Item::Kind::variable;
      item.defines = !item.is_extern;
      item.name = variable_name(head);
    }
  }

  /// ".func (.param .b32 r) name(": behind the results.
  static std::string_view function_name(std::string_view head) {
    std::size_t at = head.find_first_of(" \t\n(");
    while (at < head.size() && (std::isspace(static_cast<unsigned char>(head[at])) != 0 || head[at] == '.')) {
      if (head[at] == '.')  // .noreturn
        while (at < head.size() && std::isspace(static_cast<unsigned char>(head[at])) == 0) ++at;
      else
        ++at;
    }
    if (at < head.size() && head[at] == '(') {
      at = head.find(')', at);
      while (at < head.size() && !in_name(head[at])) ++at;
    }
    std::size_t end = at;
    while (end < head.size() && in_name(head[end])) ++end;
    return at < head.size() ? head.substr(at, end - at) : std::string_view();
  }

  /// ".global .align 4 .b8 name[16]": the last word before brackets.
  static std::string_view variable_name(std::string_view head) {
    head = head.substr(0, head.find('['));
    while (!head.empty() && !in_name(head.back())) head.remove_suffix(1);
    std::size_t start = head.size();
    while (start > 0 && in_name(head[start - 1])) --start;
    return head.substr(start);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::uint32_t number_at(std::string_view text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

using Renames = std::unordered_map<std::string_view, std::string>;

/// The text with names replaced, and with numbers of files (.file, .loc, inlined_at) that begin behind `files`.
std::string rewritten(std::string_view text, const Renames& names, std::uint32_t files) {
  std::string out;
  bool numbered = false;  // the next number is a file's
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      const std::size_t end = std::min(text.find('"', i + 1), text.size() - 1);
      out += text.substr(i, end + 1 - i);
      i = end + 1;
      continue;
    }
    if (!in_name(text[i])) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    const auto word = text.substr(i, end - i);
    const bool directive = i > 0 && text[i - 1] == '.';
    if (numbered && std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      out += std::to_string(number_at(word) + files);
    } else if (const auto found = names.find(word); found != names.end() && !directive) {
      out += found->second;
    } else {
      out += word;
    }
    numbered = (directive && (word == "file" || word == "loc")) || word == "inlined_at";
    i = end;
  }
  return out;
}

struct Parsed {
  std::vector<Item> items;
  Renames renames;
  std::uint32_t files = 0;  ///< of the modules before
};

/// Names of a module's own that another has, too; labels of debug information.
void name_apart(std::vector<Parsed>& modules) {
  std::set<std::string_view> taken;
  for (std::size_t m = 0; m < modules.size(); ++m) {
    for (const auto& item : modules[m].items) {
      const bool own = item.defines && !item.is_visible && !item.is_weak && !item.is_common && !item.name.empty();
      if (own && !taken.insert(item.name).second)
        modules[m].renames[item.name] = fmt::format("{}__module{}", item.name, m);
      if (m == 0 || item.kind != Item::Kind::section) continue;
      for (auto at = item.text.find("$L__info_string"); at != std::string_view::npos;
           at = item.text.find("$L__info_string", at + 1)) {
        const auto label = item.text.substr(at, item.text.find(':', at) - at);
        modules[m].renames[label] = fmt::format("$L__module{}_{}", m, label.substr(4));
      }
    }
  }
}

}  // namespace

std::string link_ptx(std::span<const std::string> texts) {
  std::vector<Parsed> modules;
  std::set<std::string_view> defined, written;
  std::uint32_t files = 0;
  for (const auto& text : texts) {
    Parsed& module = modules.emplace_back(Parsed{Reader(text).items(), {}, files});
    for (const auto& item : module.items) {
      if (item.text.starts_with(".file")) files = std::max(files, module.files + number_at(item.text.substr(6)));
      if (item.defines && (item.is_visible || item.is_weak || item.is_common)) defined.insert(item.name);
    }
  }
  name_apart(modules);
  std::string head, body, tail;
  for (const auto& module : modules) {
    for (const auto& item : module.items) {
      const bool whole = item.text.starts_with(".version") || item.text.starts_with(".target") ||
                         item.text.starts_with(".address_size");
      if (whole && &module != &modules.front()) continue;
      const bool shared_name = item.is_visible || item.is_weak || item.is_common || item.is_extern;
      if (item.kind == Item::Kind::variable && item.is_extern && defined.contains(item.name)) continue;
      if (shared_name && (item.defines || item.kind == Item::Kind::variable) && !item.name.empty() &&
          !written.insert(item.name).second)
        continue;  // .weak and .common, or the same declaration
      if (item.kind == Item::Kind::section && !item.text.starts_with(".section\t.debug_str") &&
          !item.text.starts_with(".section .debug_str"))
        continue;
      (whole                               ? head
       : item.kind == Item::Kind::variable ? body
                                           : tail) += rewritten(item.text, module.renames, module.files) + "\n";
    }
  }
  return head + body + tail;
}

}  // namespace gpulab::cuda_api
