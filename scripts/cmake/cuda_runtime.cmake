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
  # These declare the calls otherwise than CUDA's headers do.
  set_source_files_properties(${folder}/unsupported.cpp ${driver}/unsupported.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  gpulab_unite(gpulab_cudart)
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
  # NVIDIA's compilers, as far as they are asked for machine code (common/cuda_api/nvrtc).
  set(compilers ${PROJECT_SOURCE_DIR}/common/cuda_api/nvrtc)
  foreach(name IN ITEMS nvrtc nvJitLink)
    string(TOLOWER ${name} file)
    string(TOUPPER ${name} upper)
    set(GPULAB_${upper}_SONAME lib${name}.so.${major})
    configure_file(${compilers}/${file}.map.in ${PROJECT_BINARY_DIR}/${file}.map @ONLY)
    add_library(gpulab_${file} SHARED ${compilers}/${file}.cpp)
    target_link_libraries(gpulab_${file} PRIVATE ${CMAKE_DL_LIBS})
    target_link_options(gpulab_${file} PRIVATE -Wl,-soname,lib${name}.so.${major} -Wl,-Bsymbolic -Wl,--gc-sections
                        -Wl,--version-script,${PROJECT_BINARY_DIR}/${file}.map $<$<CONFIG:Release>:-s>)
    set_target_properties(gpulab_${file} PROPERTIES PREFIX "" OUTPUT_NAME lib${name} SUFFIX .so.${major} NO_SONAME ON
                          LIBRARY_OUTPUT_DIRECTORY ${GPULAB_CUDART_FOLDER} LINK_DEPENDS ${PROJECT_BINARY_DIR}/${file}.map)
  endforeach()
  # The binary holds them, and puts them where a program is started (runner/program): nothing needs to be installed beside.
  set(objects)
  foreach(pair IN ITEMS gpulab_cudart:cuda_runtime_library gpulab_libcuda:cuda_driver_library gpulab_nvrtc:nvrtc_library gpulab_nvjitlink:nvjitlink_library)
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
