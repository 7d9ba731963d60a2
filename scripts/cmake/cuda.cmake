# The CUDA Toolkit as programs, headers and libraries: nvcc and ptxas run as ordinary build steps, so that CMake's own
# CUDA language (which wants a linkable, complete toolkit) is not needed, and NVIDIA's Python wheels do as well.
#
# Sets GPULAB_NVCC, GPULAB_PTXAS, GPULAB_PTXAS_BUILD ("13.0.88"), GPULAB_CUDA_INCLUDE_DIRS, GPULAB_CUDA_LIBRARY_DIR, GPULAB_TOOLKIT_VERSION ("13.0"),
# GPULAB_CUDA_ARCHITECTURES (of ptxas: 75;80;86;…) and GPULAB_LOWEST_ARCHITECTURE (of nvcc: 75).

set(GPULAB_NVCC "$ENV{GPULAB_NVCC}" CACHE FILEPATH "the CUDA compiler; empty: searched")
if(NOT GPULAB_NVCC)
  find_program(found_nvcc nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin PATHS /usr/local/cuda/bin ${PROJECT_SOURCE_DIR}/.cuda
               NO_CACHE)
  if(found_nvcc)
    set_property(CACHE GPULAB_NVCC PROPERTY VALUE "${found_nvcc}")
  endif()
endif()
if(NOT EXISTS "${GPULAB_NVCC}")
  message(FATAL_ERROR "nvcc not found (searched GPULAB_NVCC, PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda, .cuda).\n"
                      "hint: scripts/gpulab installs a CUDA compiler where there is none; "
                      "or configure with -DGPULAB_NVCC=/path/to/nvcc")
endif()

# `nvcc --version`: "Cuda compilation tools, release 13.0, V13.0.88".
execute_process(COMMAND ${GPULAB_NVCC} --version OUTPUT_VARIABLE nvcc_version RESULT_VARIABLE nvcc_failed)
if(nvcc_failed OR NOT nvcc_version MATCHES "release ([0-9]+\\.[0-9]+), V([0-9.]+)")
  message(FATAL_ERROR "'${GPULAB_NVCC} --version' does not look like a CUDA compiler: ${nvcc_version}")
endif()
set(GPULAB_TOOLKIT_VERSION ${CMAKE_MATCH_1})
set(GPULAB_NVCC_BUILD ${CMAKE_MATCH_2})
if(GPULAB_TOOLKIT_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "CUDA Toolkit ${GPULAB_TOOLKIT_VERSION} (${GPULAB_NVCC}) is too old: 12.x or 13.x is needed")
endif()

file(REAL_PATH ${GPULAB_NVCC} real_nvcc)
get_filename_component(cuda_bin ${real_nvcc} DIRECTORY)
get_filename_component(cuda_root ${cuda_bin} DIRECTORY)
set(cuda_target x86_64-linux)  # the toolkit's name of this machine
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(cuda_target sbsa-linux)
endif()
# CUDA 12's wheels have a folder for each component, behind scripts/nvrtc.py in the role of nvcc.
file(GLOB wheels ${cuda_root}/lib/python3*/site-packages/nvidia)
find_program(GPULAB_PTXAS ptxas PATHS ${cuda_bin} ${wheels}/cuda_nvcc/bin NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
find_path(cuda_include cuda_occupancy.h PATHS ${cuda_root}/include ${cuda_root}/targets/${cuda_target}/include
          ${wheels}/cuda_runtime/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
find_path(crt_include crt/host_defines.h PATHS ${cuda_include} ${wheels}/cuda_nvcc/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
foreach(part GPULAB_PTXAS cuda_include crt_include)
  if(NOT ${part})
    message(FATAL_ERROR "the CUDA Toolkit of ${GPULAB_NVCC} is incomplete: ptxas, cuda_occupancy.h or "
                        "crt/host_defines.h is missing\n"
                        "hint: install the whole toolkit, or set GPULAB_NVCC to another one's nvcc")
  endif()
endforeach()
execute_process(COMMAND ${GPULAB_PTXAS} --version OUTPUT_VARIABLE ptxas_version)
string(REGEX MATCH "V([0-9.]+)" ptxas_version "${ptxas_version}")
set(GPULAB_PTXAS_BUILD ${CMAKE_MATCH_1})
set(GPULAB_CUDA_INCLUDE_DIRS ${cuda_include} ${crt_include})
list(REMOVE_DUPLICATES GPULAB_CUDA_INCLUDE_DIRS)
find_path(GPULAB_CUDA_LIBRARY_DIR libcudart_static.a PATHS ${cuda_root}/lib64 ${cuda_root}/lib
          ${cuda_root}/targets/${cuda_target}/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)

# What kernels that launch kernels are linked with when they are loaded; without it, those run on the simulator alone.
find_file(GPULAB_DEVICE_RUNTIME libcudadevrt.a PATHS ${GPULAB_CUDA_LIBRARY_DIR} ${cuda_root}/lib64 ${cuda_root}/lib
          ${cuda_root}/targets/${cuda_target}/lib ${wheels}/cuda_runtime/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
if(NOT GPULAB_DEVICE_RUNTIME)
  message(STATUS "no libcudadevrt.a: dynamic parallelism runs on the simulator alone")
endif()

execute_process(COMMAND ${GPULAB_NVCC} --list-gpu-code OUTPUT_VARIABLE gpu_code)
string(REGEX MATCHALL "sm_[0-9]+" gpu_code "${gpu_code}")
string(REPLACE "sm_" "" GPULAB_CUDA_ARCHITECTURES "${gpu_code}")
execute_process(COMMAND ${GPULAB_NVCC} --list-gpu-arch OUTPUT_VARIABLE gpu_arch)
string(REGEX MATCH "compute_([0-9]+)" gpu_arch "${gpu_arch}")  # listed in ascending order
set(GPULAB_LOWEST_ARCHITECTURE ${CMAKE_MATCH_1})
execute_process(COMMAND ${GPULAB_NVCC} --help OUTPUT_VARIABLE nvcc_help)
string(FIND "${nvcc_help}" "-frandom-seed" seed_position)
if(seed_position GREATER -1)
  set(GPULAB_NVCC_HAS_SEED ON)
endif()
message(STATUS "CUDA Toolkit ${GPULAB_TOOLKIT_VERSION}: ${GPULAB_NVCC}")
