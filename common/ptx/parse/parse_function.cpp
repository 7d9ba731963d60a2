// Function bodies: scopes, declarations, labels, tables.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/ptx/parse/function_parser.h"

namespace gpulab::ptx {

FunctionParser::FunctionParser(ParseContext& context, Function& function)
    : context_(context), tokens_(context.tokens), function_(function), scopes_(context.names, context.module.strings) {
  scopes_.open();
  reference_starts_.push_back(0);
  for (std::vector<Variable>* variables : {&function.results, &function.parameters}) {
    for (Variable& variable : *variables) {
      const bool is_register = variable.space == Space::reg;
      const Token name{TokenKind::word, '\0', function.ptx_line, variable.name};
      if (!is_register) variable.name = scopes_.make_unique(variable.name, false);
      Declaration& declaration =
          declare(name, is_register ? Declaration::Kind::reg : Declaration::Kind::variable, variable.name);
      declaration.type = variable.type;
      if (is_register) variable.name = function.registers[static_cast<std::size_t>(occurrence(declaration, 0))].name;
    }
  }
}

void FunctionParser::parse_body() {
  const std::size_t outside = scopes_.depth();
  open_scope();
  while (scopes_.depth() > outside) parse_statement();
  close_scope();  // the parameters'
  check_at_module_scope();
}

void FunctionParser::open_scope() {
  const Token open = tokens_.take();
  if (scopes_.depth() >= Limits::scope_depth) tokens_.fail(open, "scopes are nested too deeply");
  scopes_.open();
  reference_starts_.push_back(references_.size());
}

/// Settles the references that meant labels of this scope; the others may mean labels of the scope around it.
void FunctionParser::close_scope() {
  const std::size_t start = reference_starts_.back();
  reference_starts_.pop_back();
  const auto settle = [&](const Reference& reference) {
    const Declaration* label = scopes_.find_label_here(*reference.name);
    if (label == nullptr) return false;
    if (reference.operand != nullptr) {
      if (reference.operand->kind != Operand::Kind::symbol || reference.operand->integer != 0) return false;
      reference.operand->kind = Operand::Kind::label;
    }
    *reference.name = label->unique;
    return true;
  };
  references_.erase(std::remove_if(references_.begin() + static_cast<std::ptrdiff_t>(start), references_.end(), settle),
                    references_.end());
  scopes_.close();
}

void FunctionParser::check_at_module_scope() {
  for (const Reference& reference : references_) {
    if (reference.operand == nullptr) {
      const Token token{TokenKind::word, '\0', 0, *reference.name};
      tokens_.fail(token, fmt::format("'{}' is not a label of '{}'", *reference.name, function_.name));
    }
    context_.names_to_check.push_back(*reference.name);
  }
  references_.clear();
}

void FunctionParser::parse_statement() {
  const Token& token = tokens_.peek();
  switch (token.kind) {
    case TokenKind::directive:
      return parse_directive();
    case TokenKind::word: {
      const Token word = tokens_.take();
      if (!tokens_.accept(':')) return parse_instruction(word, {});
      return tokens_.at(TokenKind::directive) ? parse_table(word) : declare_label(word);
    }
    case TokenKind::end:
      tokens_.fail(token, fmt::format("the body of '{}' has no end", function_.name), "the text may be cut off");
    default:
      break;
  }
  switch (token.punctuation) {
    case '{':
      return open_scope();
    case '}':
      tokens_.take();
      return close_scope();
    case ';':
      tokens_.take();
      return;
    case '@':
      return parse_guarded_instruction();
    default:
      tokens_.fail_expected("an instruction, a label or a declaration");
  }
}

void FunctionParser::parse_directive() {
  const bool is_extern = tokens_.accept_directive(".extern");
  const Token directive = tokens_.peek();
  if (const auto space = space_of(directive.text); space) {
    tokens_.take();
    return *space == Space::reg ? parse_registers() : parse_variables(*space, is_extern);
  }
  if (directive.text == ".loc") return parse_location();
  if (tokens_.accept_directive(".pragma")) {
    const Pragma pragma = parse_pragma(tokens_);
    if (pragma.no_unroll) function_.no_unroll.push_back(static_cast<std::uint32_t>(function_.instructions.size()));
    used_bytes_ = pragma.used_bytes;
    return;
  }
  tokens_.fail(directive, fmt::format("unknown directive '{}' in the body of '{}'", directive.text, function_.name));
}

Declaration& FunctionParser::declare(const Token& name, Declaration::Kind kind, std::string_view unique) {
  Declaration declaration;
  declaration.kind = kind;
  declaration.name = name.text;
  declaration.unique = unique;
  Declaration* declared = scopes_.declare(std::move(declaration));
  if (declared == nullptr) tokens_.fail(name, fmt::format("'{}' is declared twice in its scope", name.text));
  return *declared;
}

void FunctionParser::parse_registers() {
  const VariableType type = parse_variable_type(tokens_, Space::reg);
  do {
    parse_register_name(type);
  } while (tokens_.accept(','));
  tokens_.expect(';', "after a declaration of registers");
}

void FunctionParser::parse_register_name(const VariableType& type) {
  const Token name = tokens_.peek();
  (void)tokens_.expect_word("the name of a register");
  if (type.vector > 4) tokens_.fail(name, "a vector register has 2 or 4 components");
  std::uint64_t count = type.vector;
  const bool is_range = tokens_.accept('<');
  if (is_range) {
    if (type.vector > 1) tokens_.fail(name, "vector registers cannot be declared as a range");
    count = tokens_.expect_count("a number of registers", UINT32_MAX);
    tokens_.expect('>', "after the number of registers");
  }
  declared_registers_ += count;
  if (declared_registers_ > Limits::registers) {
    tokens_.fail(name, fmt::format("'{}' declares too many registers", function_.name),
                 fmt::format("at most {}", Limits::registers));
  }
  using Kind = Declaration::Kind;
  const Kind kind = is_range ? Kind::reg_range : type.vector > 1 ? Kind::reg_vector : Kind::reg;
  Declaration& declaration = declare(name, kind, name.text);
  declaration.type = type.type;
  declaration.count = static_cast<std::uint32_t>(count);
}

void FunctionParser::parse_variables(Space space, bool is_extern) {
  VariableType type = parse_variable_type(tokens_, space);
  type.is_extern = is_extern;
  do {
    const Token name = tokens_.peek();
    for (Variable& variable : parse_variable(context_, type)) {
      Token declared = name;
      if (variable.name != name.text) declared.text = variable.name;  // of a range
      variable.name = scopes_.make_unique(variable.name, false);
      declare(declared, Declaration::Kind::variable, variable.name).index =
          static_cast<std::uint32_t>(function_.variables.size());
      function_.variables.push_back(std::move(variable));
    }
  } while (tokens_.accept(','));
  tokens_.expect(';', "after a declaration of variables");
}

void FunctionParser::declare_label(const Token& name) {
  const std::string_view unique = scopes_.make_unique(name.text, false);
  declare(name, Declaration::Kind::label, unique);
  function_.labels.push_back({unique, static_cast<std::uint32_t>(function_.instructions.size())});
}

/// Behind "name:": .branchtargets, .calltargets or .callprototype.
void FunctionParser::parse_table(const Token& name) {
  const bool is_branches = tokens_.at_directive(".branchtargets"), is_calls = tokens_.at_directive(".calltargets");
  if (!is_branches && !is_calls && !tokens_.at_directive(".callprototype")) return declare_label(name);
  tokens_.take();
  const std::string_view unique = scopes_.make_unique(name.text, false);
  declare(name, Declaration::Kind::table, unique);
  if (!is_branches && !is_calls) return skip_prototype();
  std::vector<std::string_view> targets;
  do {
    targets.push_back(tokens_.expect_word(is_branches ? "a label" : "the name of a function"));
  } while (tokens_.accept(','));
  tokens_.expect(';', "after a list of targets");
  if (is_calls) {
    context_.names_to_check.insert(context_.names_to_check.end(), targets.begin(), targets.end());
    function_.call_targets.emplace_back(unique, std::move(targets));
    return;
  }
  function_.branch_targets.push_back({unique, std::move(targets)});
  for (std::string_view& label : function_.branch_targets.back().labels) references_.push_back({&label, nullptr});
}

/// What a prototype says is also known from the call itself.
void FunctionParser::skip_prototype() {
  while (!tokens_.at(';')) {
    if (tokens_.at(TokenKind::end) || tokens_.at('{') || tokens_.at('}')) {
      tokens_.fail_expected("';' after .callprototype");
    }
    tokens_.take();
  }
  tokens_.take();
}

}  // namespace gpulab::ptx
