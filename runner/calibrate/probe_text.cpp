#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "runner/calibrate/probe.h"

namespace gpulab::calibrate {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

/// PTX is full of braces: "$word" is what is replaced.
std::string filled(std::string text, const Words& words) {
  for (const auto& [word, by] : words)
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
      text.replace(at, word.size(), by);
  return text;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += filled(std::string(text), {{"$k", std::to_string(i)}});
  return all;
}

/// As in scripts/calibrate.py: a loop between two readings of the clock. Registers hold another value in each thread,
/// for what a whole warp holds alike ptxas computes on another pipe; what the loop computes is used where no thread
/// comes by, or ptxas would leave it out.
constexpr const char* kKernel = R"(.version 6.0
.target sm_53
.address_size 64
.visible .entry $name(.param .u64 out_, .param .u64 data_, .param .u32 n_, .param .u32 stride_) {
 .reg .u64 o, d, t0, t1, q, w0, w1, w2, w3, w4, w5, w6, w7; .reg .u32 n, i, s, t, x, y, z, v, c; .reg .pred p, pp;
 .reg .u32 x0, x1, x2, x3, x4, x5, x6, x7; .reg .f32 f0, f1, f2, f3, f4, f5, f6, f7, a, b;
 .reg .f64 d0, d1, d2, d3, d4, d5, d6, d7, da, db; .shared .align 16 .b8 m[16384];
 ld.param.u64 o, [out_]; ld.param.u64 d, [data_]; ld.param.u32 n, [n_]; ld.param.u32 s, [stride_];
 cvta.to.global.u64 o, o; cvta.to.global.u64 d, d;
 mov.u32 t, %tid.x; ld.global.u32 x, [d]; mov.u32 y, s; mov.u32 z, n; mov.u32 v, m; mov.u32 c, %ctaid.x;
 cvt.rn.f32.u32 a, s; cvt.rn.f32.u32 b, n; cvt.rn.f64.u32 da, s; cvt.rn.f64.u32 db, n;
 add.u32 x7, x, t;
 $inits
 $setup
 bar.sync 0;
 mov.u64 t0, %clock64; mov.u32 i, 0;
L: $body
 add.u32 i, i, 1; setp.lt.u32 p, i, n; @p bra L;
 $after
 mov.u64 t1, %clock64; sub.u64 t1, t1, t0; cvt.u32.u64 x, t1;
 setp.ne.u32 pp, n, 0xffffffff; @pp bra U; $use U:
 setp.ne.u32 p, t, 0; @p bra E; setp.ne.u32 p, c, 0; @p bra E; st.global.u32 [o], x;
E: ret; }
)";
constexpr const char* kInit =
    "add.u32 x$k, x7, $k; cvt.rn.f32.u32 f$k, x$k; cvt.rn.f64.u32 d$k, x$k; cvt.u64.u32 w$k, x$k; ";
constexpr const char* kUse =
    "add.u32 x, x, x$k; cvt.rzi.u32.f32 y, f$k; add.u32 x, x, y; cvt.rzi.u32.f64 y, d$k; add.u32 x, x, y; "
    "cvt.u32.u64 y, w$k; add.u32 x, x, y; shr.u64 w$k, w$k, 32; cvt.u32.u64 y, w$k; add.u32 x, x, y; ";

std::string kernel(std::string_view name, const std::string& body, const std::string& setup = {},
                   const std::string& after = {}) {
  return filled(kKernel, {{"$name", std::string(name)},
                          {"$inits", repeated(kInit, 8)},
                          {"$use", repeated(kUse, 8)},
                          {"$setup", setup},
                          {"$body", body},
                          {"$after", after}});
}

