// Which bits of a value are undefined, beside the truth: random chains of instructions on a word of which some bytes
// were never written. 32 lanes have 32 different words there; what of the result differs between them depends on those
// bytes, and initcheck has to tell its use, and that of no other bit. Of a carry or a comparison 32 words may not show
// that it depends on them: where there is one, only that nothing is missed is asked.

#include <fmt/format.h>

#include <random>
#include <set>

#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

class Chains {
 public:
  explicit Chains(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  /// A kernel whose %v goes through `steps` instructions, is masked with `mask` and used.
  std::string kernel(int number, int steps, std::uint32_t mask) {
    rare_ = false;
    std::string body;
    for (int i = 0; i < steps; ++i) body += fmt::format("  {}\n", step());
    return fmt::format(R"(
.visible .entry k{}(.param .u64 in, .param .u64 out) {{
  .reg .b64 %a, %b, %w, %e;
  .reg .b32 %v, %t, %c;
  .reg .b16 %l, %h;
  .reg .pred %p;
  ld.param.u64 %a, [in];
  ld.param.u64 %b, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %e, %t, 4;
  add.u64 %a, %a, %e;
  add.u64 %b, %b, %e;
  ld.global.u32 %v, [%a];
{}  and.b32 %v, %v, {};
  add.u32 %v, %v, 1;
  st.global.u32 [%b], %v;
  ret;
}})",
                       number, body, mask);
  }

  /// Whether the last kernel's result may depend on undefined bits as 32 words hardly show.
  [[nodiscard]] bool rare() const { return rare_; }

 private:
  std::string arithmetic() {
    rare_ = true;
    const char* sign = below(2) ? "s" : "u";
    switch (below(6)) {
      case 0:
        return with_other(fmt::format("add.{}32 %v", sign));
      case 1:
        return with_other(fmt::format("sub.{}32 %v", sign));
      case 2:
        return "neg.s32 %v, %v;";
      case 3:
        return fmt::format("mul.lo.{}32 %v, %v, {};", sign, word() << below(32));
      case 4:
        return fmt::format("mad.lo.{}32 %v, %v, {}, {};", sign, word(), word());
      default: {
        constexpr const char* orders[] = {"eq", "ne", "lt", "le", "gt", "ge"};
        return fmt::format("setp.{}.{}32 %p, %v, {}; selp.u32 %v, {}, {}, %p;", orders[below(6)], sign,
                           below(2) ? word() : word() & 0xff00ff00, word(), word());
      }
    }
  }
  std::string step() {
    if (below(4) == 0) return arithmetic();
    const std::uint32_t position = below(40), length = below(40);
    const char* sign = below(2) ? "s" : "u";
    switch (below(15)) {
      case 0:
        return with_other(fmt::format("{}.b32 %v", below(2) ? "and" : "or"));
      case 1:
        return with_other("xor.b32 %v");
      case 2:
        return "not.b32 %v, %v;";
      case 3:
        return fmt::format("shl.b32 %v, %v, {};", position);
      case 4:
        return fmt::format("shr.{}32 %v, %v, {};", sign, position);
      case 5:
        return fmt::format("mov.u32 %c, {}; bfi.b32 %v, %v, %c, {}, {};", word(), position, length);
      case 6:
        return fmt::format("bfi.b32 %v, {}, %v, {}, {};", word(), position, length);
      case 7:
        return fmt::format("bfe.{}32 %v, %v, {}, {};", sign, position, length);
      case 8:
        return below(2) ? fmt::format("prmt.b32 %v, %v, {}, {};", word(), word() & 0xffff)
                        : fmt::format("prmt.b32 %v, {}, %v, {};", word(), word() & 0xffff);
      case 9: {
        const std::uint32_t at = below(3);
        return fmt::format("lop3.b32 %v, {}, {}, {}, {};", at == 0 ? "%v" : constant(), at == 1 ? "%v" : constant(),
                           at == 2 ? "%v" : constant(), below(256));
      }
      case 10:
        return fmt::format("mov.b32 {{%l, %h}}, %v; cvt.{0}32.{0}16 %v, {1}; ", sign, below(2) ? "%l" : "%h");
      case 12:
        return "brev.b32 %v, %v;";
      case 13: {
        const char *way = below(2) ? "l" : "r", *mode = below(2) ? "wrap" : "clamp";
        return below(2) ? fmt::format("shf.{}.{}.b32 %v, %v, {}, {};", way, mode, word(), position)
                        : fmt::format("shf.{}.{}.b32 %v, {}, %v, {};", way, mode, word(), position);
      }
      case 11:
        return fmt::format("mov.b32 {{%l, %h}}, %v; mov.b32 %v, {{{}, %l}};", below(2) ? "%h" : "%l");
      default:
        return fmt::format(
            "cvt.{0}64.{0}32 %w, %v; {1}.b64 %w, %w, {2}; bfe.{0}64 %w, %w, {2}, {3}; cvt.u32.u64 %v, %w;", sign, "shl",
            position, length + below(30));
    }
  }
  std::string constant() { return fmt::format("{}", word()); }
  std::string with_other(const std::string& start) {
    return below(2) ? fmt::format("{}, %v, {};", start, word())
                    : fmt::format("mov.u32 %c, {}; {}, %c, %v;", word(), start);
  }

