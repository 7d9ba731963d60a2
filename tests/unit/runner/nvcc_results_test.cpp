// Where programs drop what the runtime's functions return: taken out of nvcc's messages, kept in ELF files.
#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/child/private_folder.h"
#include "common/text.h"
#include "runner/program/results/dropped_results.h"
#include "runner/program/results/judged_calls.h"
#include "runner/program/results/nvcc_messages.h"
#include "runner/program/results/watched_build.h"
#include "runner/program/results/watched_functions.h"
#include "runner/student_file/source_file.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

struct Sifted {
  std::string kept, places;
  bool lost;
};

Sifted sift(const std::string& text) {
  NvccMessages messages;
  std::string kept;
  for (const auto& line : split(text, '\n')) kept += messages.take(line + '\n');
  kept += messages.rest();
  std::string places;
  for (const auto& one : messages.dropped()) places += fmt::format("{} {}:{}\n", one.function, one.file, one.line);
  return {kept, places, messages.is_lost()};
}

const std::string dropped_copy =
    "a.cu:13:11: warning: ignoring return value of ‘cudaError cudaMemcpy(void*, const void*, long unsigned int, "
    "cudaMemcpyKind)’, declared with attribute ‘nodiscard’ [-Wunused-result]\n"
    "   13 |   cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice);\n"
    "      |   ~~~~~~~~~~^~~~~~~~~~~\n"
    "/tmp/x/gpulab_watched_functions.h:5:38: note: declared here\n"
    "    5 | [[nodiscard]] gpulab_plain<decltype(cudaMemcpy)>::type cudaMemcpy;\n"
    "      |                                      ^~~~~~~~~~\n";
const std::string of_the_user =
    "a.cu:20:3: warning: ignoring return value of ‘int cudaLike()’ declared with attribute ‘warn_unused_result’ "
    "[-Wunused-result]\n"
    "   20 |   cudaLike();\n"
    "      |   ^~\n";
const std::string in_main = "a.cu: In function ‘int main()’:\n";

