#include "runner/options/nvcc_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// What becomes of a word of nvcc's.
enum class Use {
  place,         ///< a folder or file that is read
  macro,         ///< -D, -U
  standard,      ///< -std
  relocatable,   ///< -rdc=true|false
  architecture,  ///< -arch=sm_80, -gencode arch=compute_80,code=sm_80
  debug,         ///< -G
  device_code,   ///< -dc, which is -rdc=true and no linking
  keep,          ///< passed on as it is
  drop,          ///< it is about host code, ptxas or linking: there is none of these
  refuse,
};

struct Flag {
  std::string_view name, long_name;
  Use use;
  bool has_value = false;
  bool joined = false;     ///< the value may stand right behind it: -IFOLDER
  std::string_view why{};  ///< of what is refused
};

constexpr std::string_view writes = "it writes files", runs = "it runs a program",
                           host = "host code is not compiled; leave it out", names = "it names files to read";

constexpr std::array flags{
    Flag{"-I", "--include-path", Use::place, true, true},
    Flag{"-isystem", "--system-include", Use::place, true},
    Flag{"-include", "--pre-include", Use::place, true},
    Flag{"-D", "--define-macro", Use::macro, true, true},
    Flag{"-U", "--undefine-macro", Use::macro, true, true},
    Flag{"-std", "--std", Use::standard, true},
    Flag{"-rdc", "--relocatable-device-code", Use::relocatable, true},
    Flag{"-dc", "--device-c", Use::device_code},
    Flag{"-G", "--device-debug", Use::debug},
    Flag{"-arch", "--gpu-architecture", Use::architecture, true},
    Flag{"-gencode", "--generate-code", Use::architecture, true},
    Flag{"-use_fast_math", "--use_fast_math", Use::keep},
    Flag{"-ftz", "--ftz", Use::keep, true},
    Flag{"-fmad", "--fmad", Use::keep, true},
    Flag{"-prec-div", "--prec-div", Use::keep, true},
    Flag{"-prec-sqrt", "--prec-sqrt", Use::keep, true},
    Flag{"-restrict", "--restrict", Use::keep},
    Flag{"-extra-device-vectorization", "--extra-device-vectorization", Use::keep},
    Flag{"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", Use::keep},
    Flag{"-extended-lambda", "--extended-lambda", Use::keep},
    Flag{"-expt-extended-lambda", "--expt-extended-lambda", Use::keep},
    Flag{"-diag-suppress", "--diag-suppress", Use::keep, true},
    Flag{"-w", "--disable-warnings", Use::keep},
    Flag{"-lineinfo", "--generate-line-info", Use::drop},
    Flag{"-g", "--debug", Use::drop},
    Flag{"-O", "--optimize", Use::drop, true, true},
    Flag{"-m", "--machine", Use::drop, true, true},
    Flag{"-l", "--library", Use::drop, true, true},
    Flag{"-L", "--library-path", Use::drop, true, true},
    Flag{"-cudart", "--cudart", Use::drop, true},
    Flag{"-c", "--compile", Use::drop},
    Flag{"-ptx", "--ptx", Use::drop},
    Flag{"-code", "--gpu-code", Use::drop, true},
    Flag{"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", Use::drop},
    Flag{"-Xptxas", "--ptxas-options", Use::drop, true},
    Flag{"-maxrregcount", "--maxrregcount", Use::drop, true},
    Flag{"-default-stream", "--default-stream", Use::drop, true},
    Flag{"-o", "--output-file", Use::refuse, true, false, writes},
    Flag{"-odir", "--output-directory", Use::refuse, true, false, writes},
    Flag{"-keep", "--keep", Use::refuse, false, false, writes},
    Flag{"-keep-dir", "--keep-dir", Use::refuse, true, false, writes},
    Flag{"-save-temps", "--save-temps", Use::refuse, false, false, writes},
    Flag{"-time", "--time", Use::refuse, true, false, writes},
    Flag{"-run", "--run", Use::refuse, false, false, runs},
    Flag{"-run-args", "--run-args", Use::refuse, true, false, runs},
    Flag{"-ccbin", "--compiler-bindir", Use::refuse, true, false, runs},
    Flag{"-Xcompiler", "--compiler-options", Use::refuse, true, false, host},
    Flag{"-Xlinker", "--linker-options", Use::refuse, true, false, "nothing is linked; leave it out"},
    Flag{"-optf", "--options-file", Use::refuse, true, false, names},
};

Error refusal(std::string_view word, std::string_view why, std::string hint = {}) {
  return usage_error(fmt::format("--nvcc: '{}' {}", word, why), std::move(hint));
}

std::string all_names() {
  std::string text;
  for (const auto& flag : flags)
    if (flag.use != Use::refuse && flag.use != Use::drop)
      text += fmt::format("{}{}", text.empty() ? "" : " ", flag.name);
  return text;
}

/// The flag that `word` is, and its value where that stands in the same word.
struct Known {
  const Flag* flag = nullptr;
  std::optional<std::string> value;
};

