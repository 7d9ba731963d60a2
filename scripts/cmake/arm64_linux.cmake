# Toolchain: Linux on arm64 by Debian's cross compiler (g++-aarch64-linux-gnu). Its C and C++ libraries come with the compiler; the
# others (fmt, libpng, nettle, headers) are Debian's arm64 packages unpacked into the folder GPULAB_ARM64_LIBRARIES, which
# scripts/arm64_test.sh makes. Programs of the build run under qemu-aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(GPULAB_ARM64_LIBRARIES "$ENV{GPULAB_ARM64_LIBRARIES}" CACHE PATH "arm64 packages, unpacked")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPULAB_ARM64_LIBRARIES)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${GPULAB_ARM64_LIBRARIES} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(libraries ${GPULAB_ARM64_LIBRARIES}/usr/lib/aarch64-linux-gnu)
set(old_libraries ${GPULAB_ARM64_LIBRARIES}/lib/aarch64-linux-gnu)  # zlib's place in Debian 12
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}:${old_libraries}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}:${old_libraries}")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${libraries}:${old_libraries})
