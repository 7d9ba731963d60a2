// Random operands, edge values among them: instructions against plain C++ on wider types, on every x86-64 level. The
// rounding modes are those of the host's scalar arithmetic, set through <cfenv>.

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/instructions/instruction_case.h"
#include "tests/instructions/lane_machine.h"

using namespace gpulab::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using s128 = __int128;
using u128 = unsigned __int128;

using Bits = std::array<u64, 4>;
/// An instruction and what its result's bits must be.
struct Reference {
  std::string opcode;
  std::function<u64(const Bits&)> result;
};

float f32(u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); }
double f64(u64 bits) { return std::bit_cast<double>(bits); }
u64 bits_of(float x) { return std::isnan(x) ? 0x7fffffffu : std::bit_cast<u32>(x); }
u64 bits_of(double x) { return std::isnan(x) ? 0x7ff8000000000000u : std::bit_cast<u64>(x); }
s32 i32(u64 bits) { return static_cast<s32>(bits); }
s64 i64(u64 bits) { return static_cast<s64>(bits); }

/// Bits at random, small numbers, and the values that go wrong.
u64 random_bits(std::mt19937_64& random, Kind kind) {
  static const u64 edges32[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000,
                                0x7fc00000, 0x00800000, 0x007fffff, 0x00000001, 0x4f000000, 0xcf000000, 0x4f800000,
                                0x3f800000, 0x3effffff, 0xbf000000, 0x4b000001, 0x7f7fffff};
  static const u64 edges64[] = {0,
                                1,
                                0x7fffffffffffffff,
                                0x8000000000000000,
                                ~u64{0},
                                0x7ff0000000000000,
                                0x7ff8000000000000,
                                0x0010000000000000,
                                0x000fffffffffffff,
                                0x41dfffffffc00000,
                                0x41efffffffe00000,
                                0x43e0000000000000,
                                0xc3e0000000000000,
                                0x3ff0000000000000,
                                0x3fdfffffffffffff,
                                0x47efffffffffffff};
  const u64 any = random();
  switch (random() % 8) {
    case 0:
      return (width_of(kind) == 64 ? edges64[any % std::size(edges64)] : edges32[any % std::size(edges32)]) &
             width_mask(kind);
    case 1:
      return any % 64;
    case 2:  // a float of moderate size
      if (kind == Kind::f32) return bits_of(static_cast<float>(std::ldexp(static_cast<double>(any >> 11), -50)));
      if (kind == Kind::f64) return bits_of(std::ldexp(static_cast<double>(any >> 11), -45));
      return any & width_mask(kind);
    case 3:  // numbers with few bits: exact sums, ties
      if (kind == Kind::f32) return bits_of(static_cast<float>(static_cast<s64>(any % 65536) - 32768) / 2);
      if (kind == Kind::f64) return bits_of(static_cast<double>(static_cast<s64>(any % 65536) - 32768) / 2);
      return (u64{0} - any % 64) & width_mask(kind);
    default:
      return any & width_mask(kind);
  }
}

