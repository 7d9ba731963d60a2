#include "runner/student_file/kernel_signature.h"

#include <fmt/format.h>

#include <algorithm>

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
  if (parameter.aggregate && parameter.bytes != size_of(spec.type)) {
    throw refuse(fmt::format("{} is a struct of {} bytes ({})", of, parameter.bytes, parameter.type),
                 "--arg passes buffers and numbers; give the kernel a pointer to the struct instead");
  }
  if (spec.count) {
    if (parameter.bytes == 8 && !parameter.floating) return;
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
  KernelSignature signature{kernel_name(entry), {}};
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

std::string choose_kernel(std::string_view asked, std::span<const std::string_view> entries, const std::string& file,
                          bool has_templates) {
  std::vector<std::string> names;
  for (const auto entry : entries) names.push_back(kernel_name(entry));
  const std::string templates = "a template is compiled where its arguments are named: --kernel 'scale<float>'";
  if (!asked.empty()) {
    try {
      return std::string(find_entry(asked, entries));
    } catch (const Error& error) {
      const bool bare = has_templates && asked.find('<') == std::string_view::npos;
      const auto separator = error.hint.empty() || !bare ? "" : "; ";
      throw usage_error(error.what(), error.hint + separator + (bare ? templates : ""), file);
    }
  }
  if (names.empty()) {
    throw usage_error(fmt::format("{} holds no kernel", file),
                      has_templates ? templates : "a kernel is a __global__ function; in PTX, an .entry");
  }
  if (names.size() > 1) {
    throw usage_error(fmt::format("--kernel: {} holds {} kernels: which one?", file, names.size()),
                      "there is " + quoted_list(names));
  }
  return std::string(entries.front());
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