  std::mt19937 random_;
  bool rare_ = false;
};

struct Outcome {
  bool differs = false, accused = false;
};

/// `forgotten`: bytes of each word that count as never written, and differ between lanes.
Outcome outcome_of(Device& device, int number, DevicePointer in, DevicePointer out, std::uint32_t forgotten,
                   Chains& chains) {
  const std::uint32_t same = chains.word();
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t& w : words) w = (chains.word() & forgotten) | (same & ~forgotten);
  words[0] = same & ~forgotten;
  words[1] = same | forgotten;
  device.write(in, std::as_bytes(std::span(words)));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned byte = 0; byte < 4; ++byte)
      if (forgotten >> 8 * byte & 0xff) device.forget(in + 4 * lane + byte, 1);
  const std::vector<KernelArgument> arguments{KernelArgument::of(in), KernelArgument::of(out)};
  device.launch(device.kernel(fmt::format("k{}", number)), one_warp, arguments);
  std::vector<std::uint32_t> results(32);
  device.read(std::as_writable_bytes(std::span(results)), out);
  Outcome outcome;
  outcome.differs = std::set(results.begin(), results.end()).size() > 1;
  for (const Finding& finding : device.take_findings()) outcome.accused |= finding.tool == "initcheck";
  return outcome;
}

TEST_CASE("initcheck tells the use of exactly the bits that depend on what nobody wrote") {
  constexpr int kKernels = 600;
  Chains chains(7);
  std::string ptx = ".version 8.0\n.target sm_75\n.address_size 64\n";
  std::vector<std::string> kernels;
  std::vector<bool> rare;
  for (int k = 0; k < kKernels; ++k) {
    const std::uint32_t bit = 1u << chains.below(32);
    kernels.push_back(chains.kernel(k, 1 + static_cast<int>(chains.below(5)), chains.below(2) ? bit : chains.word()));
    rare.push_back(chains.rare());
    ptx += kernels.back();
  }
  SimulatorOptions options;
  options.sanitize = {"initcheck"};
  const auto device = simulator_with({"chains.ptx", ptx, {}}, options);
  const DevicePointer in = device->allocate("in", 128), out = device->allocate("out", 128);
  int accused = 0;
  for (int k = 0; k < kKernels; ++k) {
    const std::uint32_t forgotten[] = {0xff, 0xff0000, 0xff00ff00, 0xffffffff};
    const Outcome outcome = outcome_of(*device, k, in, out, forgotten[chains.below(4)], chains);
    accused += outcome.accused;
    if (outcome.differs != outcome.accused && (outcome.differs || !rare[static_cast<std::size_t>(k)]))
      FAIL_CHECK((outcome.differs ? "missed: " : "accused, and nothing depends on it: ")
                 << kernels[static_cast<std::size_t>(k)]);
  }
  CHECK(accused > kKernels / 5);
  CHECK(accused < kKernels * 4 / 5);
}

}  // namespace
}  // namespace gpulab::tests