/// An ELF file of this machine's with a table of sections' names and nothing else.
std::string small_object() {
  const std::string names = std::string("\0.names\0", 8);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_type = ET_REL;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  header.e_shstrndx = 1;
  header.e_shoff = sizeof header + names.size();
  Elf64_Shdr sections[2]{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = names.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + names +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections);
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("warnings of dropped results of the runtime are taken out of what nvcc says, and no other word is") {
  const auto ours = sift(in_main + dropped_copy);
  CHECK(ours.kept == "\n");  // of the test's last line
  CHECK(sift(in_main + dropped_copy + "a.cu(3): warning #177-D: unused\n").kept ==
        "a.cu(3): warning #177-D: unused\n\n");
  CHECK(ours.places == "cudaMemcpy a.cu:13\n");
  const auto both = sift(in_main + dropped_copy + of_the_user);
  CHECK(both.kept == in_main + of_the_user + "\n");
  const auto theirs_first = sift(in_main + of_the_user + dropped_copy + "b.cu(3): warning #177-D: unused\n    x\n");
  CHECK(theirs_first.kept == in_main + of_the_user + "b.cu(3): warning #177-D: unused\n    x\n\n");
  const auto other = sift("a.cu: In function ‘void f()’:\n" + dropped_copy + in_main + of_the_user);
  CHECK(other.kept == in_main + of_the_user + "\n");
}

TEST_CASE("words of other languages, streams per thread and templates are known as dropped results, too") {
  CHECK(sift("pfad/b.cu:4:24: Warnung: Rückgabewert von »cudaError_t cudaMemcpyToSymbol_ptds(const T&, const void*, "
             "size_t, size_t, cudaMemcpyKind) [mit T = float [4]]«, wird ignoriert [-Wunused-result]\n")
            .places == "cudaMemcpyToSymbol b.cu:4\n");
  const auto made = sift(
      "a.cu: In instantiation of ‘void twice(T*) [with T = float]’:\na.cu:21:6:   required from here\n"
      "a.cu:6:47: warning: ignoring return value of ‘cudaError cudaFree(void*)’, declared with attribute ‘nodiscard’ "
      "[-Wunused-result]\n    6 | cudaFree(p)\n" +
      of_the_user);
  CHECK(made.places == "cudaFree a.cu:6\n");
  CHECK(made.kept == of_the_user + "\n");
}

TEST_CASE("text that leads to nothing is kept") {
  CHECK(sift("note: what follows is this:\nx\n").kept == "note: what follows is this:\nx\n\n");
  NvccMessages messages;
  CHECK(messages.take("In file included from a.cu:1:\n").empty());
  CHECK(messages.rest() == "In file included from a.cu:1:\n");
}

TEST_CASE("an error in our own header is told from errors of the user's") {
  CHECK(sift("/tmp/x/gpulab_watched_functions.h(7): error: no such function\n").lost);
  CHECK(sift("/tmp/x/gpulab_watched_functions.h:7:3: error: conflicting declaration\n").lost);
  CHECK_FALSE(sift("a.cu(7): error: identifier \"x\" is undefined\n").lost);
  CHECK_FALSE(sift(in_main + dropped_copy).lost);
}

TEST_CASE("a user whose own function has the name of a watched one does not hear of our header") {
  const auto made = sift(of_the_user +
                         "/tmp/x/gpulab_watched_functions.h(67): error: cannot determine which instance of overloaded "
                         "function \"cudaMemAdvise\" is intended\n"
                         "  [[nodiscard]] gpulab_plain<decltype(cudaMemAdvise)>::type cudaMemAdvise;\n\n"
                         "a.cu(7): error: identifier \"x\" is undefined\n");
  CHECK(made.lost);
  CHECK(made.kept == of_the_user);
}

TEST_CASE("the section with dropped results is added to ELF files of this machine's alone") {
  const PrivateFolder folder;
  const auto file = folder.path() / "a.o";
  write(file, small_object());
  CHECK_FALSE(DroppedResults::of_program(small_object()));
  REQUIRE(keep_dropped(file, {{"cudaMalloc", "a b.cu", 3}, {"cudaFree", "b.cu", 70}}));
  auto kept = DroppedResults::of_program(read_file(file.string(), "test"));
  REQUIRE(kept);
  CHECK(kept->holds("cudaMalloc", "a b.cu:3"));
  CHECK_FALSE(kept->holds("cudaMalloc", "b.cu:70"));
  REQUIRE(keep_dropped(file, {{"cudaMemset", "c.cu", 1}}));
  kept = DroppedResults::of_program(read_file(file.string(), "test"));
  CHECK((kept->holds("cudaMemset", "c.cu:1") && kept->holds("cudaFree", "b.cu:70")));
  for (const std::string& other : {std::string(), std::string("!<arch>\n"), std::string(200, '\x7f')}) {
    write(file, other);
    CHECK_FALSE(keep_dropped(file, {}));
    CHECK(read_file(file.string(), "test") == other);
  }
  CHECK_FALSE(keep_dropped(folder.path() / "none", {}));
}

TEST_CASE("ELF files that lie about their sections are left alone") {
  const PrivateFolder folder;
  const auto file = folder.path() / "a.o";
  const std::string good = small_object();
  const auto lie = [&](std::size_t at, std::uint64_t value, std::size_t bytes) {
    std::string bad = good;
    std::memcpy(bad.data() + at, &value, bytes);
    write(file, bad);
    CHECK_FALSE(keep_dropped(file, {}));
    CHECK_FALSE(DroppedResults::of_program(bad));
  };
  lie(offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX - 3, 8);
  lie(offsetof(Elf64_Ehdr, e_shnum), 0xffff, 2);
  lie(offsetof(Elf64_Ehdr, e_shstrndx), 2, 2);
  lie(offsetof(Elf64_Ehdr, e_machine), 190, 2);  // of a GPU
  lie(sizeof(Elf64_Ehdr) + 8 + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), UINT64_MAX, 8);
  for (std::size_t size = 0; size < good.size(); ++size) {
    write(file, good.substr(0, size));
    CHECK_FALSE(keep_dropped(file, {}));
  }
}