/// Places in memory and shared memory, of the thread's own and of one for all: by values that no compiler knows.
constexpr const char* kPlaces =
    ".reg .u32 vt, v1, v8; .reg .u64 same; and.b32 vt, t, 31; shl.b32 vt, vt, 2; mul.wide.u32 same, x, 4; "
    "add.u64 same, same, d; add.u32 v1, x, v; and.b32 v8, t, 7; shl.b32 v8, v8, 2; add.u32 v8, v8, v; "
    "add.u32 vt, vt, v; mul.wide.u32 q, t, 4; add.u64 q, q, d;";

/// One instruction, `count` times: of one chain, or of eight. K is the chain.
struct Operation {
  std::string_view name, text;
  int count;
};
constexpr Operation kOperations[] = {
    {"fma_f32", "fma.rn.f32 fK, fK, a, b; ", 16},
    {"fma_f64", "fma.rn.f64 dK, dK, da, db; ", 16},
    {"rsqrt", "rsqrt.approx.ftz.f32 fK, fK; ", 16},
    {"xor_add", "xor.b32 xK, xK, y; add.u32 xK, xK, z; ", 16},
    {"add_u64", "add.u64 wK, wK, t0; xor.b64 wK, wK, d; ", 16},
    {"lds_chain", "and.b32 xK, xK, 124; add.u32 xK, xK, v; ld.shared.u32 xK, [xK]; ", 16},
    {"atoms_add", "atom.shared.add.u32 xK, [v], xK; ", 4},
    {"reds_f32_same", "red.shared.add.f32 [v1], fK; ", 16},
    {"reds_u32_eight", "red.shared.add.u32 [v8], xK; ", 16},
    {"atomg_own", "atom.global.add.u32 xK, [q], xK; ", 4},
    {"redg_same", "red.global.add.u32 [d], xK; ", 4},
    {"redg_f32_same", "red.global.add.f32 [same], fK; ", 4},
    {"bar_sync", "bar.sync 0; ", 16},
    {"membar_gl", "membar.gl; ", 4},
};

std::string operations(std::string_view name) {
  const bool chain = name.starts_with("chain_");
  const auto of = name.substr(name.find('_') + 1);
  for (const Operation& one : kOperations) {
    if (one.name != of) continue;
    std::string body;
    for (int i = 0; i < one.count; ++i)
      body += filled(std::string(one.text), {{"K", std::to_string(chain ? 0 : i % 8)}});
    return kernel(name, body, kPlaces);
  }
  throw std::logic_error(fmt::format("no probe {}", name));
}

// g: the thread's number in the grid; gs: threads of the grid; gw: the warp; ln: the lane.
constexpr const char* kGrid =
    ".reg .u32 g, gs, gw, ln, h, k; .reg .u64 u, us, off; .reg .f32 g<8>; and.b32 ln, t, 31; mov.u32 h, %nctaid.x; "
    "mov.u32 gs, %ntid.x; mad.lo.u32 g, c, gs, t; mul.lo.u32 gs, gs, h; shr.u32 gw, g, 5; cvt.u64.u32 off, s; "
    "sub.u64 off, off, off; ";
constexpr const char* kSum = "cvt.rzi.u32.f32 x0, a; add.u32 x1, x0, y;";

/// Eight loads of 16 bytes a turn that L1 serves.
std::string l1(std::string_view name) {
  std::string body;
  for (int i = 0; i < 8; ++i)
    body += filled(
        "ld.global.v4.f32 {g0,g1,g2,g3}, [u+$at]; add.rn.f32 a, a, g0; add.rn.f32 a, a, g1; "
        "add.rn.f32 a, a, g2; add.rn.f32 a, a, g3; ",
        {{"$at", std::to_string(i * 512)}});
  return kernel(name, body + "add.u64 u, u, us;",
                std::string(kGrid) + "mul.wide.u32 u, ln, 16; add.u64 u, u, d; cvt.u64.u32 us, s;", kSum);
}

