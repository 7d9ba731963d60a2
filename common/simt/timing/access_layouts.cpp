#include "common/simt/timing/access_layouts.h"

#include <algorithm>

namespace gpulab::simt {

namespace {
std::uint32_t shape_of(TraceEvent event, const BlockTrace& trace) {
  const bool access = (event.what & TraceEvent::kAccess) != 0;
  return access ? TraceEvent::kAccess | trace.accesses[event.what & ~TraceEvent::kAccess].site : event.what;
}

/// An instruction of a loop that is unrolled, in one of its turns.
std::uint64_t place_of(std::uint32_t site, std::uint32_t turn) { return std::uint64_t{turn} << 32 | site; }
}  // namespace

bool AccessLayouts::is_same(const Layout& layout, std::span<const TraceEvent> events, const BlockTrace& trace) {
  return layout.found &&
         std::ranges::equal(layout.shape, events, {}, {}, [&](TraceEvent e) { return shape_of(e, trace); });
}

AccessLayouts::Layout AccessLayouts::find(const Code& code, std::uint32_t head, std::span<const TraceEvent> events,
                                          const BlockTrace& trace) {
  Layout layout;
  std::unordered_map<std::uint64_t, std::uint32_t> first;  // by instruction and turn
  std::uint32_t turn = 0;
  for (const TraceEvent event : events) {
    const std::uint32_t shape = layout.shape.emplace_back(shape_of(event, trace));
    if (shape & TraceEvent::kAccess)
      first.try_emplace(place_of(shape & ~TraceEvent::kAccess, turn),
                        static_cast<std::uint32_t>(layout.shape.size() - 1));
    else if (shape == head)
      ++turn;
  }
  auto found = std::make_shared<std::vector<std::uint32_t>>(code.size(), kNone);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (const auto place = first.find(place_of(code[i].site, code[i].copy)); place != first.end())
      (*found)[i] = place->second;
  layout.found = std::move(found);
  return layout;
}

std::shared_ptr<const std::vector<std::uint32_t>> AccessLayouts::of(const Code& code, std::uint32_t head,
                                                                    std::span<const TraceEvent> events,
                                                                    const BlockTrace& trace) {
  Known& known = known_[&code];
  for (const Layout& layout : known.layouts)
    if (is_same(layout, events, trace)) return layout.found;
  Layout& layout = known.layouts[known.next++ % known.layouts.size()];
  layout = find(code, head, events, trace);
  return layout.found;
}

}  // namespace gpulab::simt
