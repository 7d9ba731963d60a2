#include "runner/options/nvcc_options.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"

namespace gpulab {
namespace {

using Words = std::vector<std::string>;

CompileOptions parsed(const std::string& nvcc) { return parse_nvcc_options({{"nvcc", {nvcc}}}); }
/// What an error says, without its hint.
template <typename Call>
std::string what_of(const Call& call) {
  const auto text = error_of(call);
  return text.substr(0, text.find(" | "));
}
std::string refused(const std::string& nvcc) {
  return what_of([&] { return parsed(nvcc); });
}

TEST_CASE("without options a file is compiled as C++17 with line information") {
  CHECK(parse_nvcc_options({}).words() == Words{"-std=c++17", "-lineinfo"});
}

TEST_CASE("what changes device code is passed on, in nvcc's spellings") {
  CHECK(parsed("-std=c++20 -rdc=true -G").words() == Words{"-std=c++20", "-rdc=true", "-G"});
  CHECK(parsed("--std c++14 --relocatable-device-code=false").words() == Words{"-std=c++14", "-lineinfo"});
  CHECK(parsed("-dc").relocatable);
  CHECK(parsed("-I/a -I /b --include-path=/c -isystem /d -include /e.h").places ==
        std::vector<CompileOptions::Place>{{"--include-path", "/a"},
                                           {"--include-path", "/b"},
                                           {"--include-path", "/c"},
                                           {"--system-include", "/d"},
                                           {"--pre-include", "/e.h"}});
  CHECK(parsed("-DN=4 -D M -UNDEBUG \"-DNAME=a b\" -D'S=\"t\"'").further ==
        Words{"-DN=4", "-DM", "-UNDEBUG", "-DNAME=a b", "-DS=\"t\""});
  CHECK(parsed("-use_fast_math -fmad=false --expt-relaxed-constexpr").further ==
        Words{"--use_fast_math", "--fmad=false", "--expt-relaxed-constexpr"});
  CHECK(parsed("-arch=sm_80").architecture == 80);
  CHECK(parsed("-gencode arch=compute_70,code=sm_70 -gencode=arch=compute_90a,code=sm_90a").architecture == 90);
  CHECK(!parsed("-arch=native").architecture);
}

TEST_CASE("-I and -D come behind --nvcc, and a folder is one from here on") {
  const auto options = parse_nvcc_options({{"nvcc", {"-I/a"}}, {"I", {"/b/../c"}}, {"D", {"N=4"}}});
  CHECK(options.words() == Words{"-std=c++17", "-lineinfo", "--include-path=/a", "--include-path=/c", "-DN=4"});
  CHECK(parsed("-Ihere").places.front().path.front() == '/');
}

TEST_CASE("what is about host code, ptxas and linking is left out") {
  CHECK(parsed("-O3 -g -lcublas -L/lib -Xptxas -v -Xptxas=-O3 -m64 -maxrregcount=32 -lineinfo").words() ==
        Words{"-std=c++17", "-lineinfo"});
}

TEST_CASE("what runs programs or writes files is refused") {
  CHECK(refused("-ccbin /tmp/evil") == "--nvcc: '-ccbin' is refused: it runs a program");
  CHECK(refused("--compiler-bindir=/tmp") == "--nvcc: '-ccbin' is refused: it runs a program");
  CHECK(refused("--run") == "--nvcc: '-run' is refused: it runs a program");
  CHECK(refused("-o /tmp/x") == "--nvcc: '-o' is refused: it writes files");
  CHECK(refused("--output-file=/tmp/x") == "--nvcc: '-o' is refused: it writes files");
  CHECK(refused("-keep") == "--nvcc: '-keep' is refused: it writes files");
  CHECK(refused("-Xcompiler -fplugin=/tmp/x.so") ==
        "--nvcc: '-Xcompiler' is refused: host code is not compiled; leave it out");
  CHECK(refused("--compiler-options -fopenmp") ==
        "--nvcc: '-Xcompiler' is refused: host code is not compiled; leave it out");
  CHECK(refused("@words") == "--nvcc: '@words' is refused: it names files to read");
  CHECK(refused("--options-file words") == "--nvcc: '-optf' is refused: it names files to read");
  CHECK(refused("-dryrun") == "--nvcc: '-dryrun' is not passed on");
  CHECK(refused("other.cu") == "--nvcc: 'other.cu' is no option");
}

TEST_CASE("what a shell would read is refused wherever it stands: nvcc hands its command lines to one") {
  for (const std::string value : {"$(touch x)", "`touch x`", "a\\\"; touch x; \\\"", "a\nb"}) {
    CHECK(refused("\"-DX=" + value + '"').find("holds what a shell would read") != std::string::npos);
    CHECK(what_of([&] {
            return parse_nvcc_options({{"I", {value}}});
          }) == "--nvcc: '-I " + value + "' holds what a shell would read: $, `, \\ or a line end");
  }
}

TEST_CASE("malformed words are refused") {
  CHECK(refused("-I") == "--nvcc: '-I' needs a value");
  CHECK(refused("-rdc=maybe") == "--nvcc: '-rdc=maybe' is true or false");
  CHECK(refused("-std=c++5") == "--nvcc: '-std=c++5' is no standard");
  CHECK(refused("-arch=fast") == "--nvcc: 'fast' is no architecture");
  CHECK(refused("'-DX=1") == "--nvcc: a ' is not closed in ''-DX=1'");
}

}  // namespace
}  // namespace gpulab
