#include "runner/grade/mutants/mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <set>

#include "common/text.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

/// A spelling, and what stands in its place.
struct Rule {
  const char* kind;
  const char* pattern;      ///< of code without comments and literals
  const char* replacement;  ///< as std::regex has it: $1
};

// Operators stand between blanks, as people write them: what has none may be a template's bracket.
constexpr std::array rules{
    Rule{"barrier", R"(__syncthreads\(\))", ""},
    Rule{"barrier", R"(__syncthreads\(\))", "__syncwarp()"},
    Rule{"barrier", R"(__syncwarp\([^()]*\))", ""},
    Rule{"barrier", R"(\b\w+\.sync\(\))", ""},
    Rule{"fence", R"(__threadfence(_block|_system)?\(\))", ""},
    Rule{"comparison", R"( < )", " <= "},
    Rule{"comparison", R"( <= )", " < "},
    Rule{"comparison", R"( > )", " >= "},
    Rule{"comparison", R"( >= )", " > "},
    Rule{"comparison", R"( == )", " != "},
    Rule{"comparison", R"( != )", " == "},
    Rule{"boundary", R"( \+ 1\b(?!\.))", ""},
    Rule{"boundary", R"( - 1\b(?!\.))", ""},
    Rule{"arithmetic", R"((\w|\)|\]) \+ (?=\w|\())", "$1 - "},
    Rule{"arithmetic", R"((\w|\)|\]) - (?=\w|\())", "$1 + "},
    Rule{"arithmetic", R"((\w|\)|\]) % (?=\w|\())", "$1 / "},
    Rule{"accumulator", R"((\w|\)|\]) \+= )", "$1 = "},
    Rule{"accumulator", R"(\bdouble\b)", "float"},
    Rule{"accumulator", R"(\blong\b)", "int"},
    Rule{"stride", R"( /= 2\b)", " /= 4"},
    Rule{"stride", R"( >>= 1\b)", " >>= 2"},
    Rule{"stride", R"( \*= 2\b)", " *= 4"},
    Rule{"stride", R"( <<= 1\b)", " <<= 2"},
    Rule{"stride", R"(blockDim\.x \* gridDim\.x|gridDim\.x \* blockDim\.x)", "blockDim.x"},
    Rule{"mask", R"(0x[fF]{8}\b)", "0x0000ffff"},
    Rule{"neutral element", R"( = 0\b(?!\.|x))", " = 1"},
    Rule{"neutral element", R"( = 0\.0?f)", " = 1.0f"},
    Rule{"neutral element", R"(\bT\(0\))", "T(1)"},
    Rule{"neutral element", R"( : 0\b(?!\.|x))", " : 1"},
    Rule{"launch", R"(\bblockDim\.x\b)", "256"},
    Rule{"launch", R"(\bblockDim\.x\b)", "32"},
    Rule{"launch", R"(\bblockDim\.y\b)", "8"},
    Rule{"launch", R"(\bblockIdx\.x\b)", "0"},
    Rule{"launch", R"(\bblockIdx\.y\b)", "0"},
    Rule{"index", R"(\bthreadIdx\.x\b)", "threadIdx.y"},
};

/// The bracket that closes the one at `at`; npos: none does.
std::size_t closing(std::string_view code, std::size_t at, char opens, char closes) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < code.size(); ++i) {
    if (code[i] == opens) ++depth;
    if (code[i] == closes && --depth == 0) return i;
  }
  return std::string_view::npos;
}

