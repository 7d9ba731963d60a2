# labs/*/kernels*.cu -> PTX with line information (nvcc), and one generated file that holds PTX, ptxas' resource tables
# (scripts/ptxas_tables.py), source text, configs/ and what pages are made of (common/embedded.h): gpulab_embed, target gpulab_embedded.
#
#   kernels.cu            the lowest virtual architecture that the toolkit supports (compute_75 with CUDA 13)
#   kernels_smNN[a].cu    compute_NN[a]; of an 'a' (architecture-specific) one, a cubin too
#   kernels_rdc.cu        and kernels_smNN_rdc.cu: kernels that launch kernels (-rdc=true), linked when they are loaded
#   kernels_debug.cu      and kernels_smNN_debug.cu: unoptimised code with debug information (-G), which ptxas and the
#                         driver leave unoptimised, too: its PTX says `.target …, debug`
#
# The same tree and toolkit give the same PTX on every machine: see portable_ptx.py.

include(${CMAKE_CURRENT_LIST_DIR}/cuda.cmake)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

file(GLOB_RECURSE config_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/configs/*.json)
# Styles and scripts of HTML pages (runner/report/html), a header that programs get (runner/program/old_cuda), and the assignment that
# `gpulab assignment new program` writes.
file(GLOB_RECURSE page_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runner/*.css
     ${PROJECT_SOURCE_DIR}/runner/*.js ${PROJECT_SOURCE_DIR}/runner/*.cuh
     ${PROJECT_SOURCE_DIR}/configs/assignments/program/*)

# Architectures of the GPU profiles that this toolkit knows: "9.0" -> 90.
set(profile_architectures)
foreach(config IN LISTS config_files)
  if(config MATCHES "^configs/gpus/")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${config})
    file(READ ${PROJECT_SOURCE_DIR}/${config} json)
    string(JSON capability ERROR_VARIABLE json_error GET "${json}" compute_capability)
    if(json_error OR NOT capability MATCHES "^([0-9]+)\\.([0-9])$")
      message(FATAL_ERROR "${config}: \"compute_capability\" must be a string such as \"9.0\" (${json_error})")
    endif()
    list(APPEND profile_architectures ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  endif()
endforeach()
list(REMOVE_DUPLICATES profile_architectures)
list(SORT profile_architectures COMPARE NATURAL)

# Appends to `embed_inputs` and `embed_manifest` what one kernel file, ${root}/${source}, gives in ${embed_dir}: made once, named as often
# as is asked.
function(gpulab_add_kernels root embed_dir source)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(lab ${folder} NAME)
  get_filename_component(stem ${source} NAME_WE)
  set(suffix "")
  set(relocatable)
  set(compile_only)
  set(compiler ${GPULAB_NVCC})
  set(debug_information -lineinfo)
  string(REGEX REPLACE "_debug$" "" release_stem ${stem})
  if(NOT release_stem STREQUAL stem)
    # Debuggers are told where the compiler ran: what $PWD says, if that is the place. This name is, on every machine.
    set(compiler ${CMAKE_COMMAND} -E env PWD=/proc/self/cwd ${GPULAB_NVCC})
    set(debug_information -G)
  endif()
  string(REGEX REPLACE "_rdc$" "" plain_stem ${release_stem})
  if(NOT plain_stem STREQUAL release_stem)
    set(relocatable -rdc=true)
    set(compile_only -c)  # ptxas: its calls are resolved by the linker
  endif()
  if(plain_stem STREQUAL "kernels")
    set(capability ${GPULAB_LOWEST_ARCHITECTURE})
  elseif(plain_stem MATCHES "^kernels_sm([0-9]+)(a?)$")
    set(capability ${CMAKE_MATCH_1})
    set(suffix ${CMAKE_MATCH_2})
    if(NOT capability IN_LIST GPULAB_CUDA_ARCHITECTURES)
      message(STATUS "${source}: CUDA ${GPULAB_TOOLKIT_VERSION} has no sm_${capability}, left out")
      return()
    endif()
  else()
    message(FATAL_ERROR "${source}: kernel files are named kernels.cu or kernels_smNN.cu (kernels_sm80.cu), "
                        "with _rdc behind it where they launch kernels (kernels_rdc.cu), and _debug for nvcc -G")
  endif()

  set(random_seed)
  if(GPULAB_NVCC_HAS_SEED)  # or names of internal linkage carry the compiler's process id
    set(random_seed -frandom-seed ${source})
  endif()
  set(base ${embed_dir}/${lab}/${stem})
  get_property(is_made GLOBAL PROPERTY ${base}.ptx)
  set_property(GLOBAL PROPERTY ${base}.ptx ON)
  file(MAKE_DIRECTORY ${embed_dir}/${lab})
  if(NOT is_made)
    add_custom_command(
      OUTPUT ${base}.ptx
      COMMAND ${compiler} -ptx ${relocatable} -std=c++17 ${debug_information} -arch=compute_${capability}${suffix} -Wno-deprecated-gpu-targets
              ${random_seed} -o ${base}.raw.ptx ${source}
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/portable_ptx.py ${base}.raw.ptx ${base}.ptx
              ${source} ${base}.d ${root} ${GPULAB_CUDA_INCLUDE_DIRS}
      DEPENDS ${root}/${source} ${PROJECT_SOURCE_DIR}/scripts/portable_ptx.py ${GPULAB_NVCC}
      DEPFILE ${base}.d
      WORKING_DIRECTORY ${root}
      COMMENT "nvcc -ptx ${source}"
      VERBATIM)
  endif()

  set(architectures)
  foreach(architecture IN LISTS profile_architectures)
    if(suffix)
      if(architecture EQUAL capability)
        list(APPEND architectures ${architecture})
      endif()
    elseif(architecture IN_LIST GPULAB_CUDA_ARCHITECTURES AND NOT architecture LESS capability)
      list(APPEND architectures ${architecture})
    endif()
  endforeach()
  if(suffix)
    set(architectures ${capability})
  endif()

  set(inputs ${base}.ptx ${root}/${source})
  set(cubin)
  if(suffix)  # machine code for this architecture alone: its PTX is not for newer ones
    set(cubin ${base}.sm_${capability}${suffix}.cubin)
    if(NOT is_made)
      add_custom_command(
        OUTPUT ${cubin}
        COMMAND ${GPULAB_PTXAS} -arch=sm_${capability}${suffix} -o ${cubin} ${base}.ptx
        DEPENDS ${base}.ptx
        COMMENT "ptxas -arch=sm_${capability}${suffix} ${lab}/${stem}.ptx")
    endif()
    list(APPEND inputs ${cubin})
  endif()
  # kernels_debug.cu includes kernels.cu: that is where its kernels stand.
  set(text ${root}/${folder}/${release_stem}.cu)
  list(TRANSFORM architectures APPEND "${suffix}")
  list(JOIN architectures "," architectures)
  set(line "kernels|${lab}|${stem}.cu|${capability}|${base}.ptx|${text}|${cubin}|${compile_only}|${architectures}")
  set(embed_inputs ${embed_inputs} ${inputs} PARENT_SCOPE)
  set(embed_manifest "${embed_manifest}${line}\n" PARENT_SCOPE)
endfunction()

# gpulab_embed(ROOT EMBED_DIR [PTX_IN FOLDER LABS LAB...]): the kernels, lecture pages and contracts' solutions of ${root}/labs/*/, this tree's configs/, styles
# and scripts as ${embed_dir}/embedded.cpp. LABS: of these alone, their PTX being shared with the call of that folder.
function(gpulab_embed root embed_dir)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PTX_IN" "LABS")
  file(MAKE_DIRECTORY ${embed_dir})
  file(GLOB kernel_files CONFIGURE_DEPENDS RELATIVE ${root} ${root}/labs/*/kernels*.cu)
  file(GLOB lectures CONFIGURE_DEPENDS RELATIVE ${root} ${root}/labs/*/README.md ${root}/labs/*/NOTES.md
       ${root}/labs/*/solutions/*.cu)
  file(GLOB embed_inputs CONFIGURE_DEPENDS ${root}/labs/*/ptxas.tsv)
  set(ptx_dir ${embed_dir})
  if(arg_PTX_IN)
    set(ptx_dir ${arg_PTX_IN})
    list(JOIN arg_LABS "|" labs)
    list(FILTER kernel_files INCLUDE REGEX "^labs/(${labs})/")
    list(FILTER lectures INCLUDE REGEX "^labs/(${labs})/")
  endif()
  set(embed_manifest)
  foreach(source IN LISTS kernel_files)
    gpulab_add_kernels(${root} ${ptx_dir} ${source})
  endforeach()
  foreach(config IN LISTS config_files)
    list(APPEND embed_inputs ${PROJECT_SOURCE_DIR}/${config})
    string(APPEND embed_manifest "config|${config}|${PROJECT_SOURCE_DIR}/${config}\n")
  endforeach()
  foreach(page IN LISTS page_files)
    list(APPEND embed_inputs ${PROJECT_SOURCE_DIR}/${page})
    string(APPEND embed_manifest "page|${page}|${PROJECT_SOURCE_DIR}/${page}\n")
  endforeach()
  foreach(page IN LISTS lectures)
    list(APPEND embed_inputs ${root}/${page})
    string(APPEND embed_manifest "page|${page}|${root}/${page}\n")
  endforeach()
  if(GPULAB_DEVICE_RUNTIME)
    list(APPEND embed_inputs ${GPULAB_DEVICE_RUNTIME})
    string(APPEND embed_manifest "library|${GPULAB_DEVICE_RUNTIME}\n")
  endif()
  string(PREPEND embed_manifest "toolkit|${GPULAB_TOOLKIT_VERSION}|${GPULAB_NVCC}\n"
                                "ptxas|${GPULAB_PTXAS}|${GPULAB_PTXAS_BUILD}|${root}\n")
  file(CONFIGURE OUTPUT ${embed_dir}/manifest.txt CONTENT "${embed_manifest}" @ONLY)  # written only when it changed
  add_custom_command(
    OUTPUT ${embed_dir}/embedded.cpp
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/embed.py ${embed_dir}/manifest.txt ${embed_dir}
    DEPENDS ${embed_dir}/manifest.txt ${PROJECT_SOURCE_DIR}/scripts/embed.py
            ${PROJECT_SOURCE_DIR}/scripts/ptxas_tables.py ${embed_inputs}
    COMMENT "embedding kernels and configurations"
    VERBATIM)
endfunction()

gpulab_embed(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/embedded)
add_library(gpulab_embedded STATIC ${PROJECT_BINARY_DIR}/embedded/embedded.cpp)
target_include_directories(gpulab_embedded PRIVATE ${PROJECT_SOURCE_DIR})
