# The CUDA runtime that `gpulab exec` gives programs (common/cuda_api/runtime): a shared library with NVIDIA's names and soname
# over the simulator, of the major version of the toolkit that builds it, whose headers its structs are from. Target gpulab_cudart.
#
# It has the driver's API, too (common/cuda_api/driver): both share one state, as one library. libcuda.so.1 is a library of that name
# with nothing in it but that it needs this one, for programs that are linked with it or look for it.
#
# Nothing but those names can be seen from outside (exports.map); most names of the per-thread default stream stand for the same
# functions, as work is done in the order in which it comes.

set(GPULAB_CUDART_FOLDER ${PROJECT_BINARY_DIR}/cuda_runtime)

function(gpulab_add_cuda_runtime)
  string(REGEX MATCH "^[0-9]+" major ${GPULAB_TOOLKIT_VERSION})
  set(GPULAB_CUDART_SONAME libcudart.so.${major})
  set(folder ${PROJECT_SOURCE_DIR}/common/cuda_api/runtime)
  set(driver ${PROJECT_SOURCE_DIR}/common/cuda_api/driver)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp ${driver}/*.cpp)
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
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/per_thread_names.txt ${driver}/per_thread_names.txt
               ${driver}/other_names.txt)
  file(STRINGS ${folder}/per_thread_names.txt names REGEX "^_*cuda")
  file(STRINGS ${driver}/per_thread_names.txt names_of_driver REGEX "^cu")
  foreach(name IN LISTS names names_of_driver)
    string(REGEX REPLACE "_pt[ds][sz]$" "" plain ${name})
    list(APPEND aliases -Wl,--defsym=${name}=${plain})
  endforeach()
  file(STRINGS ${driver}/other_names.txt names REGEX "^cu")
  foreach(pair IN LISTS names)
    string(REPLACE " " "=" pair ${pair})
    list(APPEND aliases -Wl,--defsym=${pair})
  endforeach()
  target_link_options(gpulab_cudart PRIVATE -Wl,-soname,${GPULAB_CUDART_SONAME} -Wl,-Bsymbolic $<$<NOT:$<BOOL:${sanitized}>>:-Wl,-z,defs> ${aliases}
                      -Wl,--version-script,${PROJECT_BINARY_DIR}/cuda_runtime.map $<$<CONFIG:Release>:-s>)
  set_target_properties(gpulab_cudart PROPERTIES PREFIX "" OUTPUT_NAME libcudart SUFFIX .so.${major} NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY ${GPULAB_CUDART_FOLDER} LINK_DEPENDS ${PROJECT_BINARY_DIR}/cuda_runtime.map)
  file(WRITE ${GPULAB_CUDART_FOLDER}/nothing.cpp "")
  add_library(gpulab_libcuda SHARED ${GPULAB_CUDART_FOLDER}/nothing.cpp)
  target_link_libraries(gpulab_libcuda PRIVATE gpulab_cudart)
  target_link_options(gpulab_libcuda PRIVATE -nostdlib -Wl,-soname,libcuda.so.1 -Wl,--no-as-needed)
  set_target_properties(gpulab_libcuda PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1 NO_SONAME ON SKIP_BUILD_RPATH ON
                        LIBRARY_OUTPUT_DIRECTORY ${GPULAB_CUDART_FOLDER})
  set(GPULAB_NVRTC_SONAME libnvrtc.so.${major})
  set(nvrtc ${PROJECT_SOURCE_DIR}/common/cuda_api/nvrtc)
  configure_file(${nvrtc}/exports.map.in ${PROJECT_BINARY_DIR}/nvrtc.map @ONLY)
  add_library(gpulab_nvrtc SHARED ${nvrtc}/nvrtc.cpp)
  target_link_libraries(gpulab_nvrtc PRIVATE ${CMAKE_DL_LIBS})
  target_link_options(gpulab_nvrtc PRIVATE -Wl,-soname,${GPULAB_NVRTC_SONAME} -Wl,-Bsymbolic -Wl,--gc-sections
                      -Wl,--version-script,${PROJECT_BINARY_DIR}/nvrtc.map $<$<CONFIG:Release>:-s>)
  set_target_properties(gpulab_nvrtc PROPERTIES PREFIX "" OUTPUT_NAME libnvrtc SUFFIX .so.${major} NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY ${GPULAB_CUDART_FOLDER} LINK_DEPENDS ${PROJECT_BINARY_DIR}/nvrtc.map)
  # The binary holds them, and puts them where a program is started (runner/program): nothing needs to be installed beside.
  set(objects)
  foreach(pair IN ITEMS gpulab_cudart:cuda_runtime_library gpulab_libcuda:cuda_driver_library gpulab_nvrtc:nvrtc_library)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 target)
    list(GET pair 1 name)
    set(object ${PROJECT_BINARY_DIR}/${name}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${target}> ${name}
      COMMAND ${CMAKE_LINKER} -r -b binary -z noexecstack -o ${object} ${name}
      DEPENDS ${target}
      WORKING_DIRECTORY ${GPULAB_CUDART_FOLDER}
      VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND objects ${object})
  endforeach()
  set(GPULAB_CUDART_OBJECT ${objects} PARENT_SCOPE)
endfunction()