template <typename F>
auto rounded(int mode, F f) {
  std::fesetround(mode);
  volatile auto result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

struct Mode {
  const char* name;
  int host;
};
constexpr Mode modes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <typename T>
T value_from(u64 bits) {
  if constexpr (std::is_same_v<T, float>)
    return f32(bits);
  else if constexpr (std::is_same_v<T, double>)
    return f64(bits);
  else
    return static_cast<T>(bits);
}

/// An arithmetic instruction in all rounding modes. volatile keeps the compiler from computing under another one.
template <typename T, typename F>
void add_rounded(std::vector<Reference>& list, const std::string& name, const std::string& type, F f) {
  for (const auto& mode : modes)
    list.push_back({fmt::format("{}.{}.{}", name, mode.name, type), [=](const Bits& in) {
                      volatile T a = value_from<T>(in[0]), b = value_from<T>(in[1]), c = value_from<T>(in[2]);
                      return bits_of(static_cast<T>(rounded(mode.host, [&] { return static_cast<T>(f(a, b, c)); })));
                    }});
}

template <typename T>
std::vector<Reference> floating_point(const std::string& type) {
  std::vector<Reference> list;
  add_rounded<T>(list, "add", type, [](T a, T b, T) { return a + b; });
  add_rounded<T>(list, "sub", type, [](T a, T b, T) { return a - b; });
  add_rounded<T>(list, "mul", type, [](T a, T b, T) { return a * b; });
  add_rounded<T>(list, "fma", type, [](T a, T b, T c) { return std::fma(a, b, c); });
  add_rounded<T>(list, "div", type, [](T a, T b, T) { return a / b; });
  add_rounded<T>(list, "rcp", type, [](T a, T, T) { return 1 / a; });
  add_rounded<T>(list, "sqrt", type, [](T a, T, T) { return std::sqrt(a); });
  return list;
}

/// Integer to floating point.
template <typename T, typename S>
void add_to_float(std::vector<Reference>& list, const std::string& types) {
  for (const auto& mode : modes)
    list.push_back({fmt::format("cvt.{}.{}", mode.name, types), [=](const Bits& in) {
                      volatile S a = static_cast<S>(in[0]);
                      return bits_of(static_cast<T>(rounded(mode.host, [&] { return static_cast<T>(a); })));
                    }});
}

/// Floating point to integer: long double holds every integer of 64 bits; clamped.
template <typename D, typename S>
void add_to_integer(std::vector<Reference>& list, const std::string& types) {
  using Function = S (*)(S);
  struct ToIntegral {
    const char* name;
    Function function;
  };
  for (const auto& to :
       {ToIntegral{"rni", std::nearbyint}, {"rzi", std::trunc}, {"rmi", std::floor}, {"rpi", std::ceil}})
    list.push_back({fmt::format("cvt.{}.{}", to.name, types), [function = to.function](const Bits& in) -> u64 {
                      const S x = function(value_from<S>(in[0]));
                      if (std::isnan(x))
                        return std::is_same_v<S, double> || sizeof(D) == 8 ? u64{1} << (8 * sizeof(D) - 1) : 0;
                      using Limits = std::numeric_limits<D>;
                      if (static_cast<long double>(x) <= static_cast<long double>(Limits::min()))
                        return static_cast<std::make_unsigned_t<D>>(Limits::min());
                      if (static_cast<long double>(x) >= static_cast<long double>(Limits::max())) return Limits::max();
                      return static_cast<std::make_unsigned_t<D>>(static_cast<D>(x));
                    }});
}

std::vector<Reference> conversions() {
  std::vector<Reference> list;
  add_to_float<float, s32>(list, "f32.s32");
  add_to_float<float, u32>(list, "f32.u32");
  add_to_float<float, s64>(list, "f32.s64");
  add_to_float<float, u64>(list, "f32.u64");
  add_to_float<double, s32>(list, "f64.s32");
  add_to_float<double, u32>(list, "f64.u32");
  add_to_float<double, s64>(list, "f64.s64");
  add_to_float<double, u64>(list, "f64.u64");
  add_to_integer<s32, float>(list, "s32.f32");
  add_to_integer<u32, float>(list, "u32.f32");
  add_to_integer<s64, float>(list, "s64.f32");
  add_to_integer<u64, float>(list, "u64.f32");
  add_to_integer<s32, double>(list, "s32.f64");
  add_to_integer<u32, double>(list, "u32.f64");
  add_to_integer<s64, double>(list, "s64.f64");
  add_to_integer<u64, double>(list, "u64.f64");
  for (const auto& mode : modes)  // NaNs: the host, too, keeps their sign and the top of their payload
    list.push_back({fmt::format("cvt.{}.f32.f64", mode.name), [=](const Bits& in) -> u64 {
                      volatile double a = f64(in[0]);
                      return std::bit_cast<u32>(
                          static_cast<float>(rounded(mode.host, [&] { return static_cast<float>(a); })));
                    }});
  return list;
}

std::vector<Reference> integers() {
  return {
      {"mul.hi.u32", [](const Bits& in) { return in[0] * in[1] >> 32; }},
      {"mul.hi.s32", [](const Bits& in) { return static_cast<u64>(s64{i32(in[0])} * i32(in[1]) >> 32); }},
      {"mul.hi.u64", [](const Bits& in) { return static_cast<u64>(u128{in[0]} * in[1] >> 64); }},
      {"mul.hi.s64", [](const Bits& in) { return static_cast<u64>(s128{i64(in[0])} * i64(in[1]) >> 64); }},
      {"mul.lo.s64", [](const Bits& in) { return static_cast<u64>(u128{in[0]} * in[1]); }},
      {"mad.wide.s32", [](const Bits& in) { return static_cast<u64>(s64{i32(in[0])} * i32(in[1])) + in[2]; }},
      {"mad.wide.u32", [](const Bits& in) { return in[0] * in[1] + in[2]; }},
      {"div.u32", [](const Bits& in) { return in[1] == 0 ? ~u64{0} : in[0] / in[1]; }},
      {"rem.u32", [](const Bits& in) { return in[1] == 0 ? ~u64{0} : in[0] % in[1]; }},
      {"div.s32", [](const Bits& in) { return static_cast<u64>(in[1] == 0 ? s64{-1} : s64{i32(in[0])} / i32(in[1])); }},
      {"rem.s32", [](const Bits& in) { return static_cast<u64>(in[1] == 0 ? s64{-1} : s64{i32(in[0])} % i32(in[1])); }},
      {"div.s64",
       [](const Bits& in) { return static_cast<u64>(in[1] == 0 ? s128{-1} : s128{i64(in[0])} / i64(in[1])); }},
      {"rem.s64",
       [](const Bits& in) { return static_cast<u64>(in[1] == 0 ? s128{-1} : s128{i64(in[0])} % i64(in[1])); }},
      {"add.sat.s32",
       [](const Bits& in) {
         const s64 sum = s64{i32(in[0])} + i32(in[1]);
         return static_cast<u64>(std::max<s64>(INT32_MIN, std::min<s64>(INT32_MAX, sum)));
       }},
      {"popc.b64", [](const Bits& in) { return static_cast<u64>(std::popcount(in[0])); }},
      {"clz.b64", [](const Bits& in) { return static_cast<u64>(std::countl_zero(in[0])); }},
      {"shl.b32", [](const Bits& in) { return in[1] > 31 ? 0 : in[0] << in[1]; }},
      {"shr.u64", [](const Bits& in) { return in[1] > 63 ? 0 : in[0] >> in[1]; }},
      {"shr.s32", [](const Bits& in) { return static_cast<u64>(s64{i32(in[0])} >> std::min<u64>(in[1], 63)); }},
      {"shf.l.wrap.b32", [](const Bits& in) { return (in[1] << 32 | in[0]) << (in[2] & 31) >> 32; }},
      {"shf.r.clamp.b32", [](const Bits& in) { return (in[1] << 32 | in[0]) >> std::min<u64>(in[2], 32); }},
      {"setp.lt.s32", [](const Bits& in) { return u64{i32(in[0]) < i32(in[1])}; }},
      {"setp.hs.u64", [](const Bits& in) { return u64{in[0] >= in[1]}; }},
      {"setp.leu.f32", [](const Bits& in) { return u64{!(f32(in[0]) > f32(in[1]))}; }},
      {"setp.ne.f64", [](const Bits& in) { return u64{f64(in[0]) < f64(in[1]) || f64(in[0]) > f64(in[1])}; }},
      {"min.f32",
       [](const Bits& in) {
         const float a = f32(in[0]), b = f32(in[1]);
         if (a == 0 && b == 0) return std::signbit(a) || std::signbit(b) ? u64{0x80000000} : u64{0};
         return bits_of(std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b));  // fmin: not for signalling NaNs
       }},
  };
}

