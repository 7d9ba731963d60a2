#!/usr/bin/env bash
# What a release consists of, in one folder, and nothing published: who releases looks at it and uploads it.
#
# usage: scripts/release.sh VERSION [--packages FOLDER] [--arm64] [--dirty] [FOLDER]     FOLDER gets it [build-package/release-VERSION]
#   --packages FOLDER   packages that scripts/package.sh has built of this commit already; else they are built
#   --arm64             the wheel for arm64, too, cross-compiled: needs g++-aarch64-linux-gnu and qemu-user
#   --dirty             of a tree with changes that are in no commit; for trying this script
# Made are: wheels for pip (manylinux), a Debian package, an archive of the program with its pages (no compiler: CUDA's is not ours to
# give away; scripts/bundle.sh puts it into an image of your own), a Containerfile that installs the package, templates for GitHub and
# GitLab and devcontainer.json as configs/release has them, an SBOM (SPDX 2.3), and SHA256SUMS of all. Same commit, same bytes, but for
# what compilers do differently. Prints the files' paths.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
export GPULAB_BUILD_DIR=${GPULAB_BUILD_DIR:-$root/build-package}
. "$root/scripts/setup.sh"

version='' packages='' folder='' arm64='' dirty=''
while [ $# -gt 0 ]; do
  case $1 in
    --packages) packages=$(readlink -f "${2-}") && shift ;;
    --arm64) arm64=yes ;;
    --dirty) dirty=yes ;;
    -*) fail 2 "release.sh: there is no option '$1'" "--packages FOLDER, --arm64, --dirty" ;;
    *) if [ -z "$version" ]; then version=$1; else folder=$1; fi ;;
  esac
  shift
done
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 2 "which version is to be released?" "as in: scripts/release.sh 0.1.0"
known=$(sed -n 's/^project(gpulab VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
[ "$known" = "$version" ] || fail 2 "this tree is version $known, not $version" "change it in CMakeLists.txt: project(gpulab VERSION …)"
grep -q "^## $version\b" "$root/CHANGELOG.md" || fail 2 "CHANGELOG.md has no section '## $version'" "say there what is new"
[ -n "$dirty" ] || [ -z "$(git -C "$root" status --porcelain)" ] ||
  fail 2 "the tree has changes that are in no commit" "commit them; --dirty tries this script all the same"
[ -z "$packages" ] || [ -d "$packages" ] || fail 2 "--packages: there is no such folder" "scripts/package.sh all FOLDER makes it"
folder=${folder:-$GPULAB_BUILD_DIR/release-$version}
[ -z "$(ls -A "$folder" 2> /dev/null)" ] || fail 2 "$folder is not empty" "name a new folder: a release is made in one go"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

if [ -z "$packages" ]; then
  packages=$folder
  "$root/scripts/package.sh" all "$folder" > /dev/null
else
  cp "$packages"/gpulab_"$version"*.deb "$packages"/gpulab-"$version"-*.whl "$folder" 2> /dev/null ||
    fail 2 "$packages has no packages of version $version" "scripts/package.sh all FOLDER makes them"
fi
[ -z "$arm64" ] || GPULAB_BUILD_DIR=$root/build-package-arm64 "$root/scripts/package.sh" --arm64 wheel "$folder" > /dev/null

# Archives whose bytes follow from their files: by name, of nobody, of the commit's time. archive NAME FOLDER [FILE…]
archive() {
  tar -C "$2" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --transform "s,^\.,$1," -cf - "${@:3}" |
    gzip -9n > "$folder/$1.tar.gz"
}
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
deb=$(ls "$folder"/gpulab_"$version"*.deb)
dpkg-deb -x "$deb" "$unpacked/deb"
archive "gpulab-$version-linux-$(uname -m)" "$unpacked/deb/usr" .
mkdir "$unpacked/image"
cp "$root/configs/release/Containerfile" "$deb" "$unpacked/image"
archive "gpulab-$version-image" "$unpacked/image" .
# Which C library the wheel asks for is in its name, and follows from what it was built with.
wheel=$(cd "$folder" && ls gpulab-"$version"-*_x86_64.whl)
for file in action.yml gitlab.yml devcontainer.json; do
  sed "s/@VERSION@/$version/g; s/@WHEEL@/$wheel/g" "$root/configs/release/$file" > "$folder/$file"
done
python3 "$root/scripts/sbom.py" "$version" "$folder" > "$folder/gpulab-$version.spdx.json"
(cd "$folder" && sha256sum -- * > "$unpacked/sums" && cp "$unpacked/sums" SHA256SUMS)
ls -d "$folder"/*
