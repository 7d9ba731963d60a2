# What a program for arm64 is linked with here: Debian's arm64 packages, unpacked in a folder. Sourced by bash after setup.sh, with
# `build` set. arm64_libraries MIRROR: sets GPULAB_ARM64_LIBRARIES, which scripts/cmake/arm64_linux.cmake reads; ends with 1, and says
# why in `why_not`, where they are not to be had.

# Without a word to this machine's own apt: lists, architecture and packages are a folder's.
arm64_libraries() {
  export GPULAB_ARM64_LIBRARIES=$build/libraries
  [ ! -e "$GPULAB_ARM64_LIBRARIES/complete" ] || return 0
  mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial" "$GPULAB_ARM64_LIBRARIES"
  : > "$build/apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $1 bookworm main" > "$build/apt/sources.list"
  local package apt=(apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$build/apt"
    -o Dir::State::status="$build/apt/status" -o Dir::State::lists="$build/apt/lists" -o Dir::Cache="$build/apt/cache"
    -o Dir::Etc::sourcelist="$build/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root)
  "${apt[@]}" update >> "$build/apt/log" 2>&1 || { why_not="no answer from $1"; return 1; }
  (cd "$build/apt" && "${apt[@]}" download libfmt9 libfmt-dev libpng16-16 libpng-dev zlib1g zlib1g-dev libnettle8 nettle-dev catch2 \
    nlohmann-json3-dev libcli11-dev >> log 2>&1) || { why_not="Debian's arm64 packages are not to be had; $build/apt/log says why"; return 1; }
  for package in "$build"/apt/*.deb; do dpkg-deb -x "$package" "$GPULAB_ARM64_LIBRARIES"; done
  touch "$GPULAB_ARM64_LIBRARIES/complete"
}
