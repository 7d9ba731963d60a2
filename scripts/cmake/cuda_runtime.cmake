# The CUDA runtime that `gpulab exec` gives programs (common/cuda_api/runtime): a shared library with NVIDIA's names and soname
# over the simulator, of the major version of the toolkit that builds it, whose headers its structs are from. Target gpulab_cudart.
#
# Nothing but those names can be seen from outside (exports.map); most names of the per-thread default stream stand for the same
# functions, as work is done in the order in which it comes.

set(GPULAB_CUDART_FOLDER ${PROJECT_BINARY_DIR}/cuda_runtime)

function(gpulab_add_cuda_runtime)
  string(REGEX MATCH "^[0-9]+" major ${GPULAB_TOOLKIT_VERSION})
  set(GPULAB_CUDART_SONAME libcudart.so.${major})
  set(folder ${PROJECT_SOURCE_DIR}/common/cuda_api/runtime)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  configure_file(${folder}/exports.map.in ${PROJECT_BINARY_DIR}/cuda_runtime.map @ONLY)
  # The configurations alone: the library runs no lab.
  set(GPULAB_DEVICE_RUNTIME "")
  gpulab_embed(${folder} ${PROJECT_BINARY_DIR}/cuda_runtime_embedded)
  add_library(gpulab_cudart SHARED ${sources} ${PROJECT_BINARY_DIR}/cuda_runtime_embedded/embedded.cpp)
  target_include_directories(gpulab_cudart SYSTEM PRIVATE ${GPULAB_CUDA_INCLUDE_DIRS})
  target_link_libraries(gpulab_cudart PRIVATE gpulab_common)
  gpulab_compile_quickly(gpulab_cudart LIKE gpulab_glue)
  set(aliases)
  string(FIND "${CMAKE_CXX_FLAGS}" "-fsanitize" sanitized)
  if(sanitized LESS 0)
    set(sanitized OFF)
  else()
    set(sanitized ON)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/per_thread_names.txt)
  file(STRINGS ${folder}/per_thread_names.txt names REGEX "^_*cuda")
  foreach(name IN LISTS names)
    string(REGEX REPLACE "_pt[ds][sz]$" "" plain ${name})
    list(APPEND aliases -Wl,--defsym=${name}=${plain})
  endforeach()
  target_link_options(gpulab_cudart PRIVATE -Wl,-soname,${GPULAB_CUDART_SONAME} -Wl,-Bsymbolic $<$<NOT:$<BOOL:${sanitized}>>:-Wl,-z,defs> ${aliases}
                      -Wl,--version-script,${PROJECT_BINARY_DIR}/cuda_runtime.map $<$<CONFIG:Release>:-s>)
  set_target_properties(gpulab_cudart PROPERTIES PREFIX "" OUTPUT_NAME libcudart SUFFIX .so.${major} NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY ${GPULAB_CUDART_FOLDER} LINK_DEPENDS ${PROJECT_BINARY_DIR}/cuda_runtime.map)
  # The binary holds it, and puts it where a program is started (runner/program): nothing needs to be installed beside.
  set(object ${PROJECT_BINARY_DIR}/cuda_runtime_library.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:gpulab_cudart> cuda_runtime_library
    COMMAND ${CMAKE_LINKER} -r -b binary -z noexecstack -o ${object} cuda_runtime_library
    DEPENDS gpulab_cudart
    WORKING_DIRECTORY ${GPULAB_CUDART_FOLDER}
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(GPULAB_CUDART_OBJECT ${object} PARENT_SCOPE)
endfunction()
