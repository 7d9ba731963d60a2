# Libraries that stand in for NVIDIA's in whole programs (common/cuda_api/libraries, a folder each): shared objects with the sonames of
# the toolkit that builds them, whose headers they are made from. What a toolkit has no header of is left out.
#
# gpulab_add_cuda_libraries() sets GPULAB_CUDA_LIBRARY_SOURCES: objects that hold them, and the generated table of runner/program/math_libraries.h.

set(GPULAB_CUDA_LIBRARIES_FOLDER ${PROJECT_BINARY_DIR}/cuda_libraries)

# Of its sources, and what else is in them.
function(gpulab_lent_library name header prefix version sources)
  set(soname lib${name}.so.${version})
  string(MAKE_C_IDENTIFIER ${name} word)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cuda_libraries/${name}.map CONTENT "lib@word@.so.@version@ {\n  global: @prefix@*;\n  local: *;\n};\n" @ONLY)
  set(target gpulab_lib_${name})
  add_library(${target} SHARED ${sources} $<TARGET_OBJECTS:gpulab_library_base>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${GPULAB_CUDA_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O2> -fcx-limited-range)
  target_link_libraries(${target} PRIVATE gpulab_fmt Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE -Wl,-soname,${soname} -Wl,-Bsymbolic -Wl,--version-script,${PROJECT_BINARY_DIR}/cuda_libraries/${name}.map
                      $<$<CONFIG:Release>:-s>)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME lib${name} SUFFIX .so.${version} NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY ${GPULAB_CUDA_LIBRARIES_FOLDER}
                        LINK_DEPENDS ${PROJECT_BINARY_DIR}/cuda_libraries/${name}.map)
  set(object ${PROJECT_BINARY_DIR}/cuda_libraries/${name}_image.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${target}> image_${word}
    COMMAND ${CMAKE_LINKER} -r -b binary -z noexecstack -o ${object} image_${word}
    DEPENDS ${target}
    WORKING_DIRECTORY ${GPULAB_CUDA_LIBRARIES_FOLDER}
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_property(GLOBAL APPEND PROPERTY GPULAB_LENT_OBJECTS ${object})
  set_property(GLOBAL APPEND PROPERTY GPULAB_LENT_DECLARATIONS "extern \"C\" const char _binary_image_${word}_start[], _binary_image_${word}_end[]")
  set_property(GLOBAL APPEND PROPERTY GPULAB_LENT_ROWS "      {\"${name}\", \"${soname}\", \"${header}\", {_binary_image_${word}_start, _binary_image_${word}_end}},")
endfunction()

# gpulab_cuda_library(NAME FOLDER HEADER PREFIX VERSION [SOURCE...]): lib<NAME>.so of the version, which is a number or the header's macro.
function(gpulab_cuda_library name folder header prefix version)
  set(found "")
  foreach(place IN LISTS GPULAB_CUDA_INCLUDE_DIRS)
    if(EXISTS ${place}/${header} AND NOT found)
      set(found ${place}/${header})
    endif()
  endforeach()
  set(here ${PROJECT_SOURCE_DIR}/common/cuda_api/libraries/${folder})
  file(GLOB own CONFIGURE_DEPENDS ${here}/*.cpp)
  if(NOT found OR NOT own)
    return()
  endif()
  if(NOT version MATCHES "^[0-9]+$")
    set(versions ${found})
    if(version MATCHES "(.+):(.+)")  # the macro of another header beside it
      get_filename_component(versions ${found} DIRECTORY)
      set(versions ${versions}/${CMAKE_MATCH_1})
      set(version ${CMAKE_MATCH_2})
    endif()
    file(STRINGS ${versions} line REGEX "^[ \t]*#[ \t]*define[ \t]+${version}[ \t]+[0-9]+")
    string(REGEX REPLACE ".*${version}[ \t]+([0-9]+).*" "\\1" version "${line}")
    if(NOT version MATCHES "^[0-9]+$")
      message(FATAL_ERROR "${versions} does not say which version lib${name}.so has")
    endif()
  endif()
  set(wrappers ${PROJECT_BINARY_DIR}/cuda_libraries/${name}_functions.inc)
  set(holder ${PROJECT_BINARY_DIR}/cuda_libraries/${name}_functions.cpp)
  set(script ${PROJECT_SOURCE_DIR}/scripts/cmake/library_wrappers.py)
  # Functions of a second header of the same library.
  set(headers ${found})
  get_filename_component(beside ${found} DIRECTORY)
  if(name STREQUAL cufft AND EXISTS ${beside}/cufftXt.h)
    set(headers ${found},${beside}/cufftXt.h)
  endif()
  if(name STREQUAL cublas AND EXISTS ${beside}/cublasXt.h)
    set(headers ${found},${beside}/cublasXt.h)
  endif()
  set(legacy)
  if(name STREQUAL cublas)
    set(legacy ${beside}/cublas.h)  # without handles
  endif()
  if(name STREQUAL cusolver AND EXISTS ${beside}/cusolverSp.h)
    set(headers ${found},${beside}/cusolver_common.h,${beside}/cusolverSp.h)
    foreach(more cusolverSp_LOWLEVEL_PREVIEW.h cusolverRf.h)
      if(EXISTS ${beside}/${more})
        set(headers ${headers},${beside}/${more})
      endif()
    endforeach()
  endif()
  add_custom_command(
    OUTPUT ${wrappers}
    COMMAND ${Python3_EXECUTABLE} ${script} ${headers} ${prefix} ${here}/functions.txt ${wrappers} ${legacy}
    DEPENDS ${script} ${found} ${here}/functions.txt
    VERBATIM)
  file(CONFIGURE OUTPUT ${holder} CONTENT [=[
#include "common/cuda_api/libraries/@folder@/functions.h"

extern "C" [[noreturn]] void gpulab_library_refuse(const char* function, void* caller);
using namespace gpulab::@folder@;  // NOLINT: the wrappers' words

extern "C" {
#include "@wrappers@"
}
]=] @ONLY)
  set_source_files_properties(${holder} PROPERTIES OBJECT_DEPENDS ${wrappers} COMPILE_OPTIONS "-O1;-Wno-unused-parameter;-Wno-deprecated-declarations")
  gpulab_library_kernels(${folder} kernels)
  gpulab_lent_library(${name} ${header} ${prefix} ${version} "${own};${holder};${kernels}")
endfunction()

# Kernels that a library computes with, ${folder}/*.cu, as objects that hold their PTX: _binary_FOLDER_FILE_ptx_start to …_end.
function(gpulab_library_kernels folder result)
  set(objects)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/common/cuda_api/libraries/${folder}/*.cu)
  foreach(source IN LISTS sources)
    get_filename_component(stem ${source} NAME_WE)
    set(ptx ${folder}_${stem}_ptx)
    set(object ${GPULAB_CUDA_LIBRARIES_FOLDER}/${ptx}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${GPULAB_NVCC} -ptx -std=c++17 -arch=compute_${GPULAB_LOWEST_ARCHITECTURE} -Wno-deprecated-gpu-targets -o ${ptx} ${source}
      COMMAND ${CMAKE_LINKER} -r -b binary -z noexecstack -o ${object} ${ptx}
      DEPENDS ${source} ${GPULAB_NVCC}
      WORKING_DIRECTORY ${GPULAB_CUDA_LIBRARIES_FOLDER}
      COMMENT "nvcc -ptx ${folder}/${stem}.cu"
      VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

function(gpulab_add_cuda_libraries)
  set(folder ${PROJECT_SOURCE_DIR}/common/cuda_api/libraries)
  file(GLOB base CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/products/*.cpp ${folder}/dense/*.cpp ${folder}/sparse/*.cpp)
  add_library(gpulab_library_base OBJECT ${base})
  target_include_directories(gpulab_library_base PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(gpulab_library_base SYSTEM PRIVATE ${GPULAB_CUDA_INCLUDE_DIRS})
  target_compile_options(gpulab_library_base PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O2> -fcx-limited-range)
  # Multiply and add in one, where the processor has that: products alone; -Wno-psabi: vectors are no function's parameters.
  set_source_files_properties(${folder}/products/product.cpp PROPERTIES COMPILE_OPTIONS "-O3;-ffp-contract=fast;-Wno-psabi")
  gpulab_cuda_library(cublas cublas cublas_api.h cublas CUBLAS_VER_MAJOR)
  gpulab_cuda_library(cublasLt cublaslt cublasLt.h cublasLt cublas_api.h:CUBLAS_VER_MAJOR)
  gpulab_cuda_library(curand curand curand.h curand CURAND_VER_MAJOR)
  gpulab_cuda_library(cufft cufft cufft.h cufft CUFFT_VER_MAJOR)
  gpulab_cuda_library(cusparse cusparse cusparse.h cusparse CUSPARSE_VER_MAJOR)
  gpulab_cuda_library(cusolver cusolver cusolverDn.h cusolver cusolver_common.h:CUSOLVER_VER_MAJOR)
  # Of no toolkit: its types are in interface.h.
  file(GLOB own CONFIGURE_DEPENDS ${folder}/nccl/*.cpp)
  gpulab_lent_library(nccl nccl.h nccl 2 "${own}")
  file(GLOB own CONFIGURE_DEPENDS ${folder}/nvml/*.cpp)
  gpulab_lent_library(nvidia-ml nvml.h nvml 1 "${own}")
  get_property(objects GLOBAL PROPERTY GPULAB_LENT_OBJECTS)
  get_property(declarations GLOBAL PROPERTY GPULAB_LENT_DECLARATIONS)
  get_property(rows GLOBAL PROPERTY GPULAB_LENT_ROWS)
  list(JOIN declarations ";\n" declarations)
  list(JOIN rows "\n" rows)
  set(table ${PROJECT_BINARY_DIR}/lent_libraries.cpp)
  file(CONFIGURE OUTPUT ${table} CONTENT [=[
// Generated by scripts/cmake/cuda_libraries.cmake.
#include "runner/program/math_libraries.h"

@declarations@;

namespace gpulab {
std::span<const MathLibrary> math_libraries() {
  static const MathLibrary all[] = {
@rows@
  };
  return all;
}
}  // namespace gpulab
]=] @ONLY)
  set(GPULAB_CUDA_LIBRARY_SOURCES ${objects} ${table} PARENT_SCOPE)
endfunction()
