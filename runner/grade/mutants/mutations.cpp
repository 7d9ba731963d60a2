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
    Rule{"fence", R"(\bvolatile )", ""},
    Rule{"comparison", R"( < )", " <= "},
    Rule{"comparison", R"( <= )", " < "},
    Rule{"comparison", R"( > )", " >= "},
    Rule{"comparison", R"( >= )", " > "},
    Rule{"comparison", R"( == )", " != "},
    Rule{"comparison", R"( != )", " == "},
    Rule{"boundary", R"( \+ 1\b(?!\.))", ""},
    Rule{"boundary", R"( - 1\b(?!\.))", ""},
    Rule{"boundary", R"( < ([A-Za-z]\w*)\b(?!\s*[\w.(\[]))", " < $1 - 1"},
    Rule{"boundary", R"(\bmin\()", "max("},
    Rule{"boundary", R"(\bmax\()", "min("},
    Rule{"arithmetic", R"((\w|\)|\]) \+ (?=\w|\())", "$1 - "},
    Rule{"arithmetic", R"((\w|\)|\]) - (?=\w|\())", "$1 + "},
    Rule{"arithmetic", R"((\w|\)|\]) \* (?=\w|\())", "$1 + "},
    Rule{"arithmetic", R"((\w|\)|\]) / (?=\w|\())", "$1 * "},
    Rule{"arithmetic", R"((\w|\)|\]) % (?=\w|\())", "$1 / "},
    Rule{"arithmetic", R"((\w|\)|\]) & (?=\w|\())", "$1 | "},
    Rule{"arithmetic", R"((\w|\)|\]) \| (?=\w|\())", "$1 & "},
    Rule{"arithmetic", R"((\w|\)|\]) \^ (?=\w|\())", "$1 & "},
    Rule{"arithmetic", R"((\w|\)|\]) << (?=\w|\())", "$1 >> "},
    Rule{"arithmetic", R"((\w|\)|\]) >> (?=\w|\())", "$1 << "},
    Rule{"arithmetic", R"(([=,(?:] |\()-(?=[A-Za-z_(]))", "$1"},
    Rule{"function", R"(\bfmax(f?)\()", "fmin$1("},
    Rule{"function", R"(\bfmin(f?)\()", "fmax$1("},
    Rule{"function", R"(\b(?:__)?exp(f?)\()", "exp2$1("},
    Rule{"function", R"(\b(?:__)?log(f?)\()", "log2$1("},
    Rule{"function", R"(\bsqrt(f?)\()", "rsqrt$1("},
    Rule{"function", R"(\brsqrt(f?)\()", "sqrt$1("},
    Rule{"function", R"(\bf?abs(f?)\()", "("},
    Rule{"accumulator", R"((\w|\)|\]) \+= )", "$1 = "},
    Rule{"accumulator", R"((\w|\)|\]) \+= )", "$1 -= "},
    Rule{"accumulator", R"((\w|\)|\]) ([-*&|^])= )", "$1 = "},
    Rule{"accumulator", R"((\]) = )", "$1 += "},
    Rule{"accumulator", R"(\bdouble\b)", "float"},
    Rule{"accumulator", R"(\bfloat (\w+) = )", "int $1 = "},
    Rule{"accumulator", R"(\blong\b)", "int"},
    Rule{"accumulator", R"(\bsize_t\b)", "int"},
    Rule{"stride", R"( /= 2\b)", " /= 4"},
    Rule{"stride", R"( >>= 1\b)", " >>= 2"},
    Rule{"stride", R"( \*= 2\b)", " *= 4"},
    Rule{"stride", R"( <<= 1\b)", " <<= 2"},
    Rule{"stride", R"(\+\+(\w+)\))", "$1 += 2)"},
    Rule{"stride", R"(; (\w+) \+= (?=[A-Za-z]))", "; $1 += 2 * "},
    Rule{"stride", R"(blockDim\.x \* gridDim\.x|gridDim\.x \* blockDim\.x)", "blockDim.x"},
    Rule{"mask", R"(0x[fF]{8}\b)", "0x0000ffff"},
    Rule{"neutral element", R"( = 0\b(?!\.|x))", " = 1"},
    Rule{"neutral element", R"( = 0\.0?f)", " = 1.0f"},
    Rule{"neutral element", R"( : 0\.0?f)", " : 1.0f"},
    Rule{"neutral element", R"(-INFINITY\b|-FLT_MAX\b|\bFLT_MIN\b)", "0"},
    Rule{"neutral element", R"(\bINFINITY\b|\bFLT_MAX\b|\bINT_MAX\b|\bINT_MIN\b)", "0"},
    Rule{"neutral element", R"(\bT\(0\))", "T(1)"},
    Rule{"neutral element", R"( : 0\b(?!\.|x))", " : 1"},
    Rule{"neutral element", R"( = 1\b(?!\.|x))", " = 0"},
    Rule{"shuffle", R"(\b__shfl_(down|xor)_sync\b)", "__shfl_up_sync"},
    Rule{"shuffle", R"(\b__shfl_up_sync\b)", "__shfl_down_sync"},
    Rule{"vote", R"(\b__any_sync\b)", "__all_sync"},
    Rule{"vote", R"(\b__all_sync\b)", "__any_sync"},
    Rule{"vote", R"(\b__activemask\(\))", "0xffffffff"},
    Rule{"atomic", R"(\batomicMax\b)", "atomicMin"},
    Rule{"atomic", R"(\batomicMin\b)", "atomicMax"},
    Rule{"atomic", R"(\batomicSub\b)", "atomicAdd"},
    Rule{"atomic", R"(\batomicOr\b)", "atomicXor"},
    Rule{"guard", R"(\bcontinue;)", "break;"},
    Rule{"guard", R"(\bbreak;)", "continue;"},
    Rule{"guard", R"(!(?=[A-Za-z_(]))", ""},
    Rule{"launch", R"(\bblockDim\.x\b)", "256"},
    Rule{"launch", R"(\bblockDim\.x\b)", "32"},
    Rule{"launch", R"(\bblockDim\.y\b)", "8"},
    Rule{"launch", R"(\bblockIdx\.x\b)", "0"},
    Rule{"launch", R"(\bblockIdx\.y\b)", "0"},
    Rule{"launch", R"(\bblockDim\.x\b)", "gridDim.x"},
    Rule{"index", R"(\bthreadIdx\.x\b)", "threadIdx.y"},
    Rule{"index", R"(\bthreadIdx\.y\b)", "threadIdx.x"},
    Rule{"index", R"(\bthreadIdx\.x\b)", "(threadIdx.x + 1)"},
    Rule{"index", R"(\bblockIdx\.x\b)", "blockIdx.y"},
    Rule{"index", R"(\bblockIdx\.y\b)", "blockIdx.x"},
    Rule{"index", R"(\bblockIdx\.x\b)", "(blockIdx.x + 1)"},
    Rule{"index", R"(\bblockIdx\.x\b)", "(unsigned char)blockIdx.x"},
    Rule{"index", R"(\bint (\w+) = (?=blockIdx\.x))", "short $1 = "},
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
    choices();
    numbers();
    fractions();
    subscripts();
    shared_arrays();
    atomics();
    rounded_sums();
    lines();
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
      add("guard", begin, end - begin, "!(" + text + ")", fmt::format("'if ({})' holds where it did not", text));
      for (const char* both : {" && ", " || "})
        if (const auto at = code_.find(both, begin); at < end) {
          add("guard", at, 4, both[1] == '&' ? " || " : " && ",
              fmt::format("'{}' is '{}' in 'if ({})'", std::string(both, 1, 2), both[1] == '&' ? "||" : "&&", text));
          halves(begin, at, end);
        }
    });
  }

  /// One part of a condition alone, where the parts are plain: what is in brackets may hold the operator.
  void halves(std::size_t begin, std::size_t at, std::size_t end) {
    const auto text = source_.substr(begin, end - begin), first = source_.substr(begin, at - begin),
               second = source_.substr(at + 4, end - at - 4);
    if (std::ranges::count(first, '(') != std::ranges::count(first, ')')) return;
    add("guard", begin, end - begin, first, fmt::format("'if ({})' asks for '{}' alone", text, first));
    add("guard", begin, end - begin, second, fmt::format("'if ({})' asks for '{}' alone", text, second));
  }

  /// `? :`: one side for all.
  void choices() {
    const std::regex look_for(R"( \? )");
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), look_for); it != std::sregex_iterator(); ++it) {
      const auto at = static_cast<std::size_t>(it->position());
      if (!inside_[at]) continue;
      add("guard", at, 3, " || true ? ", "'?' always takes what is before ':'");
      const auto before = std::string_view(code_).substr(0, at);  // "a || b && false" would still be a
      if (before.substr(before.find_last_of(";{\n") + 1).find("||") == std::string_view::npos)
        add("guard", at, 3, " && false ? ", "'?' always takes what is behind ':'");
    }
  }

  /// Numbers from 2 on, one more and one less; lengths of arrays have a rule of their own.
  void numbers() {
    const std::regex look_for(R"((^|[^\w.])([2-9]|[1-9]\d+)(?![\w.\]]))");
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), look_for); it != std::sregex_iterator(); ++it) {
      const auto at = static_cast<std::size_t>(it->position(2));
      const auto was = it->str(2);
      if (!inside_[at] || was.size() > 6) continue;
      for (const int step : {1, -1})
        add("number", at, was.size(), std::to_string(std::stoi(was) + step),
            fmt::format("'{}' is '{}'", was, std::stoi(was) + step));
    }
  }

  /// Numbers with a fraction: twice as large.
  void fractions() {
    const std::regex look_for(R"((^|[^\w.])(\d*\.\d+f?)(?![\w.]))");
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), look_for); it != std::sregex_iterator(); ++it) {
      const auto at = static_cast<std::size_t>(it->position(2));
      const auto was = it->str(2);
      if (inside_[at] && was.find_first_of("123456789") != std::string::npos)
        add("number", at, was.size(), "(2 * " + was + ")", fmt::format("'{}' is '(2 * {})'", was, was));
    }
  }

  void subscripts() {
    brackets(R"([\w\]]\[)", '[', ']', [&](std::size_t begin, std::size_t end) {
      const auto text = source_.substr(begin, end - begin);
      const bool declares = text.find_first_not_of("0123456789 +-*/") == std::string::npos;  // float tile[32][33]
      if (declares) return;
      add("index", begin, end - begin, text + " + 1", fmt::format("'[{}]' is one further", text));
      add("index", begin, end - begin, text + " - 1", fmt::format("'[{}]' is one before", text));
    });
    const std::regex two(R"(\[([A-Za-z_][\w.]*)\]\[([A-Za-z_][\w.]*)\])");
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), two); it != std::sregex_iterator(); ++it)
      if (inside_[static_cast<std::size_t>(it->position())] && it->str(1) != it->str(2))
        add("index", static_cast<std::size_t>(it->position()), it->str().size(),
            fmt::format("[{}][{}]", it->str(2), it->str(1)),
            fmt::format("'{}' is '[{}][{}]'", it->str(), it->str(2), it->str(1)));
  }

  /// Arrays in shared memory: shorter by one, half as long, and each thread's own.
  void shared_arrays() {
    const std::regex look_for(R"((?:extern )?__shared__ [^;]*;)"), length(R"(\[(\d{1,6})\])");
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), look_for); it != std::sregex_iterator(); ++it) {
      const auto at = static_cast<std::size_t>(it->position());
      const auto text = it->str();
      if (!inside_[at] || text.starts_with("extern")) continue;
      add("shared memory", at, std::string("__shared__ ").size(), "", "'__shared__' is gone");
      for (auto one = std::sregex_iterator(text.begin(), text.end(), length); one != std::sregex_iterator(); ++one) {
        const auto was = one->str(1);
        for (const int now : {std::stoi(was) - 1, std::stoi(was) / 2})
          add("shared memory", at + static_cast<std::size_t>(one->position(1)), was.size(), std::to_string(now),
              fmt::format("'[{}]' is '[{}]'", was, now));
      }
    }
  }

  void atomics() {
    const std::string plain =
        "template <typename T, typename U> __device__ T gpulab_plain_add(T* at, U x) { const T was = *at; *at = was + "
        "x; return was; }\n";
    brackets(R"(\batomicAdd(?:_block|_system)?\()", '(', ')', [&](std::size_t begin, std::size_t) {
      const auto name = code_.rfind("atomicAdd", begin);
      add("atomic", name, begin - 1 - name, "gpulab_plain_add", "'atomicAdd' is a plain addition", plain);
      add("atomic", name, begin - 1 - name, "atomicExch", "'atomicAdd' is 'atomicExch'");
    });
  }

  /// Sums of float, each of which is rounded as if it were kept in half precision.
  void rounded_sums() {
    const std::string half =
        "__device__ float gpulab_half(float x) { const unsigned b = __float_as_uint(x); return "
        "__uint_as_float((b + 0xfffu + (b >> 13 & 1)) & ~0x1fffu); }\n";
    const std::regex declared(R"(\bfloat (\w+) = )");
    for (auto it = std::sregex_iterator(code_.begin(), code_.end(), declared); it != std::sregex_iterator(); ++it) {
      const auto name = it->str(1);
      const std::regex adds("\\b" + name + R"( \+= ([^;]*);)");
      for (auto sum = std::sregex_iterator(code_.begin(), code_.end(), adds); sum != std::sregex_iterator(); ++sum)
        add("accumulator", static_cast<std::size_t>(sum->position()), sum->str().size(),
            fmt::format("{0} = gpulab_half({0} + ({1}));", name, sum->str(1)),
            fmt::format("'{}' is kept in half precision", name), half);
    }
  }

  /// Whole statements that stand on a line of their own: gone; and a barrier that changes places with its neighbours.
  void lines() {
    std::vector<std::pair<std::size_t, std::size_t>> all;  // where each begins, and how long it is
    for (std::size_t begin = 0; begin < code_.size();) {
      const auto end = std::min(code_.find('\n', begin), code_.size());
      all.emplace_back(begin, end - begin);
      begin = end + 1;
    }
    const std::regex declares(
        R"(^(const|constexpr|static|extern|using|return|__shared__|#).*|^[A-Za-z_][\w:]*(<[^>]*>)?[ *&]+\w+ ?(=|;|\[|,).*)");
    const std::regex barrier(R"(^__syncthreads\(\);$)");
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto [at, length] = all[i];
      const auto text = trimmed(code_.substr(at, length));
      if (!inside_[at] || !is_statement(text)) continue;
      const bool has_text = source_.substr(at, length).find('"') != std::string::npos;  // it prints
      if (!std::regex_match(text, declares) && !std::regex_match(text, barrier) && !has_text)
        add("statement", at, length, ";", fmt::format("'{}' is gone", trimmed(source_.substr(at, length))));
      if (i == 0 || !is_statement(trimmed(code_.substr(all[i - 1].first, all[i - 1].second)))) continue;
      const auto above = trimmed(code_.substr(all[i - 1].first, all[i - 1].second));
      if (std::regex_match(above, barrier) == std::regex_match(text, barrier) || !inside_[all[i - 1].first]) continue;
      const auto first = all[i - 1].first;
      const auto now = source_.substr(at, length) + "\n" + source_.substr(first, all[i - 1].second);
      const bool is_above = std::regex_match(above, barrier);
      add("barrier", first, at + length - first, now,
          fmt::format("'__syncthreads()' is {} '{}'", is_above ? "behind" : "before",
                      trimmed(is_above ? source_.substr(at, length) : source_.substr(first, all[i - 1].second))));
    }
  }

  /// A line that is one statement, or several, and opens or closes nothing.
  static bool is_statement(const std::string& line) {
    return line.size() > 1 && line.back() == ';' && !line.starts_with("else") &&
           std::ranges::count(line, '{') == std::ranges::count(line, '}') &&
           std::ranges::count(line, '(') == std::ranges::count(line, ')');
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