class Mutator {
 public:
  explicit Mutator(std::string_view source) : source_(source), code_(code_only(source)) {
    inside_.assign(code_.size() + 1, false);
    std::size_t depth = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i] == '}' && depth > 0) --depth;
      inside_[i] = depth > 0;
      if (code_[i] == '{') ++depth;
    }
    seen_.insert(source_);
  }

  std::vector<Mutation> run() {
    for (const auto& rule : rules) by(rule);
    conditions();
    subscripts();
    atomics();
    kernels();
    std::ranges::stable_sort(found_, {}, &Mutation::line);
    return std::move(found_);
  }

 private:
  void add(const char* kind, std::size_t at, std::size_t length, const std::string& now, std::string what,
           const std::string& before = {}) {
    auto text = before + source_.substr(0, at) + now + source_.substr(at + length);
    if (!seen_.insert(text).second) return;
    const auto line = 1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    found_.push_back({kind, std::move(what), static_cast<std::uint32_t>(line), std::move(text)});
  }

  void by(const Rule& rule) {
    const std::regex pattern(rule.pattern);
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), pattern); it != std::sregex_iterator(); ++it) {
      const auto at = static_cast<std::size_t>(it->position());
      if (!inside_[at]) continue;
      const auto now = it->format(rule.replacement);
      const auto was = it->str();
      add(rule.kind, at, was.size(), now,
          now.find_first_not_of(' ') == std::string::npos ? fmt::format("'{}' is gone", trimmed(was))
                                                          : fmt::format("'{}' is '{}'", trimmed(was), trimmed(now)));
    }
  }

  static std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(' ');
    return first == std::string::npos ? text : text.substr(first, text.find_last_not_of(' ') - first + 1);
  }

  /// What `visit(at, end)` is told: the inside of the brackets behind each match.
  void brackets(const char* pattern, char opens, char closes,
                const std::function<void(std::size_t begin, std::size_t end)>& visit) {
    const std::regex look_for(pattern);
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), look_for); it != std::sregex_iterator(); ++it) {
      const auto open = static_cast<std::size_t>(it->position() + it->length()) - 1;
      const auto close = closing(code_, open, opens, closes);
      if (inside_[open] && close != std::string::npos) visit(open + 1, close);
    }
  }

  void conditions() {
    brackets(R"(\bif (?:constexpr )?\()", '(', ')', [&](std::size_t begin, std::size_t end) {
      const auto text = source_.substr(begin, end - begin);
      add("guard", begin, end - begin, "true", fmt::format("'if ({})' always holds", text));
      add("guard", begin, end - begin, "false", fmt::format("'if ({})' never holds", text));
      for (const char* both : {" && ", " || "})
        if (const auto at = code_.find(both, begin); at < end)
          add("guard", at, 4, both[1] == '&' ? " || " : " && ",
              fmt::format("'{}' is '{}' in 'if ({})'", std::string(both, 1, 2), both[1] == '&' ? "||" : "&&", text));
    });
  }

  void subscripts() {
    brackets(R"([\w\]]\[)", '[', ']', [&](std::size_t begin, std::size_t end) {
      const auto text = source_.substr(begin, end - begin);
      const bool declares = text.find_first_not_of("0123456789 +-*/") == std::string::npos;  // float tile[32][33]
      if (!declares) add("index", begin, end - begin, text + " + 1", fmt::format("'[{}]' is one further", text));
    });
  }

  void atomics() {
    const std::string plain =
        "template <typename T, typename U> __device__ T gpulab_plain_add(T* at, U x) { const T was = *at; *at = was + "
        "x; return was; }\n";
    brackets(R"(\batomicAdd(?:_block|_system)?\()", '(', ')', [&](std::size_t begin, std::size_t) {
      const auto name = code_.rfind("atomicAdd", begin);
      add("atomic", name, begin - 1 - name, "gpulab_plain_add", "'atomicAdd' is a plain addition", plain);
    });
  }

  void kernels() {
    const std::regex look_for(R"(__global__[^;{}]*\{)");
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), look_for); it != std::sregex_iterator(); ++it) {
      const auto body = static_cast<std::size_t>(it->position() + it->length());
      add("launch", body, 0, " if (blockIdx.x + blockIdx.y > 0) return;", "one block works");
      add("launch", body, 0, " if ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x >= 32) return;",
          "one warp of a block works");
    }
  }

  std::string source_, code_;
  std::vector<bool> inside_;
  std::set<std::string> seen_;
  std::vector<Mutation> found_;
};

}  // namespace

std::vector<Mutation> mutations_of(std::string_view source, std::size_t most) {
  auto all = Mutator(source).run();
  if (all.size() <= most || most == 0) return all;
  std::vector<Mutation> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(std::move(all[i * all.size() / most]));
  return some;
}

}  // namespace gpulab
