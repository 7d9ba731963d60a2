#include "runner/judge/kernel_search/signature_fit.h"

#include <algorithm>
#include <type_traits>

#include "common/text.h"
#include "runner/student_file/arguments/struct_layout.h"

namespace gpulab {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (auto& word : split(text, ' '))
    if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// "float const* __restrict__" -> {"float", pointer, constant}.
ContractParameter type_of(std::string text) {
  ContractParameter parameter;
  parameter.pointer = text.find('*') != std::string::npos;
  text = text.substr(0, text.find('*'));
  for (const auto& word : words_of(text)) {
    if (word == "const") {
      parameter.constant = true;
    } else if (word != "volatile" && word != "struct") {
      parameter.type += (parameter.type.empty() ? "" : " ") + word;
    }
  }
  return parameter;
}

bool is_integer(Scalar type) { return !is_floating(type); }

/// Buffers of 32-bit integers are the same bytes, signed or not.
bool alike(Scalar asked, Scalar has) {
  return asked == has || (is_integer(asked) && is_integer(has) && size_of(asked) == size_of(has));
}

bool allows(const Contract& contract, Scalar type) {
  return std::ranges::count(contract.types, type) + std::ranges::count(contract.more_types, type) > 0;
}

bool fits_buffer(const Contract& contract, const ContractParameter& asked, const KernelParameter& has, Fit& found) {
  if (has.bytes != 8 || has.floating || has.aggregate) return false;
  if (has.type.starts_with('.')) return asked.type != "T";  // extern "C", and its declaration was not found
  const auto own = type_of(has.type);
  if (!own.pointer || (own.constant && !asked.constant)) return false;
  const auto type = scalar_of_cpp(own.type);
  if (asked.type == "T") {
    if (!type || !allows(contract, *type) || (found.type && *found.type != *type)) return false;
    found.type = *type;
    return true;
  }
  const auto wanted = scalar_of_cpp(asked.type);
  if (!wanted || !type) return own.type == asked.type;
  return alike(*wanted, *type);
}

bool fits_value(const ContractParameter& asked, const KernelParameter& has) {
  if (has.aggregate || has.type.ends_with('*')) return false;
  const auto wanted = scalar_of_cpp(asked.type);
  return wanted && is_floating(*wanted) == has.floating && (has.bytes == 4 || has.bytes == 8);
}

template <typename T>
Argument as_wide(T value, const KernelParameter& to) {
  if (to.floating) return to.bytes == 8 ? Argument(static_cast<double>(value)) : Argument(static_cast<float>(value));
  return to.bytes == 8 ? Argument(static_cast<std::int64_t>(value)) : Argument(static_cast<std::int32_t>(value));
}

}  // namespace

std::vector<ContractParameter> parameters_of(std::string_view signature) {
  std::vector<ContractParameter> parameters;
  const auto inside = signature.substr(1, signature.size() - 2);
  for (const auto& text : split(inside, ',')) {
    const auto name = text.find_last_of(" *") + 1;
    auto parameter = type_of(text.substr(0, name));
    parameter.name = text.substr(name);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::optional<Fit> fit(const Contract& contract, const KernelSignature& kernel) {
  const auto asked = parameters_of(contract.signature);
  if (asked.size() != kernel.parameters.size()) return std::nullopt;
  Fit found;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto& has = kernel.parameters[i];
    if (!(asked[i].pointer ? fits_buffer(contract, asked[i], has, found) : fits_value(asked[i], has)))
      return std::nullopt;
  }
  return found;
}

std::vector<Argument> adapted(const std::vector<Argument>& arguments, const KernelSignature& kernel) {
  std::vector<Argument> made;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_arithmetic_v<T>) {
            made.push_back(as_wide(value, kernel.parameters[i]));
          } else {
            made.push_back(value);
          }
        },
        arguments[i]);
  }
  return made;
}

}  // namespace gpulab
