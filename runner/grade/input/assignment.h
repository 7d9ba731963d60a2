#pragma once
// gpulab.assignment.v1: what a course asks for, and what it is worth (configs/schema/assignment.json).

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/enum_text.h"
#include "labs/lab.h"
#include "runner/grade/input/program_part.h"
#include "runner/judge/requirement.h"

namespace gpulab {

enum class ItemKind : std::uint8_t { correct, sanitize, require, speed, construct, output, reported };
constexpr std::array<std::string_view, 7> words_of(ItemKind) {
  return {"correct", "sanitize", "require", "speed", "static", "output", "reported"};
}
/// Judged by how a whole program runs, and not by its kernels alone.
constexpr bool is_of_programs(ItemKind kind) { return kind == ItemKind::output || kind == ItemKind::reported; }

struct AssignmentItem {
  std::string name;
  ItemKind kind = ItemKind::correct;
  double points = 0;
  bool is_hidden = false;             ///< the item as a whole is not for students' eyes
  std::string description{}, hint{};  ///< for students: what it asks; what to look at where points were lost
  // correct: classes of the contract, and "key", sizes of the instructor's own; output: cases of the program
  std::vector<std::string> visible{}, hidden{};
  std::map<std::string, double, std::less<>> weights{};  ///< of those classes that do not count once
  /// correct, require: classes or requirements earn their parts of the points; else all must hold, or nothing is earned
  bool partial = false;
  std::vector<std::string> tools{};  ///< sanitize; empty: all; reported; empty: none
  /// require: those that are written, then those of the default certificate, which speed has, too
  std::vector<Requirement> requirements{};
  std::size_t certificate = 0;  ///< so many of them, the last, are the certificate's
  // speed: the kernel's time is so many times the rung's
  std::string rung{};
  double full_at = 1, zero_at = 2;
  std::map<std::string, ParamValue, std::less<>> size{};
  std::vector<std::string> forbidden{}, wanted{};  ///< static: constructs (runner/judge/inspection/constructs.h)
  bool hidden_open = false;                        ///< output: of all hidden cases, which are not on this machine
  bool asks_for_gpu = true;                        ///< output: a program that launches no kernel earns nothing
  std::string of_case{};                           ///< reported: the visible case that is looked at
};

struct Assignment {
  std::string path;  ///< of its file
  std::string text;  ///< what that holds
  std::string title;
  std::shared_ptr<const ProgramPart> program{};  ///< of the kind "program"; null: kernels alone are judged
  const Lab* lab = nullptr;                      ///< null: of a program none of whose kernels is judged by itself
  const Contract* contract = nullptr;            ///< of the lab, or `chosen`
  std::shared_ptr<const Contract> chosen{};  ///< the same with some of its blocks; null: with all, as the lab has it
  std::vector<std::size_t> launches{};       ///< these of the lab's contract, in this order; empty: all
  std::string file{};                        ///< the one that counts in a folder of several; empty: the only one
  std::string reference, starter{};          ///< paths; empty: none
  std::vector<std::pair<std::string, std::string>> wrong{};  ///< path, the item that it fails
  std::vector<AssignmentItem> items{};

  [[nodiscard]] double points() const;
};

/// The file of a solution with its kernels: a program of several files is a folder.
[[nodiscard]] std::string main_file(const Assignment& assignment, const std::string& solution);

/// What stands for the reference solution where an expression names a rung.
inline constexpr std::string_view reference_rung = "reference";

/// Throws usage_error: unreadable, no JSON, an unknown key (with the one that was meant), a lab, contract, class,
/// counter or rung that is not there.
[[nodiscard]] Assignment read_assignment(const std::string& path, const std::vector<Lab>& labs);
/// The same of a text. `path` is where it would stand.
[[nodiscard]] Assignment parse_assignment(const std::string& text, const std::string& path,
                                          const std::vector<Lab>& labs);

}  // namespace gpulab
