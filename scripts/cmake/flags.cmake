# How much trouble the compiler takes. What runs for each instruction, token of PTX or element is compiled well: at -O3, CMake's
# default for a release (the instruction tables: isa.cmake). Everything else, the glue, runs a few times per command and is
# compiled quickly: at -Og, which takes three quarters of -O1's time and half of -O3's, with the headers of the standard
# library and of fmt compiled beforehand, once for all targets.
#
# Our own headers are not among these: a change of one would compile everything anew. Every file still includes what it uses:
# clang-tidy (scripts/check.sh) compiles without them.

set(precompiled_headers
  <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <set> <span> <stdexcept>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# gpulab_compile_quickly(TARGET [FIRST]); FIRST: another such target, whose precompiled headers serve this one, too.
function(gpulab_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
  endif()
  if(ARGC GREATER 1)
    target_precompile_headers(${target} REUSE_FROM ${ARGV1})
  else()
    target_precompile_headers(${target} PRIVATE ${precompiled_headers})
  endif()
endfunction()

# Sources of such a target that are to be compiled well: gpulab_compile_well(SOURCE... MATCHING REGEX). Without the precompiled
# headers: g++ 12 crashes where those of one level of optimisation are used at another.
function(gpulab_compile_well)
  set(sources ${ARGN})
  list(POP_BACK sources pattern matching)
  list(FILTER sources INCLUDE REGEX "${pattern}")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
endfunction()
