// Integer arithmetic (PTX ISA: Integer Arithmetic Instructions).

#include "common/simt/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;

const Row rows[] = {
    {"add(.s32,.u32) d, a, b", Unit::alu, lane<[](u32 a, u32 b) { return a + b; }>()},
    {"add(.s64,.u64) d, a, b", Unit::alu, lane<[](u64 a, u64 b) { return a + b; }>()},
    {"sub(.s32,.u32) d, a, b", Unit::alu, lane<[](u32 a, u32 b) { return a - b; }>()},
    {"setp.lt.s32 p, a, b", Unit::alu, compare<[](s32 a, s32 b) { return a < b; }>()},
    {"setp.lt{.and,.or,.xor}.u32 p{|q}, a, b{, c}", Unit::alu, compare<[](u32 a, u32 b) { return a < b; }>()},
    {"selp(.b32,.u32,.s32) d, a, b, c", Unit::alu, lane<[](u32 a, u32 b, bool c) { return c ? a : b; }>()},
    {"mad.lo(.s32,.u32) d, a, b, c", Unit::alu, lane<[](u32 a, u32 b, u32 c) { return a * b + c; }>()},
    {"mul.wide.s32 d, a, b", Unit::alu, lane<[](s32 a, s32 b) { return static_cast<std::int64_t>(a) * b; }>()},
};

}  // namespace

std::span<const Row> integer_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
