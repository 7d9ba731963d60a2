// .loc: source locations of instructions, with the calls they were inlined through; and the names of the inlined
// functions, which stand as bytes in .debug_str.

#include <fmt/format.h>

#include "common/ptx/constant.h"
#include "common/ptx/function_parser.h"

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

/// The bytes of a .debug_* section and its labels.
struct DebugSection {
  std::string bytes;
  std::unordered_map<std::string_view, std::uint64_t> labels;
};

void parse_data(TokenStream& tokens, DebugSection& section, std::size_t width) {
  do {
    std::uint64_t value = 0;
    if (tokens.at(TokenKind::word) || tokens.at(TokenKind::directive)) {  // a label or section: not for strings
      tokens.take();
      if (tokens.at('+') || tokens.at('-')) (void)parse_integer_constant(tokens);
    } else {
      value = parse_integer_constant(tokens).bits;
    }
    for (std::size_t i = 0; i < width; ++i) section.bytes.push_back(static_cast<char>(value >> (8 * i)));
  } while (tokens.accept(','));
}

DebugSection parse_section(TokenStream& tokens) {
  DebugSection section;
  tokens.expect('{', "to open .debug_str");
  while (!tokens.accept('}')) {
    if (tokens.accept_directive(".b8")) {
      parse_data(tokens, section, 1);
    } else if (tokens.accept_directive(".b16")) {
      parse_data(tokens, section, 2);
    } else if (tokens.accept_directive(".b32")) {
      parse_data(tokens, section, 4);
    } else if (tokens.accept_directive(".b64")) {
      parse_data(tokens, section, 8);
    } else {
      section.labels[tokens.expect_word("data or a label in .debug_str")] = section.bytes.size();
      tokens.expect(':', "after a label");
    }
  }
  return section;
}

}  // namespace

void resolve_function_names(ParseContext& context, TokenStream section_tokens) {
  const DebugSection section = parse_section(section_tokens);
  std::unordered_map<std::uint64_t, std::string_view> texts;  // by place: many locations share a function
  for (const ParseContext::FunctionName& name : context.function_names) {
    const auto label = section.labels.find(name.label);
    if (label == section.labels.end() || label->second + name.offset >= section.bytes.size()) continue;
    const std::uint64_t place = label->second + name.offset;
    std::string_view& text = texts[place];
    if (text.empty()) text = context.module.strings.emplace_back(section.bytes.c_str() + place);
    context.module.locations[name.location].function = text;
  }
}

}  // namespace gpulab::ptx
