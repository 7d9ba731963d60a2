# Machine code of the labs' kernels as a part of gpulab (common/simt/compiled/ahead): made by LLVM where the machine that builds has it, for
# levels of the CPU that have bitcode of the rows and run here. Without it gpulab makes such code itself when a kernel runs for long.

set(GPULAB_LAB_CODE newest CACHE STRING
  "machine code of the labs' kernels as part of gpulab: for the newest x86-64 level that runs here, for all that do, or none (OFF)")
set(lab_code_levels ${isa_levels})
gpulab_native_isa_level(level_here)
foreach(level IN LISTS isa_levels)
  if(NOT level MATCHES "^v[34]$" OR level STRGREATER level_here)
    list(REMOVE_ITEM lab_code_levels ${level})
  endif()
endforeach()
if(NOT GPULAB_LAB_CODE STREQUAL "all" AND lab_code_levels)
  list(GET lab_code_levels -1 lab_code_levels)
endif()
set(llvm_here)
foreach(version RANGE 15 19)  # as library.cpp looks for it
  foreach(file /usr/lib/x86_64-linux-gnu/libLLVM-${version}.so.1 /usr/lib/x86_64-linux-gnu/libLLVM.so.${version}.1 /usr/lib/llvm-${version}/lib/libLLVM.so.1)
    if(NOT llvm_here AND EXISTS ${file})
      set(llvm_here ${file})
    endif()
  endforeach()
endforeach()
if(NOT GPULAB_LAB_CODE OR NOT llvm_here OR NOT lab_code_levels OR NOT row_bitcode_files OR CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR CMAKE_CROSSCOMPILING)
  message(STATUS "Machine code of the labs' kernels: none (it takes LLVM 15 to 19, clang and an x86-64-v3 CPU here, and GPULAB_LAB_CODE)")
  return()
endif()
message(STATUS "Machine code of the labs' kernels: ${lab_code_levels}, by ${llvm_here}")

add_executable(gpulab_code_maker EXCLUDE_FROM_ALL runner/main.cpp scripts/cmake/lab_code.cpp)
gpulab_compile_quickly(gpulab_code_maker LIKE gpulab_glue)
target_link_libraries(gpulab_code_maker PRIVATE gpulab_runner)
set(lab_code ${PROJECT_BINARY_DIR}/lab_code)
add_custom_command(
  OUTPUT ${lab_code}/lab_code.o ${lab_code}/lab_code.cpp
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/cmake/lab_code.py $<TARGET_FILE:gpulab_code_maker> ${lab_code} ${CMAKE_LINKER}
          --levels ${lab_code_levels} --made-of ${llvm_here} ${row_bitcode_files} ${PROJECT_SOURCE_DIR}/common/simt/compiled/llvm/passes.cpp
          ${PROJECT_SOURCE_DIR}/common/simt/compiled/ahead/keeper.cpp
  DEPENDS gpulab_code_maker ${PROJECT_SOURCE_DIR}/scripts/cmake/lab_code.py
  COMMENT "machine code of the labs' kernels" VERBATIM)
target_sources(gpulab PRIVATE ${lab_code}/lab_code.cpp ${lab_code}/lab_code.o)
set_source_files_properties(${lab_code}/lab_code.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
