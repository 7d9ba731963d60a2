// A whole module: version, target, variables, functions, files, sections.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "common/ptx/parse/function_parser.h"
#include "common/ptx/parse/parse_context.h"
#include "common/ptx/parser.h"
#include "common/text.h"

namespace gpulab::ptx {
namespace {

using Wanted = std::function<bool(std::string_view)>;

/// Whether a directive opens a statement at module scope, rather than being part of one.
bool begins_statement(std::string_view directive) {
  constexpr std::array<std::string_view, 9> openers{".extern", ".visible", ".weak",    ".common", ".entry",
                                                    ".func",   ".file",    ".section", ".alias"};
  return std::find(openers.begin(), openers.end(), directive) != openers.end() || space_of(directive).has_value();
}

class ModuleParser {
 public:
  ModuleParser(std::string_view text, Module& module, const Wanted& wanted)
      : context_(text, module), tokens_(context_.tokens), module_(module), wanted_(wanted) {}

  void parse() {
    parse_version();
    while (!tokens_.at(TokenKind::end)) parse_statement();
    resolve_function_names(context_, debug_strings_);
    check_names();
  }

 private:
  void parse_version();
  void parse_statement();
  void parse_target();
  void parse_file();
  void parse_section();
  void parse_alias();
  void parse_variables(Space space, bool is_extern);
  void add_variable(const Token& name, Variable variable);
  void parse_function(bool is_entry, bool is_extern);
  void parse_parameters(std::vector<Variable>& parameters);
  void parse_attributes(Function& function);
  void parse_dimensions(std::uint32_t (&dimensions)[3]);
  [[nodiscard]] Function& add_function(const Token& name, Function function);
  void check_names() const;