/// Stores, each word once: lanes `step` bytes apart.
std::string stores(std::string_view name, int step) {
  const auto setup = filled("mul.wide.u32 u, g, $step; add.u64 u, u, d; mul.wide.u32 us, gs, $step;",
                            {{"$step", fmt::format("{}", step)}});
  return kernel(name, repeated("st.global.u32 [u], x1; add.u64 u, u, us; ", 4), kGrid + setup, kSum);
}

/// Lanes a whole row apart, warps are columns: each store is the only one of its line for long.
std::string columns(std::string_view name) {
  return kernel(name, repeated("st.global.u32 [u], x1; add.u64 u, u, us; ", 4),
                std::string(kGrid) +
                    "shr.u32 h, gs, 5; mul.lo.u32 h, h, n; shl.b32 h, h, 2; mul.lo.u32 k, h, ln; add.u32 k, k, gw; "
                    "mul.wide.u32 u, k, 4; add.u64 u, u, d; shr.u32 h, gs, 5; mul.wide.u32 us, h, 4; .reg .f32 g8;",
                kSum);
}

/// Words at random, by a hash of the thread's number: four loads before their first use.
std::string gather(std::string_view name) {
  std::string body;
  for (int i = 1; i <= 4; ++i)
    body += filled(
        "add.u32 g, g, gs; mul.lo.u32 x$i, g, 0x9e3779b1; shr.u32 h, x$i, 15; xor.b32 x$i, x$i, h; "
        "mul.lo.u32 x$i, x$i, 0x85ebca6b; shr.u32 h, x$i, 13; xor.b32 x$i, x$i, h; and.b32 x$i, x$i, k; "
        "mul.wide.u32 w$p, x$i, 4; add.u64 w$p, w$p, d; ",
        {{"$i", std::to_string(i)}, {"$p", std::to_string(i - 1)}});
  for (int i = 1; i <= 4; ++i)
    body += filled("ld.global.u32 x$i, [w$p]; ", {{"$i", std::to_string(i)}, {"$p", std::to_string(i - 1)}});
  for (int i = 1; i <= 4; ++i) body += fmt::format("xor.b32 y, y, x{}; ", i);
  return kernel(name, body, std::string(kGrid) + "shl.b32 k, 1, s; sub.u32 k, k, 1; mov.u32 y, 0;",
                "add.u32 x1, y, 1;");
}

/// Four atomics a turn: lanes at 32 words of one line, or all warps of all blocks at one.
std::string reductions(std::string_view name) {
  std::string body;
  if (name == "red_lines_1") {
    body = repeated(
        "add.u32 k, k, 5; and.b32 h, k, 0; mul.wide.u32 u, h, 128; add.u64 u, u, off; "
        "red.global.add.u32 [u], x0; ",
        4);
    return kernel(name, body, std::string(kGrid) + "mul.wide.u32 off, ln, 4; add.u64 off, off, d; mov.u32 k, gw;");
  }
  return kernel(name, repeated("red.global.add.u32 [u], x$k; ", 4),
                std::string(kGrid) +
                    "cvt.u64.u32 off, x; and.b32 h, ln, 31; mul.wide.u32 u, h, 4; add.u64 u, u, d; add.u64 u, u, off;");
}

/// Floats added in shared memory: warps of a block on one word, or each on its own.
std::string shared_floats(std::string_view name) {
  const char* place = name.ends_with("_one") ? "v" : "vo";
  return kernel(name, repeated(filled("red.shared.add.f32 [$place], f0; ", {{"$place", place}}), 2),
                ".reg .u32 vo; shr.u32 vo, t, 5; mad.lo.u32 vo, vo, 8, v; add.u32 v, v, x; add.u32 vo, vo, x;");
}

/// Each address needs the value before (zeros), `stride` bytes on.
std::string chase(std::string_view name) {
  return kernel(name,
                filled("ld.global.$where.u32 x0, [w0]; cvt.u64.u32 w1, x0; add.u64 w0, w0, w1; add.u64 w0, w0, w2;",
                       {{"$where", std::string(name.substr(name.find('_') + 1))}}),
                "mov.u64 w0, d; cvt.u64.u32 w2, s;");
}

