#include "runner/student_file/compilers/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "common/demangle.h"
#include "common/text.h"
#include "runner/student_file/compilers/dropped_names.h"

namespace gpulab {
namespace {

/// More errors than that are of one kind.
constexpr std::size_t most_sentences = 5, most_matches = 20, longest_line = 2000;

/// What stands between two texts; empty where they do not stand there, or nothing stands between.
std::string_view between(std::string_view line, std::string_view before, std::string_view behind) {
  const auto begin = line.find(before);
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin + before.size());
  const auto end = line.find(behind);
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

/// "twice" of "float space::twice<int>(float)".
std::string base_name(std::string_view name) {
  name = name.substr(0, name.find_first_of("(<"));
  return std::string(name.substr(name.find_last_of(": ") + 1));
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view line, std::string_view word) {
  if (word.empty()) return false;
  for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1))
    if ((at == 0 || !is_word(line[at - 1])) && (at + word.size() == line.size() || !is_word(line[at + word.size()])))
      return true;
  return false;
}

/// The first line that has both words, from a line with `from` on: " (FILE:7)"; empty where there is none.
std::string place_of(std::span<const SourceText> sources, std::string_view word, std::string_view with,
                     std::string_view from = {}) {
  for (const auto& source : sources) {
    bool begun = from.empty();
    const auto lines = split(source.text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view line = lines[i];
      if (!begun) begun = has_word(line, from) && (has_word(line, "__global__") || line.find('(') != line.npos);
      if (begun && has_word(line, with) && (word.empty() || has_word(line, word)) &&
          !has_word(line, "extern __shared__"))
        return fmt::format(" ({}:{})", source.name, i + 1);
    }
  }
  return {};
}

std::string too_much_shared(std::string_view line, std::span<const SourceText> sources) {
  const auto kernel = between(line, "function '", "'"), used = between(line, "uses too much shared data (0x", " bytes"),
             most = between(line, " bytes, 0x", " max)");
  if (kernel.empty() || used.empty() || most.empty()) return {};
  const auto number = [](std::string_view hex) { return std::strtoull(std::string(hex).c_str(), nullptr, 16); };
  const auto name = demangle(kernel);
  return fmt::format(
      "{} has {} bytes of static shared memory{}, and {} are the most: make the array smaller, or dynamic (extern "
      "__shared__ T s[], its bytes as the third argument in <<<>>>, allowed before by "
      "cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))",
      name, number(used), place_of(sources, {}, "__shared__", base_name(name)), number(most), base_name(name));
}

std::string unresolved(std::string_view line, std::span<const SourceText> sources) {
  for (const std::string_view kind : {"function", "variable"}) {
    const auto mangled = between(line, fmt::format("Unresolved extern {} '", kind), "'");
    if (mangled.empty()) continue;
    const auto name = demangle(mangled);
    return fmt::format(
        "the device {} {} is declared{} and defined in none of these files: device code of several files has to be "
        "linked, by nvcc -rdc=true with all of them; or define it here",
        kind, name, place_of(sources, base_name(name), "__device__"));
  }
  return {};
}

std::string undefined(std::string_view line, std::span<const SourceText> sources) {
  const auto mangled =
      line.find("nvlink") == line.npos ? std::string_view() : between(line, "Undefined reference to '", "'");
  if (mangled.empty()) return {};
  const auto name = demangle(mangled);
  return fmt::format(
      "{} is declared{} and defined in none of the files that are linked: give nvcc the file that has it, "
      "too, compiled with -rdc=true",
      name, place_of(sources, base_name(name), "__device__"));
}

std::string defined_twice(std::string_view line, std::span<const SourceText>) {
  auto name = std::string(between(line, "multiple definition of `", "'"));
  if (name.empty()) name = demangle(between(line, "Multiple definition of '", "'"));
  if (name.empty()) return {};
  return fmt::format(
      "{} is defined in several files: in a header, functions are to be inline, and a variable is declared "
      "there by extern and defined in one .cu file",
      name);
}

std::string calls_the_host(std::string_view line, std::span<const SourceText> sources) {
  const auto name = between(line, "calling a __host__ function(\"", "\")");
  if (name.empty() || name.starts_with("std::")) return {};
  return fmt::format(
      "{}{} is compiled for the host alone: write __device__ before it (or __host__ __device__), so that "
      "kernels may call it",
      name, place_of(sources, base_name(name), base_name(name)));
}

/// A dynamic array of two types. Its line says "extern __shared__".
std::string of_two_types(std::string_view line, std::span<const SourceText> sources) {
  const auto error = first_error(line);
  if (!error || error->text.find("incompatible with previous") == std::string::npos) return {};
  const auto source = std::ranges::find(sources, error->file, &SourceText::name);
  if (source == sources.end()) return {};
  const auto lines = split(source->text, '\n');
  if (error->line < 1 || static_cast<std::size_t>(error->line) > lines.size()) return {};
  const auto& there = lines[static_cast<std::size_t>(error->line) - 1];
  if (!has_word(there, "extern") || !has_word(there, "__shared__")) return {};
  return "a dynamic array is one for all instances of a template, and cannot be of two types: declare bytes, extern "
         "__shared__ __align__(16) unsigned char memory[]; and T* s = reinterpret_cast<T*>(memory);";
}

constexpr std::array rules{too_much_shared, unresolved, undefined, defined_twice, calls_the_host, of_two_types};

}  // namespace

std::vector<std::string> advice_on(std::string_view log, std::span<const SourceText> sources) {
  std::vector<std::string> told, dropped;
  for (const auto& use : dropped_in(log)) dropped.push_back(in_words(use));
  std::size_t matches = 0;  // each looks through the sources
  for (std::string_view line : split(log, '\n')) {
    line = line.substr(0, longest_line);
    if (!dropped.empty() && !dropped_in(line).empty()) continue;
    for (const auto& rule : rules) {
      auto sentence = rule(line, sources);
      matches += sentence.empty() ? 0 : 1;
      if (!sentence.empty() && std::ranges::find(told, sentence) == told.end()) told.push_back(std::move(sentence));
    }
    if (told.size() >= most_sentences || matches >= most_matches) break;
  }
  told.insert(told.begin(), dropped.begin(), dropped.end());
  return told;
}

std::string advice_on(const CompileError& error, std::string_view source) {
  const SourceText text{error.file, std::string(source)};
  const auto told =
      advice_on(fmt::format("{}({}): error: {}", error.file, error.line, error.text), std::span(&text, 1));
  return told.empty() ? std::string() : told.front();
}

}  // namespace gpulab