  ParseContext context_;
  TokenStream& tokens_;
  Module& module_;
  const Wanted& wanted_;
  std::string_view debug_strings_;  ///< .debug_str, with its braces
};

void ModuleParser::parse_version() {
  if (!tokens_.accept_directive(".version")) {
    tokens_.fail(tokens_.peek(), "this is no PTX: it does not begin with .version",
                 "'nvcc -ptx FILE.cu' compiles CUDA C++ to PTX");
  }
  const Token token = tokens_.take();
  const std::size_t dot = token.text.find('.');
  const auto number = [&](std::string_view digits) {
    const bool valid = !digits.empty() && digits.size() <= 3 &&
                       std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!valid) tokens_.fail(token, fmt::format("malformed version '{}'", token.text), "it looks like 8.5");
    int value = 0;
    for (const char c : digits) value = value * 10 + (c - '0');
    return value;
  };
  module_.version_major = number(token.text.substr(0, dot));
  module_.version_minor = number(dot == std::string_view::npos ? std::string_view() : token.text.substr(dot + 1));
}

void ModuleParser::parse_statement() {
  bool is_extern = false;
  while (tokens_.at_directive(".extern") || tokens_.at_directive(".visible") || tokens_.at_directive(".weak") ||
         tokens_.at_directive(".common")) {
    is_extern |= tokens_.take().text == ".extern";
  }
  if (tokens_.accept(';')) return;
  const Token token = tokens_.peek();
  if (token.kind != TokenKind::directive) tokens_.fail_expected("a directive such as .global or .entry");
  if (const auto space = space_of(token.text); space) {
    if (*space == Space::reg)
      tokens_.fail(token, "registers at module scope are not supported", "they ended with PTX 2.0");
    tokens_.take();
    return parse_variables(*space, is_extern);
  }
  if (tokens_.accept_directive(".entry")) return parse_function(true, is_extern);
  if (tokens_.accept_directive(".func")) return parse_function(false, is_extern);
  if (tokens_.accept_directive(".target")) return parse_target();
  if (tokens_.accept_directive(".file")) return parse_file();
  if (tokens_.accept_directive(".section")) return parse_section();
  if (tokens_.accept_directive(".alias")) return parse_alias();
  if (tokens_.accept_directive(".pragma")) {
    (void)parse_pragma(tokens_);
    return;
  }
  if (tokens_.accept_directive(".address_size")) {
    module_.address_size = static_cast<int>(tokens_.expect_count("an address size in bits", 64));
    if (module_.address_size != 32 && module_.address_size != 64) tokens_.fail(token, "an address size is 32 or 64");
    return;
  }
  tokens_.fail(token, fmt::format("unknown directive '{}'", token.text));
}

/// .target sm_90a, texmode_independent, debug
void ModuleParser::parse_target() {
  module_.target = tokens_.expect_word("a target such as sm_75");
  while (tokens_.accept(',')) module_.debug |= tokens_.expect_word("a target option") == "debug";
}

/// .file number "path"[, timestamp, size]
void ModuleParser::parse_file() {
  const auto number = static_cast<std::uint32_t>(tokens_.expect_count("a file number", UINT32_MAX));
  if (!tokens_.at(TokenKind::string)) tokens_.fail_expected("a quoted file name");
  const std::string_view quoted = tokens_.peek().text;
  if (visible(quoted) != quoted) tokens_.fail_expected("a file name without control characters");
  tokens_.take();
  module_.files.emplace_back(number, quoted.substr(1, quoted.size() - 2));
  while (tokens_.accept(',')) (void)tokens_.expect_count("a time stamp or a size", UINT64_MAX);
}

/// Debug information; only .debug_str is of use, and only if a .loc names inlined functions.
void ModuleParser::parse_section() {
  if (!tokens_.at(TokenKind::directive) && !tokens_.at(TokenKind::word)) tokens_.fail_expected("a section name");
  const Token name = tokens_.take();
  if (!tokens_.at('{')) tokens_.fail_expected("'{' to open the section");
  const char* const start = tokens_.peek().text.data();
  tokens_.skip_braces();
  const auto size = static_cast<std::size_t>(tokens_.peek().text.data() - start);
  if (name.text == ".debug_str") debug_strings_ = std::string_view(start, size);
}

void ModuleParser::parse_alias() {
  const Token name = tokens_.peek();
  (void)tokens_.expect_word("the name of an alias");
  tokens_.expect(',', "between the names of .alias");
  const std::string_view function = tokens_.expect_word("the name of a function");
  tokens_.expect(';', "after .alias");
  context_.names_to_check.push_back(name.text);  // declared like any function, only without a body
  context_.names_to_check.push_back(function);
  module_.aliases.emplace_back(name.text, function);
}

void ModuleParser::parse_variables(Space space, bool is_extern) {
  VariableType type = parse_variable_type(tokens_, space);
  type.is_extern = is_extern;
  do {
    const Token name = tokens_.peek();
    for (Variable& variable : parse_variable(context_, type)) add_variable(name, std::move(variable));
  } while (tokens_.accept(','));
  tokens_.expect(';', "after a declaration of variables");
}

void ModuleParser::add_variable(const Token& name, Variable variable) {
  const auto index = static_cast<std::uint32_t>(module_.variables.size());
  const auto [entry, is_new] = context_.names.try_emplace(variable.name, 2 * index);
  if (is_new) {
    module_.variables.push_back(std::move(variable));
    return;
  }
  const bool is_function = entry->second % 2 != 0;
  if (!is_function && variable.is_extern) return;  // declared again
  if (is_function || !module_.variables[entry->second / 2].is_extern) {
    tokens_.fail(name, fmt::format("'{}' is defined twice", variable.name));
  }
  module_.variables[entry->second / 2] = std::move(variable);
}

/// Behind .entry or .func: [(results)] name [(parameters)] [attributes] and a body or ';'.
void ModuleParser::parse_function(bool is_entry, bool is_extern) {
  Function function;
  function.is_entry = is_entry;
  function.is_extern = is_extern;
  if (tokens_.accept_directive(".attribute")) tokens_.fail_expected("the name of a function");
  if (tokens_.at('(')) parse_parameters(function.results);
  const Token name = tokens_.peek();
  function.name = tokens_.expect_word(is_entry ? "the name of an entry" : "the name of a function");
  function.ptx_line = name.line;
  if (tokens_.at('(')) parse_parameters(function.parameters);
  parse_attributes(function);
  if (!tokens_.at('{')) {
    const bool next_begins = begins_statement(tokens_.peek().text);  // compilers before PTX 3.0 left out the ';'
    if (!next_begins && !tokens_.accept(';'))
      tokens_.fail_expected(fmt::format("the body of '{}' or ';'", function.name));
    (void)add_function(name, std::move(function));
    return;
  }
  function.has_body = true;
  Function& added = add_function(name, std::move(function));
  if (wanted_ && !wanted_(added.name)) {
    tokens_.skip_braces();
  } else {
    FunctionParser(context_, added).parse_body();
  }
}

void ModuleParser::parse_parameters(std::vector<Variable>& parameters) {
  tokens_.take();  // '('
  if (!tokens_.at(')')) {
    do {
      parameters.push_back(parse_parameter(context_));
    } while (tokens_.accept(','));
  }
  tokens_.expect(')', "after the parameters");
}

/// Performance and linking directives between the parameters and the body.
void ModuleParser::parse_attributes(Function& function) {
  const auto count = [&] { return static_cast<std::uint32_t>(tokens_.expect_count("a number", UINT32_MAX)); };
  while (tokens_.at(TokenKind::directive) && !begins_statement(tokens_.peek().text)) {
    const Token token = tokens_.take();
    const std::string_view text = token.text;
    if (text == ".maxntid") {
      parse_dimensions(function.max_threads);
    } else if (text == ".reqntid") {
      parse_dimensions(function.required_threads);
    } else if (text == ".reqnctapercluster") {
      parse_dimensions(function.required_cluster);
      constexpr std::uint32_t most = 1024;  // far beyond what any GPU has, and no product of three overflows
      if (std::any_of(std::begin(function.required_cluster), std::end(function.required_cluster),
                      [](std::uint32_t blocks) { return blocks == 0 || blocks > most; }))
        tokens_.fail(token, "a cluster that no GPU has", "its dimensions are 1 to 16");
    } else if (text == ".blocksareclusters") {
      tokens_.fail(token, "a grid that counts clusters, not blocks (.blocksareclusters): not in this version",
                   "leave the clusters out of __block_size__, and use __cluster_dims__");
    } else if (text == ".maxnreg") {
      function.max_registers = count();
    } else if (text == ".minnctapersm") {
      function.min_blocks_per_sm = count();
    } else if (text == ".maxnctapersm" || text == ".maxclusterrank" || text == ".abi_preserve" ||
               text == ".abi_preserve_control") {
      (void)count();
    } else if (text == ".noreturn") {
      function.is_noreturn = true;
    } else if (text == ".pragma") {
      (void)parse_pragma(tokens_);
    } else if (text != ".explicitcluster") {
      tokens_.fail(token, fmt::format("unknown directive '{}' of '{}'", text, function.name));
    }
  }
}

/// x[, y[, z]]; what is absent is 1.
void ModuleParser::parse_dimensions(std::uint32_t (&dimensions)[3]) {
  dimensions[0] = dimensions[1] = dimensions[2] = 1;
  std::size_t i = 0;
  do {
    if (i == 3) tokens_.fail_expected("at most three dimensions");
    dimensions[i++] = static_cast<std::uint32_t>(tokens_.expect_count("a dimension", UINT32_MAX));
  } while (tokens_.accept(','));
}

/// A definition takes the place of its declaration.
Function& ModuleParser::add_function(const Token& name, Function function) {
  const auto index = static_cast<std::uint32_t>(module_.functions.size());
  const auto [entry, is_new] = context_.names.try_emplace(function.name, 2 * index + 1);
  if (is_new) return module_.functions.emplace_back(std::move(function));
  Function* const before = entry->second % 2 != 0 ? &module_.functions[entry->second / 2] : nullptr;
  if (before == nullptr || (before->has_body && function.has_body)) {
    tokens_.fail(name, fmt::format("'{}' is defined twice", function.name));
  }
  if (function.has_body || !before->has_body) *before = std::move(function);
  return *before;
}

void ModuleParser::check_names() const {
  for (const std::string_view name : context_.names_to_check) {
    if (context_.names.contains(name)) continue;
    tokens_.fail({TokenKind::word, '\0', 0, name}, fmt::format("'{}' is not declared", name),
                 "labels and variables of an inner { } are not known outside of it");
  }
}

}  // namespace

Module parse(std::string_view text, std::string name, const Wanted& wanted, TextOwner owner) {
  Module module;
  module.name = std::move(name);
  if (text.size() >= UINT32_MAX) throw usage_error("the PTX text is too large", "at most 4 GiB", module.name);
  if (owner == TextOwner::module) {
    module.copy = std::make_shared<const std::string>(text);
    text = *module.copy;
  }
  module.text = text;
  ModuleParser(text, module, wanted).parse();
  return module;
}

std::vector<std::string_view> entry_names(std::string_view text) {
  std::vector<std::string_view> names;
  TokenStream tokens(text, "PTX");
  while (!tokens.at(TokenKind::end)) {
    if (tokens.at('{')) {
      tokens.skip_braces();
      continue;
    }
    const bool is_entry = tokens.take().text == ".entry";
    if (is_entry && tokens.at(TokenKind::word)) names.push_back(tokens.take().text);
  }
  return names;
}

}  // namespace gpulab::ptx