TEST_CASE("what nvcc makes is known by its words") {
  CHECK(made_by({"nvcc", "a.cu"}) == std::vector<std::string>{"a.out"});
  CHECK(made_by({"nvcc", "-c", "x/a.cu", "b.cu"}) == std::vector<std::string>{"a.o", "b.o"});
  CHECK(made_by({"nvcc", "-dc", "a.cu", "-odir", "out"}) == std::vector<std::string>{"out/a.o"});
  CHECK(made_by({"nvcc", "a.cu", "-o", "prog"}) == std::vector<std::string>{"prog"});
  CHECK(made_by({"nvcc", "-ptx", "a.cu"}).empty());
}

TEST_CASE("builds whose warnings are errors, or that list what they have read, are not watched") {
  CHECK(may_watch({"-O2", "a.cu", "-o", "a"}));
  for (const char* word : {"-Werror", "-Xcompiler=-Werror", "--Werror", "-E", "-MD", "-M", "-MF", "-"})
    CHECK_FALSE(may_watch({"a.cu", word}));
  CHECK(may_watch({"-MD", "-MT", "a.o", "-MF", "a.d", "-c", "a.cu"}));
  CHECK(without_header("a.o : a.cu \\\n  b.h \\\n  /tmp/x/gpulab_watched_functions.h \\\n  c.h\n") ==
        "a.o : a.cu \\\n  b.h \\\n  c.h\n\n");
  CHECK(without_header("a.o : a.cu \\\n  /tmp/x/gpulab_watched_functions.h\n") == "a.o : a.cu \n\n");
  CHECK(watched_name("cudaMemcpyAsync_ptsz") == "cudaMemcpyAsync");
  CHECK(watched_name("cudaGetLastError").empty());
}

TEST_CASE("a failure is an error where the program drops it, else a note, and what comes of it is not told") {
  cuda_api::Record record;
  cuda_api::CallFailure failure;
  failure.function = "cudaMemcpy";
  failure.error = "cudaErrorInvalidValue";
  failure.error_text = "invalid argument";
  failure.caller = "a.cu:13";
  failure.chain = 1;
  failure.follows = true;
  record.failures = {failure, failure, failure};
  record.failures[1].caller = "a.cu:14";
  record.failures[2].caller = "a.cu:15";
  record.failures[2].chain = 2;
  record.failures[2].why = "a reason";
  const PrivateFolder folder;
  write(folder.path() / "a.o", small_object());
  keep_dropped(folder.path() / "a.o", {{"cudaMemcpy", "a.cu", 13}, {"cudaMemcpy", "a.cu", 14}});
  judge_calls(record, DroppedResults::of_program(read_file((folder.path() / "a.o").string(), "test")));
  REQUIRE(record.findings.size() == 2);
  CHECK(record.findings[0].severity == Severity::error);
  CHECK(record.findings[0].message ==
        "cudaMemcpy: invalid argument (called by a.cu:13; cudaErrorInvalidValue, which the program did not look at); "
        "check what cudaMemcpy returns");
  CHECK(record.findings[1].severity == Severity::note);
  CHECK(record.findings[1].message ==
        "cudaMemcpy: a reason (called by a.cu:15; cudaErrorInvalidValue, which the call returned)");
}

TEST_CASE("of a program that others built only what is certain is an error") {
  cuda_api::Record record;
  cuda_api::CallFailure failure;
  failure.function = "cudaMemcpy";
  failure.why = "a reason";
  failure.caller = "program+0x12";
  record.failures = {failure, failure};
  record.failures[0].chain = 1;
  record.failures[1].chain = 2;
  record.failures[1].certain = true;
  judge_calls(record, std::nullopt);
  REQUIRE(record.findings.size() == 2);
  CHECK(record.findings[0].severity == Severity::note);
  CHECK(record.findings[1].severity == Severity::error);
}
