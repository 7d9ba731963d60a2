// .loc: source locations of instructions, with the calls they were inlined through; and the names of the inlined
// functions, which stand as bytes in .debug_str.

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "common/ptx/parse/function_parser.h"

namespace gpulab::ptx {
namespace {

std::uint32_t parse_number(TokenStream& tokens, std::string_view what) {
  return static_cast<std::uint32_t>(tokens.expect_count(what, UINT32_MAX));
}

}  // namespace

/// .loc file line column[, function_name label[+offset]][, inlined_at file line column]
void FunctionParser::parse_location() {
  tokens_.take();
  Location location;
  location.file = parse_number(tokens_, "a file number");
  location.line = parse_number(tokens_, "a line number");
  location.column = parse_number(tokens_, "a column number");
  std::optional<ParseContext::FunctionName> function_name;
  while (tokens_.accept(',')) {
    const Token attribute = tokens_.peek();
    (void)tokens_.expect_word("function_name or inlined_at");
    if (attribute.text == "function_name") {
      function_name = {0, tokens_.expect_word("a label in .debug_str"), 0};
      if (tokens_.accept('+')) function_name->offset = tokens_.expect_count("an offset in .debug_str", UINT32_MAX);
    } else if (attribute.text == "inlined_at") {
      const std::uint32_t file = parse_number(tokens_, "a file number");
      const std::uint32_t line = parse_number(tokens_, "a line number");
      location.inlined_at = call_site(file, line, parse_number(tokens_, "a column number"));
    } else {
      tokens_.fail(attribute, fmt::format("unknown attribute '{}' of .loc", attribute.text));
    }
  }
  location_ = add_location(location);
  if (function_name) {
    function_name->location = static_cast<std::uint32_t>(location_);
    context_.function_names.push_back(*function_name);
  }
}

/// A call site is announced by a .loc of its own before the code inlined there: the latest one is meant.
std::int32_t FunctionParser::call_site(std::uint32_t file, std::uint32_t line, std::uint32_t column) {
  const auto found = locations_.find({std::uint64_t{file} << 32 | line, column});
  if (found != locations_.end()) return found->second;
  Location location;
  location.file = file;
  location.line = line;
  location.column = column;
  return add_location(location);
}

std::int32_t FunctionParser::add_location(const Location& location) {
  const auto index = static_cast<std::int32_t>(context_.module.locations.size());
  context_.module.locations.push_back(location);
  locations_[{std::uint64_t{location.file} << 32 | location.line, location.column}] = index;
  return index;
}

namespace {

/// The string that `.b8 95,90,…,0` spells from `text` on, less its first `skip` bytes. Empty if that is no string, or
/// `patience` (tokens read, of the whole module) ends.
std::string spelled_string(std::string_view text, std::uint64_t skip, std::uint64_t& patience) {
  std::string spelled;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::end && patience > 0; token = lexer.next(), --patience) {
    if (token.punctuation == ',' || token.punctuation == ':' || token.kind == TokenKind::word) continue;
    if (token.kind == TokenKind::directive && token.text == ".b8") continue;
    unsigned value = 0;
    const auto parsed = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (token.kind != TokenKind::number || parsed.ec != std::errc() || value > 255) return {};
    if (skip > 0) {
      --skip;
    } else if (value != 0) {
      spelled.push_back(static_cast<char>(value));
    } else {
      return spelled;
    }
  }
  return {};
}

/// The word that ends at `end`.
std::string_view word_before(std::string_view text, std::size_t end) {
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  const std::size_t blank = text.find_last_of(" \t\r\n;{,", end == 0 ? 0 : end - 1);
  const std::size_t start = blank == std::string_view::npos ? 0 : blank + 1;
  return start < end ? text.substr(start, end - start) : std::string_view();
}

}  // namespace

/// The section may spell megabytes, of which a few names are needed: only these are read.
void resolve_function_names(ParseContext& context, std::string_view section) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (const ParseContext::FunctionName& name : context.function_names) places.emplace(name.label, 0);
  for (std::size_t colon = section.find(':'); colon != std::string_view::npos; colon = section.find(':', colon + 1)) {
    const auto needed = places.find(word_before(section, colon));
    if (needed != places.end()) needed->second = colon + 1;
  }
  std::uint64_t patience = std::uint64_t{1} << 26;
  std::unordered_map<std::uint64_t, std::string_view> texts;  // by place: many locations share a function
  for (const ParseContext::FunctionName& name : context.function_names) {
    const std::size_t place = places[name.label];
    if (place == 0) continue;
    const auto [text, is_new] = texts.try_emplace(std::uint64_t{place} << 32 | name.offset);
    if (is_new)
      text->second = context.module.strings.emplace_back(spelled_string(section.substr(place), name.offset, patience));
    context.module.locations[name.location].function = text->second;
  }
}

}  // namespace gpulab::ptx
