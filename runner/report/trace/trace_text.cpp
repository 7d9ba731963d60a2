#include "runner/report/trace/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/text.h"
#include "runner/report/grid_text.h"
#include "runner/report/trace/accused.h"
#include "runner/report/trace/step_values.h"
#include "runner/report/words/lines.h"

namespace gpulab {

namespace {

std::string trimmed(std::string_view line) {
  std::string text;
  for (const char c : line) text += c == '\t' ? ' ' : c;
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

class Text {
 public:
  Text(const TraceView& view, const Style& style)
      : view_(view),
        trace_(*view.steps),
        width_(style.width),
        color_(style.color),
        source_(lines_of(view.source)),
        ptx_(lines_of(view.ptx)) {}

  std::string text() {
    head();
    const auto accused = accused_steps(view_);
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      for (const AccusedStep& one : accused)
        if (one.step == i)
          out_ +=
              bold(fmt::format("  !! {}, {}", one.what, visible(view_.result->findings[one.finding].message))) + "\n";
      step(i);
    }
    if (!trace_.ended.empty()) out_ += bold("The launch ended here: " + visible(trace_.ended)) + "\n";
    return out_;
  }

 private:
  [[nodiscard]] std::string bold(const std::string& text) const { return color_ ? "\x1b[1m" + text + "\x1b[0m" : text; }
  [[nodiscard]] std::string dim(const std::string& text) const { return color_ ? "\x1b[2m" + text + "\x1b[0m" : text; }

  void head() {
    const auto name = view_.lab.empty() ? visible(view_.file) : view_.lab + " " + view_.result->variant;
    out_ += bold(fmt::format("{}: {}", name, trace_.kernel)) + "\n";
    out_ += fmt::format("grid {}, block {}; simulated as {}, {}\n", dim_text(trace_.grid), dim_text(trace_.block),
                        view_.device.profile,
                        view_.schedule == 0 ? "in the simulator's own order of warps"
                                            : fmt::format("in the order of --schedule {}", view_.schedule));
    for (const std::string& note : window_notes(trace_))
      for (const std::string& line : wrapped(note, width_)) out_ += line + "\n";
    out_ += "lanes 0 to 31:  # executes  - guard false  + ready elsewhere  w waits  . ended\n";
  }

  void step(std::size_t i) {
    const TraceStep& step = trace_.steps[i];
    const StepWarp& warp = trace_.warps[step.warp];
    if (step.site == no_step_part) {
      out_ += fmt::format("\n{:>6}  block {}: {}\n", trace_.from + i, warp.block, step_text(trace_, step));
      last_warp_ = no_step_part;
      return;
    }
    const StepSite& site = trace_.sites[step.site];
    if (step.warp != last_warp_ || site.line != last_line_) {
      out_ += bold(fmt::format("\nblock {}, warp {}", warp.block, warp.warp));
      if (site.line != 0 && site.line <= source_.size())
        out_ += fmt::format("  {}:{}  {}", visible(trace_.file), site.line, visible(trimmed(source_[site.line - 1])));
      out_ += "\n";
      last_warp_ = step.warp;
      last_line_ = site.line;
    }
    const std::string instruction =
        site.ptx_line != 0 && site.ptx_line <= ptx_.size() ? trimmed(ptx_[site.ptx_line - 1]) : "";
    out_ += fmt::format("{:>6}  {}  {}\n", trace_.from + i, lanes_of(step), visible(instruction));
    paragraph(step_text(trace_, step));
    for (const StepValue& value : values_of(trace_, step)) {
      const std::string name = value.reg.name.empty() ? "value"
                               : value.reg.variable.empty()
                                   ? value.reg.name
                                   : fmt::format("{} ({})", value.reg.variable, value.reg.name);
      out_ += dim(fmt::format("        {} {} {}", name, value.stored ? "stored:" : "=",
                              lanes_value_text(trace_, value, step.active & ~step.off))) +
              "\n";
    }
  }

  void paragraph(const std::string& text) {
    for (const std::string& line : wrapped(visible(text), std::max<std::size_t>(width_, 40) - 8))
      out_ += "        " + line + "\n";
  }

  [[nodiscard]] std::string lanes_of(const TraceStep& step) const {
    std::string cells;
    for (int lane = 0; lane < 32; ++lane) {
      const auto in = [&](std::uint32_t mask) { return (mask >> lane & 1) != 0; };
      cells += in(step.off) ? '-' : in(step.active) ? '#' : in(step.waiting) ? 'w' : in(step.live) ? '+' : '.';
    }
    return cells;
  }

  const TraceView& view_;
  const StepTrace& trace_;
  const std::size_t width_;
  const bool color_;
  const std::vector<std::string_view> source_, ptx_;
  std::string out_;
  std::uint32_t last_warp_ = no_step_part, last_line_ = no_step_part;
};

}  // namespace

std::string trace_text(const TraceView& view, const Style& style) {
  return within(Text(view, style).text(), style.width);
}

std::vector<std::string> window_notes(const StepTrace& trace) {
  std::vector<std::string> notes;
  std::uint64_t instructions = 0;
  for (const TraceStep& step : trace.steps) instructions += step.site != no_step_part;
  if (trace.warps.size() < trace.all_warps)
    notes.push_back(fmt::format(
        "Of the launch's {} warps, {} recorded ({}); --blocks and --warps name others.", grouped(trace.all_warps),
        trace.warps.size() == 1 ? "1 is" : fmt::format("{} are", trace.warps.size()), recorded_blocks(trace)));
  if (instructions < trace.seen)
    notes.push_back(fmt::format("Of their {} steps, {} to {} are here; --from and --events choose others.",
                                grouped(trace.seen), grouped(trace.from), grouped(trace.from + instructions)));
  if (trace.launches > 1)
    notes.push_back(fmt::format("Launch {} of {}; --launch chooses another.", trace.launch + 1, trace.launches));
  if (!trace.debug)
    notes.emplace_back(
        "Registers have the names of the PTX: the compiler has optimised the source's variables away (a -G build keeps "
        "them, with their names).");
  return notes;
}

std::string recorded_blocks(const StepTrace& trace) {
  std::vector<std::uint64_t> blocks;
  for (const StepWarp& warp : trace.warps)
    if (blocks.empty() || blocks.back() != warp.block) blocks.push_back(warp.block);
  if (blocks.size() == 1) return fmt::format("block {}", blocks[0]);
  if (!blocks.empty() && blocks.back() - blocks.front() + 1 == blocks.size())
    return fmt::format("blocks {} to {}", blocks.front(), blocks.back());
  return fmt::format("{} blocks from {} to {}", blocks.size(), blocks.empty() ? 0 : blocks.front(),
                     blocks.empty() ? 0 : blocks.back());
}

}  // namespace gpulab
