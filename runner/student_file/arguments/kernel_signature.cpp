#include "runner/student_file/arguments/kernel_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "common/demangle.h"
#include "common/error.h"
#include "common/ptx/parser.h"
#include "common/scalar.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// "float*", "float", "int" of "void scale<float>(float*, float, int)"; empty where the name is not mangled.
std::vector<std::string> cpp_types(std::string_view entry) {
  const std::string full = demangle(entry);
  if (full == entry || !full.ends_with(')')) return {};
  // From behind: the parenthesis that opens the parameter list.
  std::size_t open = full.size() - 1;
  for (int depth = 0;; --open) {
    if (full[open] == ')') ++depth;
    if (full[open] == '(' && --depth == 0) break;
    if (open == 0) return {};
  }
  std::vector<std::string> types(1);
  int depth = 0;
  for (const char c : full.substr(open + 1, full.size() - open - 2)) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      types.emplace_back();
    } else if (c != ' ' || !types.back().empty()) {
      types.back() += c;
    }
  }
  return types;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return text;
}

std::string described(const FileArgument& spec) {
  return spec.count ? fmt::format("{}[{}]", name_of(spec.type), *spec.count) : std::string(name_of(spec.type));
}

void check_argument(const KernelSignature& kernel, std::size_t index, const FileArgument& spec) {
  const auto& parameter = kernel.parameters[index];
  const auto refuse = [&](const std::string& why, std::string hint) {
    return usage_error(fmt::format("--arg {}: {}", spec.name, why), std::move(hint), kernel.text());
  };
  const auto of = fmt::format("parameter {} of {}", index + 1, kernel.name);
  if (spec.by_value) {
    if (parameter.bytes == *spec.count) return;
    throw refuse(
        fmt::format("it has {}, {} has {} ({})", plural(*spec.count, "byte"), of, parameter.bytes, parameter.type),
        "arguments bind in the order of the kernel's parameters");
  }
  if (parameter.aggregate && (spec.count || parameter.bytes != size_of(spec.type))) {
    throw refuse(fmt::format("{} is a struct of {} ({})", of, plural(parameter.bytes, "byte"), parameter.type),
                 fmt::format("{0}:bytes[{1}]={{1,2.5,3}} names its members, {0}:bytes[{1}]=@FILE its bytes", spec.name,
                             parameter.bytes));
  }
  if (spec.count) {
    if (parameter.bytes == 8 && !parameter.floating) return;
    if (spec.texture)
      throw refuse(
          fmt::format("it is a {}, {} is {}", spec.texture->is_surface ? "surface" : "texture", of, parameter.type),
          "arguments bind in the order of the kernel's parameters");
    throw refuse(fmt::format("it is a buffer, {} is {}, no pointer", of, parameter.type),
                 "arguments bind in the order of the kernel's parameters");
  }
  if (parameter.bytes != size_of(spec.type)) {
    const bool pointer = parameter.type.ends_with('*');
    throw refuse(fmt::format("{} has {}, {} has {} ({})", name_of(spec.type), plural(size_of(spec.type), "byte"), of,
                             parameter.bytes, parameter.type),
                 pointer ? fmt::format("a buffer has a count: {}:{}[1024]=…", spec.name, name_of(spec.type))
                         : "arguments bind in the order of the kernel's parameters");
  }
  if (!parameter.aggregate && parameter.floating != is_floating(spec.type)) {
    throw refuse(fmt::format("{} is {}, {} is {}", name_of(spec.type),
                             is_floating(spec.type) ? "floating point" : "an integer", of, parameter.type),
                 "arguments bind in the order of the kernel's parameters");
  }
}

/// Kernels that headers of NVIDIA's bring along (<thrust/…> instantiates cub's EmptyKernel in every file): --kernel
/// names them, but nobody means them who names none.
bool is_of_a_library(std::string_view name) {
  static constexpr std::array namespaces{"cub::", "thrust::", "cuda::", "std::"};
  return std::any_of(namespaces.begin(), namespaces.end(), [&](const char* start) { return name.starts_with(start); });
}

}  // namespace

std::string KernelSignature::text() const {
  std::vector<std::string> types;
  for (const auto& parameter : parameters) types.push_back(parameter.type);
  return fmt::format("{}({})", name, join(types));
}

KernelSignature signature_of(const std::string& ptx, const std::string& file, std::string_view entry) {
  const auto module = ptx::parse(ptx, file, [](std::string_view) { return false; });
  const auto function = std::find_if(module.functions.begin(), module.functions.end(),
                                     [&](const ptx::Function& f) { return f.is_entry && f.name == entry; });
  if (function == module.functions.end()) throw usage_error(fmt::format("no kernel '{}' in {}", entry, file));
  KernelSignature signature{.name = kernel_name(entry), .parameters = {}};
  const auto& exact = function->required_threads;
  if (exact[0] != 0) signature.exact_block = {exact[0], std::max(1U, exact[1]), std::max(1U, exact[2])};
  const auto& most = function->max_threads;
  if (most[0] != 0) signature.most_threads = Dim3{most[0], std::max(1U, most[1]), std::max(1U, most[2])}.volume();
  const auto types = cpp_types(entry);
  for (const auto& parameter : function->parameters) {
    KernelParameter made;
    const auto index = signature.parameters.size();
    made.bytes = parameter.size;
    made.aggregate = parameter.is_array;
    made.floating = parameter.type.name.starts_with('f');
    made.type = types.size() == function->parameters.size() ? types[index] : fmt::format(".{}", parameter.type.name);
    signature.parameters.push_back(std::move(made));
  }
  return signature;
}