struct LevelGuard {
  std::string_view level = cpu_level();
  ~LevelGuard() { use_cpu_level(level); }
};

/// 64 warps of random operands.
void compare_with(const Reference& reference, std::mt19937_64& random) {
  const auto entries = instruction_set().find(reference.opcode);
  REQUIRE(entries.size() == 1);
  InstructionCase one;
  one.row = entries[0].row;
  const auto& operands = one.row->meaning.operands;
  for (int r = 0; r < 6; ++r) {
    if (operands[r].role == Role::out) one.outputs.push_back({r, operands[r].kind, {}, false});
    if (operands[r].role == Role::in) one.inputs.push_back({r, operands[r].kind, {}, false});
  }
  LaneMachine machine;
  machine.place(one);
  machine.op.mods = entries[0].mods;
  for (int warp = 0; warp < 64; ++warp) {
    std::array<Bits, kLanes> in{};
    for (int lane = 0; lane < kLanes; ++lane)
      for (std::size_t k = 0; k < one.inputs.size(); ++k) {
        in[lane][k] = random_bits(random, one.inputs[k].kind);
        machine.set(one.inputs[k].r, one.inputs[k].kind, lane, in[lane][k]);
      }
    REQUIRE(machine.run(handler_of(*one.row, entries[0].mods), kFullMask));
    const Kind kind = one.outputs[0].kind;
    for (int lane = 0; lane < kLanes; ++lane) {
      const u64 got = machine.get(one.outputs[0].r, kind, lane) & width_mask(kind);
      CaseValue expected{reference.result(in[lane]) & width_mask(kind)};
      expected.any_nan = kind == Kind::f64 && std::isnan(f64(expected.bits));
      if (!agrees(expected, got, kind)) {
        std::string operands_shown;
        for (std::size_t k = 0; k < one.inputs.size(); ++k)
          operands_shown += shown(in[lane][k], one.inputs[k].kind) + " ";
        FAIL_CHECK(reference.opcode << " " << operands_shown << "= " << shown(expected.bits, kind) << ", got "
                                    << shown(got, kind) << " at level " << cpu_level());
        return;
      }
    }
  }
}

void compare_at_every_level(const std::vector<Reference>& references) {
  const LevelGuard guard;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    std::mt19937_64 random(20240607);
    for (const auto& reference : references) compare_with(reference, random);
  }
}

}  // namespace

TEST_CASE("single precision equals the host's in every rounding mode") {
  compare_at_every_level(floating_point<float>("f32"));
}

TEST_CASE("double precision equals the host's in every rounding mode") {
  compare_at_every_level(floating_point<double>("f64"));
}

TEST_CASE("conversions between integers and floating point equal the host's in every rounding mode") {
  compare_at_every_level(conversions());
}

TEST_CASE("integer instructions equal plain C++ on wider types") { compare_at_every_level(integers()); }
