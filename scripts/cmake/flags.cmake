# How much trouble the compiler takes:
#   -O3, CMake's default for a release   what runs for each instruction, token of PTX or element (instruction tables: isa.cmake)
#   -O1   labs: at -Og the loops of a lab.cpp that computes its answer itself take two to three times as long
#   -Og   the rest, the glue, which runs a few times per command: three quarters of -O1's compile time, half of -O3's
# The headers of the standard library and of fmt are compiled beforehand, which saves a quarter to a third, once for each level:
# g++ 12 crashes where those of one level are used at another. Our own headers are not among them: a change of one would compile
# everything anew. Every file still includes what it uses: clang-tidy (scripts/check.sh) compiles without them.

set(precompiled_headers
  <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <set> <span> <stdexcept>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# gpulab_precompile(TARGET [FIRST]); FIRST: a target of the same options, whose precompiled headers serve this one, too.
function(gpulab_precompile target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache asks for it
  endif()
  if(ARGC GREATER 1)
    target_precompile_headers(${target} REUSE_FROM ${ARGV1})
  else()
    target_precompile_headers(${target} PRIVATE ${precompiled_headers})
  endif()
endfunction()

# gpulab_compile_quickly(TARGET [FIRST])
function(gpulab_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  gpulab_precompile(${target} ${ARGN})
endfunction()

# Sources of such a target that are to be compiled well: gpulab_compile_well(SOURCE... MATCHING REGEX). Without the precompiled
# headers, which are of another level.
function(gpulab_compile_well)
  set(sources ${ARGN})
  list(POP_BACK sources pattern matching)
  list(FILTER sources INCLUDE REGEX "${pattern}")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
endfunction()