namespace {

constexpr auto npos = std::string_view::npos;

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The texts between the parentheses at `open`, parted at commas that stand in no brackets of their own; nothing where
/// they do not close.
std::optional<std::vector<std::string>> declared(std::string_view code, std::size_t open) {
  std::vector<std::string> parameters(1);
  int depth = 0;
  for (auto at = open + 1; at < code.size(); ++at) {
    const char c = code[at];
    if (c == ')' && depth == 0) {
      const bool none = parameters.size() == 1 && parameters[0].find_first_not_of(" \t\r\n") == npos;
      return none ? std::vector<std::string>{} : parameters;
    }
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0)
      parameters.emplace_back();
    else
      parameters.back() += c;
  }
  return std::nullopt;
}

/// "float const*", "x" of "const float* __restrict__ x".
std::pair<std::string, std::string> type_and_name(std::string text) {
  text = text.substr(0, text.find('='));
  std::vector<std::string> words;
  bool pointer = false, constant = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '*' || text[at] == '[') pointer = true;
    if (!word_character(text[at]) && text[at] != ':') {
      ++at;
      continue;
    }
    auto end = at;
    while (end < text.size() && (word_character(text[end]) || text[end] == ':')) ++end;
    auto word = text.substr(at, end - at);
    at = end;
    // Behind the sign it is the pointer that is constant.
    if (word == "const") constant = constant || !pointer;
    if (word != "const" && word != "volatile" && word != "struct" && !word.starts_with("__"))
      words.push_back(std::move(word));
  }
  if (words.size() < 2) return {};
  const auto name = words.back();
  words.pop_back();
  return {join(words, " ") + (pointer ? constant ? " const*" : "*" : ""), name};
}

}  // namespace

void read_declaration(std::string_view code, KernelSignature& kernel) {
  std::string_view name = std::string_view(kernel.name).substr(0, kernel.name.find('<'));
  if (const auto scope = name.rfind("::"); scope != npos) name.remove_prefix(scope + 2);
  for (auto at = code.find(name); at != npos; at = code.find(name, at + 1)) {
    const auto open = code.find_first_not_of(" \t\r\n", at + name.size());
    if ((at > 0 && word_character(code[at - 1])) || open == npos || code[open] != '(') continue;
    const auto start = code.find_last_of(";}", at);
    if (code.substr(start == npos ? 0 : start, at - (start == npos ? 0 : start)).find("__global__") == npos) continue;
    const auto found = declared(code, open);
    if (!found || found->size() != kernel.parameters.size()) continue;
    for (std::size_t i = 0; i < found->size(); ++i) {
      auto [type, own] = type_and_name((*found)[i]);
      auto& parameter = kernel.parameters[i];
      parameter.name = std::move(own);
      // An alias of an integer says more than the integer.
      const bool is_handle = type == "cudaTextureObject_t" || type == "cudaSurfaceObject_t";
      if ((parameter.type.starts_with('.') && !type.empty()) || is_handle) parameter.type = std::move(type);
    }
    return;
  }
}

std::string choose_kernel(std::string_view asked, std::span<const std::string_view> entries, const std::string& file,
                          const std::string& instance) {
  std::vector<std::string> names;
  std::string_view only;
  for (const auto entry : entries) {
    auto name = kernel_name(entry);
    if (is_of_a_library(name)) continue;
    names.push_back(std::move(name));
    only = entry;
  }
  const auto templates = fmt::format("a template is compiled where its arguments are named: --kernel '{}'", instance);
  if (!asked.empty()) {
    try {
      return std::string(find_entry(asked, entries));
    } catch (const Error& error) {
      const bool bare = !instance.empty() && asked.find('<') == std::string_view::npos;
      const auto separator = error.hint.empty() || !bare ? "" : "; ";
      throw usage_error(error.what(), error.hint + separator + (bare ? templates : ""), file);
    }
  }
  if (names.empty()) {
    if (!instance.empty()) throw usage_error(fmt::format("{} holds no kernel but templates", file), templates);
    throw usage_error(fmt::format("{} holds no kernel", file), "a kernel is a __global__ function; in PTX, an .entry");
  }
  if (names.size() > 1) {
    throw usage_error(fmt::format("--kernel: {} holds {} kernels: which one?", file, names.size()),
                      "there is " + quoted_list(names));
  }
  return std::string(only);
}

void check_arguments(const KernelSignature& kernel, std::span<const FileArgument> arguments) {
  if (arguments.size() != kernel.parameters.size()) {
    throw usage_error(
        fmt::format("{} takes {}, not {}", kernel.name, plural(kernel.parameters.size(), "argument"), arguments.size()),
        "--arg once for each, in order: --arg 'x:f32[1024]=iota' --arg n:i32=1024", kernel.text());
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) check_argument(kernel, i, arguments[i]);
}

std::vector<std::string> doubtful_buffers(const KernelSignature& kernel, std::span<const FileArgument> arguments) {
  std::vector<std::string> doubts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view pointee = kernel.parameters[i].type;
    if (!arguments[i].count || !pointee.ends_with('*')) continue;
    pointee.remove_suffix(1);
    if (pointee.ends_with(" const")) pointee.remove_suffix(6);
    const auto element = scalar_named(pointee);
    const auto given = arguments[i].type;
    if (!element || (size_of(*element) == size_of(given) && is_floating(*element) == is_floating(given))) continue;
    // Bytes of a file are bytes.
    if (given == Scalar::u8 && arguments[i].value.starts_with('@')) continue;
    doubts.push_back(fmt::format("{} is {}, parameter {} of {} is {}", arguments[i].name, described(arguments[i]),
                                 i + 1, kernel.name, kernel.parameters[i].type));
  }
  return doubts;
}

}  // namespace gpulab
