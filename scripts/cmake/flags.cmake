# How much trouble the compiler takes:
#   -O3, CMake's default for a release   what runs for each instruction, token of PTX or element (instruction tables: isa.cmake)
#   -O1   labs: at -Og the loops of a lab.cpp that computes its answer itself take two to three times as long
#   -Og   the rest, the glue, which runs a few times per command: three quarters of -O1's compile time, half of -O3's; with the
#         sanitizers, which compile all else at -O1, three fifths
# The headers of the standard library and of fmt are compiled beforehand, which saves a quarter to a third, once for each level:
# g++ 12 crashes where those of one level are used at another. Of our own headers those alone are among them that two thirds of a
# target's files include: a change of one compiles the target anew. Every file still includes what it uses: clang-tidy
# (scripts/check.sh) compiles without them.

set(precompiled_headers
  <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <set> <span> <stdexcept>
  <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# gpulab_precompile(TARGET [LIKE FIRST] [HEADER...]); LIKE: a target of the same options, whose precompiled headers serve this one, too.
function(gpulab_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIKE" "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # By these the compiler frees its own memory less often, which saves 5 to 8 % of its time.
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=400 --param ggc-min-heapsize=262144")
  endif()
  if(arg_LIKE)
    target_precompile_headers(${target} REUSE_FROM ${arg_LIKE})
  else()
    target_precompile_headers(${target} PRIVATE ${precompiled_headers} ${arg_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# gpulab_compile_quickly(TARGET [LIKE FIRST] [HEADER...]). Each function has a section of its own: a program that needs one file of a
# group gets all of them, and the linker can leave out the functions that it does not call (gpulab_first).
function(gpulab_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-Og> -ffunction-sections -fdata-sections)
  gpulab_precompile(${target} ${ARGN})
endfunction()

# Sources of such a target that are to be compiled well: gpulab_compile_well(SOURCE... MATCHING REGEX). Without the precompiled
# headers, which are of another level.
function(gpulab_compile_well)
  set(sources ${ARGN})
  list(POP_BACK sources pattern matching)
  list(FILTER sources INCLUDE REGEX "${pattern}")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>$<$<CONFIG:RelWithDebInfo>:-O1> SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# What each file of ours includes, and what it makes of templates, takes a compiler longer than the file itself: files are compiled in
# groups, which halves the time. Which go together says unite.py, so that a file means the same in a group as alone.
option(GPULAB_UNITE "compile files in groups" ON)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/cmake/unite.py)

# gpulab_unite(TARGET...): after the properties of its sources. Those that have options of their own stay alone. A group is a file that
# includes the others by their paths from the tree's root: so that it is the same file in any clone, and ccache knows it there, too
# (CMake's own unity builds name whole paths).
function(gpulab_unite)
  if(NOT GPULAB_UNITE)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(sources ${target} SOURCES)
    set(together "")
    set(units "")
    foreach(source IN LISTS sources)
      get_filename_component(path "${source}" ABSOLUTE)
      get_source_file_property(options "${source}" COMPILE_OPTIONS)
      get_source_file_property(definitions "${source}" COMPILE_DEFINITIONS)
      get_source_file_property(skips_headers "${source}" SKIP_PRECOMPILE_HEADERS)
      get_source_file_property(stays_alone "${source}" SKIP_UNITY_BUILD_INCLUSION)
      if(path MATCHES "^${PROJECT_SOURCE_DIR}/.*\\.cpp$" AND NOT path MATCHES "^${PROJECT_BINARY_DIR}/"
         AND NOT options AND NOT definitions AND NOT skips_headers AND NOT stays_alone)
        list(APPEND together "${path}")
      else()
        list(APPEND units "${source}")
      endif()
    endforeach()
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/cmake/unite.py ${PROJECT_SOURCE_DIR} ${together}
                    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" groups "${groups}")
    set(names "")
    while(groups)
      list(POP_FRONT groups path name)
      list(REMOVE_ITEM together "${path}")
      list(APPEND names ${name})
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} "${path}")
      string(APPEND group_${name} "#include \"${path}\"\n")
    endwhile()
    list(REMOVE_DUPLICATES names)
    foreach(name IN LISTS names)
      set(file ${PROJECT_BINARY_DIR}/united/${target}/${name}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "// Generated by scripts/cmake/flags.cmake.\n${group_${name}}" @ONLY)
      list(APPEND units ${file})
      unset(group_${name})
    endforeach()
    set_property(TARGET ${target} PROPERTY SOURCES ${together} ${units})
  endforeach()
endfunction()