/// The whole GPU's stream: threads take elements a grid apart.
std::string stream(std::string_view name) {
  const bool wide = name.find("16x4") != std::string_view::npos;
  const bool reads = !name.starts_with("write"), writes = !name.starts_with("read");
  const int count = wide ? 4 : 1;
  constexpr std::array<const char*, 4> registers{"{f0,f1,f2,f3}", "{f4,f5,f6,f7}", "{g0,g1,g2,g3}", "{g4,g5,g6,g7}"};
  const auto words = [&](int i) {
    return Words{{"$type", wide ? "v4.f32" : "u32"},
                 {"$of", wide ? registers.at(static_cast<std::size_t>(i)) : fmt::format("x{}", i)},
                 {"$k", std::to_string(i)}};
  };
  std::string body;
  for (int i = 0; i < count && reads; ++i)
    body += filled("mad.lo.u64 w$k, us, $k, u; ld.global.$type $of, [w$k]; ", words(i));
  for (int i = 0; i < count; ++i) {
    if (writes)
      body += filled(reads ? "add.u64 w$k, w$k, o2; st.global.$type [w$k], $of; "
                           : "mad.lo.u64 w$k, us, $k, u; st.global.$type [w$k], $of; ",
                     words(i));
    else if (!wide)
      body += fmt::format("xor.b32 y, y, x{}; ", i);
    else
      for (int part = 0; part < 4; ++part)
        body += fmt::format("add.rn.f32 a, a, {}; ",
                            std::string(registers.at(static_cast<std::size_t>(i))).substr(1 + 3 * part, 2));
  }
  body += fmt::format("mad.lo.u64 u, us, {}, u;", count);
  std::string setup = filled(
      ".reg .u32 g, gs; .reg .u64 u, us, o2; mov.u32 g, %nctaid.x; mov.u32 gs, %ntid.x; mad.lo.u32 x, c, gs, t; "
      "mul.lo.u32 gs, gs, g; mul.wide.u32 u, x, $width; add.u64 u, u, d; mul.wide.u32 us, gs, $width; "
      "cvt.u64.u32 o2, s; shl.b64 o2, o2, 20; .reg .f32 g<8>; ",
      {{"$width", wide ? "16" : "4"}});
  return kernel(name, body, setup + repeated("mov.f32 g$k, f$k; ", 8), kSum);
}

constexpr const char* kPlain = R"(.version 6.0
.target sm_53
.address_size 64
.visible .entry $name(.param .u64 out_, .param .u64 data_, .param .u32 n_, .param .u32 stride_) {
 $body
 ret; }
)";

/// `n` cycles, whatever happens.
constexpr const char* kSpin = R"( .reg .u64 t0, t1, n; .reg .u32 m; .reg .pred p;
 ld.param.u32 m, [n_]; cvt.u64.u32 n, m; mov.u64 t0, %clock64;
L: mov.u64 t1, %clock64; sub.u64 t1, t1, t0; setp.lt.u64 p, t1, n; @p bra L;)";

}  // namespace

std::string probe_ptx(std::string_view name) {
  if (name == "empty" || name == "spin")
    return filled(kPlain, {{"$name", std::string(name)}, {"$body", name == "spin" ? kSpin : ""}});
  if (name.starts_with("chase_")) return chase(name);
  if (name.starts_with("gather_")) return gather(name);
  if (name.starts_with("l1_")) return l1(name);
  if (name == "stg_columns") return columns(name);
  if (name.starts_with("stg_")) return stores(name, name == "stg_4_32" ? 32 : 4);
  if (name.starts_with("red_")) return reductions(name);
  if (name.starts_with("open_reds_")) return shared_floats(name);
  if (name.starts_with("read_") || name.starts_with("write_") || name.starts_with("copy_")) return stream(name);
  return operations(name);
}

}  // namespace gpulab::calibrate
