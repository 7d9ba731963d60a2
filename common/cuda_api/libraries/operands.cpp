#include "common/cuda_api/libraries/operands.h"

#include <algorithm>
#include <limits>

namespace gpulab::libraries {
namespace {

using Layout = Operand::Layout;
using Wide = __int128;

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

std::uint64_t clamped(Wide value) {
  return value < 0 ? 0 : value > Wide{kEnd} ? kEnd : static_cast<std::uint64_t>(value);
}

/// Elements from the address to behind the last one of one matrix.
Wide extent(const Operand& o) {
  const Wide n = o.columns;
  switch (o.layout) {
    case Layout::upper_packed:
    case Layout::lower_packed:
      return n * (n + 1) / 2;
    case Layout::band:
    case Layout::upper_band:
    case Layout::lower_band: {
      Wide end = 0;  // of the last columns, as many as the band is wide: one of them reaches farthest
      for (i64 j = std::max<i64>(0, o.columns - std::min(o.columns, o.below + o.above + 2)); j < o.columns; ++j) {
        const Column c = o.column(j);
        if (c.count > 0) end = std::max(end, Wide{j} * o.ld + (c.offset - j * o.ld) + c.count);
      }
      return end;
    }
    default: {
      const Column last = o.column(o.columns - 1);
      return (n - 1) * o.ld + (o.layout == Layout::lower ? o.rows : last.count);
    }
  }
}

}  // namespace

Column Operand::column(i64 j) const {
  switch (layout) {
    case Layout::whole:
      return {0, rows, j * ld};
    case Layout::upper:
      return {0, std::min(j + 1, rows), j * ld};
    case Layout::lower:
      return {j, rows - std::min(j, rows), j * ld + j};
    case Layout::upper_packed:
      return {0, j + 1, j * (j + 1) / 2};
    case Layout::lower_packed:
      return {j, rows - j, j * rows - j * (j - 1) / 2};
    case Layout::band:
    case Layout::upper_band:
    case Layout::lower_band: {
      const i64 first = std::max<i64>(0, j - above), end = std::min(rows, j + below + 1);
      return {first, std::max<i64>(0, end - first), j * ld + above + first - j};
    }
  }
  return {};
}

LibraryBuffer Operand::buffer() const {
  LibraryBuffer made;
  made.name = name;
  made.reads = reads;
  made.writes = writes;
  made.first = made.end = address;
  if (is_empty()) return made;
  const Wide size = bytes_of(type);
  const Wide one = extent(*this) * size;
  const Wide far = Wide{batch - 1} * batch_stride * size;
  made.first = clamped(Wide{address} + std::min(far, Wide{0}));
  made.end = clamped(Wide{address} + std::max(far, Wide{0}) + one);
  const bool solid = layout == Layout::whole && (ld == rows || columns == 1);
  const i64 stored = solid ? 1 : columns;
  made.rows = clamped(Wide{stored} * batch);
  made.row = [o = *this, solid, stored](std::uint64_t i) {
    const i64 bytes = bytes_of(o.type), item = static_cast<i64>(i) / stored, j = static_cast<i64>(i) % stored;
    const Column c = solid ? Column{0, o.rows * o.columns, 0} : o.column(j);
    return std::pair(o.address + static_cast<std::uint64_t>((item * o.batch_stride + c.offset) * bytes),
                     static_cast<std::uint64_t>(c.count * bytes));
  };
  return made;
}

Operand Operand::read_only() const {
  Operand made = *this;
  made.reads = true, made.writes = false;
  return made;
}
Operand Operand::written() const {
  Operand made = *this;
  made.reads = false, made.writes = true;
  return made;
}
Operand Operand::changed() const {
  Operand made = *this;
  made.reads = made.writes = true;
  return made;
}

Operand vector(const char* name, const void* pointer, Type type, i64 n, i64 increment) {
  Operand made;
  made.name = name;
  made.address = address_of(pointer);
  made.type = type;
  const i64 step = increment < 0 ? -increment : increment;
  // Elements that all lie at one place are one of them.
  made.rows = step == 1 ? n : 1;
  made.columns = step == 1 ? 1 : n;
  made.ld = step;
  made.backwards = increment < 0;
  if (n <= 0) made.rows = made.columns = 0;
  return made;
}

Operand matrix(const char* name, const void* pointer, Type type, i64 rows, i64 columns, i64 ld) {
  Operand made;
  made.name = name;
  made.address = address_of(pointer);
  made.type = type;
  made.rows = rows;
  made.columns = columns;
  made.ld = ld;
  return made;
}

template <typename W>
Values<W>::Values(Operand what) : operand(std::move(what)) {
  if (operand.rows <= 0 || operand.columns <= 0) return;
  i64 count = 0;
  if (operand.layout == Layout::whole) {
    count = operand.rows * operand.columns;
  } else {
    starts.reserve(static_cast<std::size_t>(operand.columns));
    for (i64 j = 0; j < operand.columns; ++j) {
      starts.push_back(count);
      count += operand.column(j).count;
    }
  }
  all.resize(static_cast<std::size_t>(count));
}

template <typename W>
Values<W> load(LibraryAccess& memory, const Operand& operand, i64 index) {
  Values<W> values(operand);
  if (values.all.empty()) return values;
  const i64 size = bytes_of(operand.type);
  const std::uint64_t base = operand.address + static_cast<std::uint64_t>(index * operand.batch_stride * size);
  const bool is_vector = operand.layout == Layout::whole && operand.rows == 1;
  std::vector<char> bytes;
  if (is_vector || (operand.layout == Layout::whole && operand.ld <= 2 * operand.rows)) {
    // In one piece, with what lies between the columns.
    bytes.resize(static_cast<std::size_t>(((operand.columns - 1) * operand.ld + operand.rows) * size));
    memory.read(bytes.data(), base, bytes.size());
    for (i64 j = 0; j < operand.columns; ++j)
      decode(operand.type, bytes.data() + j * operand.ld * size, values.column(j), operand.rows);
  } else {
    for (i64 j = 0; j < operand.columns; ++j) {
      const Column c = operand.column(j);
      bytes.resize(static_cast<std::size_t>(c.count * size));
      memory.read(bytes.data(), base + static_cast<std::uint64_t>(c.offset * size), bytes.size());
      decode(operand.type, bytes.data(), values.column(j), c.count);
    }
  }
  if (operand.backwards) std::reverse(values.all.begin(), values.all.end());
  return values;
}

template <typename W>
void store(LibraryAccess& memory, const Values<W>& values, i64 index) {
  const Operand& operand = values.operand;
  if (values.all.empty()) return;
  const i64 size = bytes_of(operand.type);
  const std::uint64_t base = operand.address + static_cast<std::uint64_t>(index * operand.batch_stride * size);
  std::vector<W> turned;
  if (operand.backwards) turned.assign(values.all.rbegin(), values.all.rend());
  const W* from = operand.backwards ? turned.data() : values.all.data();
  const auto count = static_cast<i64>(values.all.size());
  std::vector<char> bytes(static_cast<std::size_t>(count * size));
  encode(operand.type, from, bytes.data(), count);
  if (operand.layout == Layout::whole && (operand.ld == operand.rows || operand.columns == 1)) {
    memory.write(base, bytes.data(), bytes.size());
    return;
  }
  i64 at = 0;
  for (i64 j = 0; j < operand.columns; ++j) {
    const Column c = operand.column(j);
    memory.write(base + static_cast<std::uint64_t>(c.offset * size), bytes.data() + at * size,
                 static_cast<std::uint64_t>(c.count * size));
    at += c.count;
  }
}

template struct Values<double>;
template struct Values<Complex>;
template struct Values<Precise>;
template struct Values<PreciseComplex>;
template Values<double> load(LibraryAccess&, const Operand&, i64);
template Values<Complex> load(LibraryAccess&, const Operand&, i64);
template Values<Precise> load(LibraryAccess&, const Operand&, i64);
template Values<PreciseComplex> load(LibraryAccess&, const Operand&, i64);
template void store(LibraryAccess&, const Values<double>&, i64);
template void store(LibraryAccess&, const Values<Complex>&, i64);
template void store(LibraryAccess&, const Values<Precise>&, i64);
template void store(LibraryAccess&, const Values<PreciseComplex>&, i64);

Scalar scalar(const char* name, const void* pointer, Type type, bool on_device) {
  Scalar made{type, on_device, address_of(pointer), 0, name};
  if (on_device || pointer == nullptr) return made;
  if (is_complex(type)) {
    decode(type, pointer, &made.value, 1);
  } else {
    double value = 0;
    decode(type, pointer, &value, 1);
    made.value = value;
  }
  return made;
}

void Scalar::add_to(std::vector<LibraryBuffer>& buffers) const {
  if (!on_device) return;
  Operand place;
  place.name = name;
  place.address = address;
  place.type = type;
  place.rows = place.columns = 1;
  buffers.push_back(place.buffer());
}

template <typename W>
W Scalar::get(LibraryAccess& memory) const {
  if (!on_device) return converted<W>(value);
  Operand place;
  place.address = address;
  place.type = type;
  place.rows = place.columns = 1;
  return is_complex(type) ? converted<W>(load<Complex>(memory, place)[0]) : W(load<double>(memory, place)[0]);
}
template double Scalar::get(LibraryAccess&) const;
template Complex Scalar::get(LibraryAccess&) const;
template Precise Scalar::get(LibraryAccess&) const;
template PreciseComplex Scalar::get(LibraryAccess&) const;

}  // namespace gpulab::libraries