Known known(const std::string& word) {
  const auto equals = word.find('=');
  const auto name = std::string_view(word).substr(0, equals);
  for (const auto& flag : flags) {
    if (name != flag.name && name != flag.long_name) continue;
    if (equals == std::string::npos) return {&flag, std::nullopt};
    if (flag.has_value) return {&flag, word.substr(equals + 1)};
  }
  for (const auto& flag : flags)
    if (flag.joined && word.starts_with(flag.name) && !word.starts_with("--"))
      return {&flag, word.substr(flag.name.size())};
  return {};
}

Error unknown(const std::string& word) {
  if (word.starts_with('@')) return refusal(word, fmt::format("is refused: {}", names));
  if (!word.starts_with('-')) return refusal(word, "is no option", "the file to compile is run's own argument");
  std::vector<std::string> candidates;
  for (const auto& flag : flags)
    for (const auto name : {flag.name, flag.long_name}) candidates.emplace_back(name);
  return refusal(word, "is not passed on", did_you_mean(word.substr(0, word.find('=')), candidates, all_names()));
}

/// nvcc writes the values between double quotes into command lines of sh, where these keep their meaning.
void check_characters(const Flag& flag, const std::string& value) {
  const auto is_bad = [](char c) {
    return c == '$' || c == '`' || c == '\\' || std::iscntrl(static_cast<unsigned char>(c)) != 0;
  };
  if (value.empty()) throw refusal(flag.name, "needs a value");
  if (std::any_of(value.begin(), value.end(), is_bad))
    throw refusal(fmt::format("{} {}", flag.name, value), "holds what a shell would read: $, `, \\ or a line end");
}

/// 80 of "sm_80", "compute_80" and "arch=compute_80,code=sm_80"; nothing of "native" and "all".
std::optional<int> architecture_of(const std::string& value) {
  for (const std::string_view prefix : {"compute_", "sm_"}) {
    const auto at = value.find(prefix);
    if (at == std::string::npos) continue;
    const auto digits = value.substr(at + prefix.size());
    const auto number = parse_integer(digits.substr(0, digits.find_first_not_of("0123456789")));
    if (number && *number >= 50 && *number < 1000) return static_cast<int>(*number);
  }
  if (value == "native" || value == "all" || value == "all-major") return std::nullopt;
  throw refusal(value, "is no architecture", "as in -arch=sm_80");
}

bool switch_value(const Flag& flag, const std::string& value) {
  if (value != "true" && value != "false") throw refusal(fmt::format("{}={}", flag.name, value), "is true or false");
  return value == "true";
}

std::string standard_of(const std::string& value) {
  const std::vector<std::string> standards{"c++03", "c++11", "c++14", "c++17", "c++20", "c++23"};
  if (std::find(standards.begin(), standards.end(), value) == standards.end())
    throw refusal("-std=" + value, "is no standard", did_you_mean(value, standards, join(standards)));
  return value;
}

void take(const Flag& flag, const std::string& value, CompileOptions& options) {
  if (flag.has_value && flag.use != Use::refuse) check_characters(flag, value);
  const std::string name(flag.name);
  switch (flag.use) {
    case Use::place:
      options.places.push_back({std::string(flag.long_name), fs::absolute(value).lexically_normal().string()});
      break;
    case Use::macro:
      options.further.push_back(name + value);
      break;
    case Use::standard:
      options.standard = standard_of(value);
      break;
    case Use::relocatable:
      options.relocatable = switch_value(flag, value);
      break;
    case Use::device_code:
      options.relocatable = true;
      break;
    case Use::architecture:
      if (const auto number = architecture_of(value))
        options.architecture = std::max(options.architecture.value_or(0), *number);
      break;
    case Use::debug:
      options.debug = true;
      break;
    case Use::keep:
      options.further.push_back(flag.has_value ? fmt::format("{}={}", flag.long_name, value)
                                               : std::string(flag.long_name));
      break;
    case Use::drop:
      break;
    case Use::refuse:
      throw refusal(name, fmt::format("is refused: {}", flag.why));
  }
}

void take_words(const std::vector<std::string>& words, CompileOptions& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto [flag, value] = known(words[i]);
    if (flag == nullptr) throw unknown(words[i]);
    const bool apart = flag->has_value && (!value || value->empty()) && words[i].find('=') == std::string::npos;
    if (apart && flag->use != Use::refuse) {
      if (i + 1 == words.size()) throw refusal(flag->name, "needs a value");
      value = words[++i];
    }
    take(*flag, value.value_or(""), options);
  }
}

}  // namespace

OptionList nvcc_options() {
  using heading::what_runs;
  return {
      {"nvcc", "\"OPTIONS\"", "for the compiler: -I -D -U -std -rdc -G -arch -use_fast_math …", what_runs},
      {"I", "FOLDER", "searched for headers", what_runs},
      {"D", "NAME[=VALUE]", "a macro", what_runs},
  };
}

CompileOptions parse_nvcc_options(const Given& given) {
  CompileOptions options;
  for (const auto& text : values_of(given, "nvcc")) take_words(shell_words(text), options);
  for (const auto& folder : values_of(given, "I")) take_words({"-I", folder}, options);
  for (const auto& macro : values_of(given, "D")) take_words({"-D", macro}, options);
  return options;
}

std::vector<std::string> shell_words(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? 0 : c;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw usage_error(fmt::format("--nvcc: a {} is not closed in '{}'", quote, text));
  return words;
}

}  // namespace gpulab
