#!/bin/sh
# usage: join_level.sh LD NM OBJCOPY OUTPUT OBJECT...
#
# Joins the objects of one x86-64 level and makes their weak functions (inline functions and templates, those of the
# standard library included) local. Otherwise the linker keeps one copy for the whole program, and that may be the one
# with AVX-512, which an older CPU then meets in the middle of std::vector.
set -eu
ld=$1 nm=$2 objcopy=$3 output=$4
shift 4
trap 'rm -f "$output.joined" "$output.weak"' EXIT
"$ld" -r --force-group-allocation -o "$output.joined" "$@"
"$nm" --defined-only "$output.joined" | awk '$2 == "W" { print $3 }' > "$output.weak"
"$objcopy" --localize-symbols="$output.weak" "$output.joined" "$output"
