# `cmake --install`, and the Debian package of the same files (`cpack -G DEB`; scripts/package.sh calls both). Nothing in the binary
# names a folder, so the installed tree can be moved. Manual page and completions are what the binary itself says.

include(GNUInstallDirs)
# Debian's zsh looks for its packages' completions elsewhere: share/zsh/vendor-completions.
set(GPULAB_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "where zsh looks for completions, below the prefix")
set(GPULAB_FISH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d CACHE STRING "the same for fish")

install(TARGETS gpulab RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
file(CREATE_LINK gpulab ${PROJECT_BINARY_DIR}/gpulab-nvcc SYMBOLIC)  # `gpulab nvcc` by the name of a compiler
install(FILES ${PROJECT_BINARY_DIR}/gpulab-nvcc DESTINATION ${CMAKE_INSTALL_BINDIR})

install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/gpulab USE_SOURCE_PERMISSIONS)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The lecture pages with the kernels that they cite, and the pages that README.md cites, in their places.
install(DIRECTORY labs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "kernels*.cu")
install(FILES tests/fidelity/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests/fidelity)
install(FILES tests/timing/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests/timing)
file(RELATIVE_PATH configs_from_docs /${CMAKE_INSTALL_DOCDIR} /${CMAKE_INSTALL_DATADIR}/gpulab/configs)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/docs)
file(CREATE_LINK ${configs_from_docs} ${PROJECT_BINARY_DIR}/docs/configs SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/docs/configs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What the program says of itself, as files; of a program for another machine through its emulator.
set(writes "${CMAKE_CROSSCOMPILING_EMULATOR}")
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  function(write_what_it_says path)
    get_filename_component(folder \${prefix}/\${path} DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND ${writes} $<TARGET_FILE:gpulab> \${ARGN} OUTPUT_FILE \${prefix}/\${path} COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${prefix}/\${path}\")
  endfunction()
  write_what_it_says(${CMAKE_INSTALL_DATADIR}/bash-completion/completions/gpulab completion bash)
  write_what_it_says(${GPULAB_ZSH_COMPLETIONS}/_gpulab completion zsh)
  write_what_it_says(${GPULAB_FISH_COMPLETIONS}/gpulab.fish completion fish)
  write_what_it_says(${CMAKE_INSTALL_MANDIR}/man1/gpulab.1 help --man)
  file(REMOVE \${prefix}/${CMAKE_INSTALL_MANDIR}/man1/gpulab.1.gz)
  execute_process(COMMAND gzip -9n \${prefix}/${CMAKE_INSTALL_MANDIR}/man1/gpulab.1 COMMAND_ERROR_IS_FATAL ANY)
")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpulab)
set(CPACK_PACKAGE_VENDOR gpulab)
set(CPACK_PACKAGE_CONTACT "the gpulab authors <gpulab@localhost.localdomain>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "teaching lab for GPU programming, with a SIMT simulator")
set(CPACK_PACKAGE_DESCRIPTION
"CUDA kernels from the lectures, run on an NVIDIA GPU or on a simulator that
needs none, verified against the CPU, and explained by exact counters. The
labs' kernels are inside: no compiler is needed to run them. With a CUDA
compiler it runs and judges kernels and whole programs of your own.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # the build has done it, and another strip would keep nothing for a debugger either
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, g++")
include(CPack)
