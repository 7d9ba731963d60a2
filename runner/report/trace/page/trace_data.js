// The document of the page as typed arrays. Columns are differences, byte plane by byte plane, deflated
// (packed_table.h); values of lanes are packed as value_code.h says.
"use strict";
const Trace = {};
(() => {
  const NONE = 0xffffffff;
  Trace.NONE = NONE;

  const inflate = async (base64) => {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };

  const table = async (packed) => {
    const bytes = await inflate(packed.data);
    const columns = { rows: packed.rows };
    packed.columns.forEach((name, c) => {
      const column = new Uint32Array(packed.rows);
      const at = c * 4 * packed.rows;
      let sum = 0;
      for (let i = 0; i < packed.rows; i++) {
        const difference = bytes[at + i] | bytes[at + packed.rows + i] << 8 | bytes[at + 2 * packed.rows + i] << 16 |
          bytes[at + 3 * packed.rows + i] << 24;
        sum = (sum + difference) >>> 0;
        column[i] = sum;
      }
      columns[name] = column;
    });
    return columns;
  };

  Trace.lanesOf = (mask) => {
    const lanes = [];
    for (let lane = 0; lane < 32; lane++) if (mask >>> lane & 1) lanes.push(lane);
    return lanes;
  };
  Trace.countOf = (mask) => Trace.lanesOf(mask).length;

  // 64-bit numbers are BigInt: addresses and some registers need all of them.
  class Reader {
    constructor(bytes, at) { this.bytes = bytes; this.at = at; }
    byte() { return this.bytes[this.at++]; }
    number() {
      let value = 0n, shift = 0n;
      for (;;) {
        const byte = this.byte();
        value |= BigInt(byte & 127) << shift;
        if (byte < 128) return BigInt.asUintN(64, value);
        shift += 7n;
      }
    }
    // The lanes' values, by lane; null where they are not known.
    lanes(mask) {
      const form = this.byte();
      if (form === 0) return null;
      const values = new Array(32).fill(null);
      let value = this.number(), step = 0n;
      if (form === 2) {
        const zigzag = this.number();
        step = zigzag & 1n ? -(zigzag >> 1n) - 1n : zigzag >> 1n;
      }
      for (let lane = 0; lane < 32; lane++) {
        if (!(mask >>> lane & 1)) continue;
        let more = 0n;
        for (let k = 0; k < form - 3; k++) more |= BigInt(this.byte()) << BigInt(8 * k);
        values[lane] = BigInt.asUintN(64, value + more);
        value += step;
      }
      return values;
    }
  }

  const half = (bits) => {
    const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
  };
  const view = new DataView(new ArrayBuffer(8));
  const real = (number, digits) => Number.isFinite(number) ? String(Number(number.toPrecision(digits))) : String(number);

  // One lane's value as words: the same rules as step_values.cpp.
  Trace.valueText = (type, bits) => {
    if (bits === null || bits === undefined) return "?";
    view.setBigUint64(0, bits, true);
    switch (type) {
      case "pred": return bits ? "true" : "false";
      case "f32": return real(view.getFloat32(0, true), 7);
      case "f64": return real(view.getFloat64(0, true), 9);
      case "f16": return real(half(Number(bits & 0xffffn)), 5);
      case "bf16":
        view.setUint32(0, Number(bits & 0xffffn) << 16, true);
        return real(view.getFloat32(0, true), 4);
    }
    const width = type.endsWith("64") ? 64 : type.endsWith("16") ? 16 : type.endsWith("8") ? 8 : 32;
    if (width === 64) {
      const array = Trace.doc.arrays.find((a) => !a.shared && bits >= BigInt(a.address) && bits - BigInt(a.address) <= BigInt(a.bytes));
      if (array) return `${array.name} + ${bits - BigInt(array.address)} B`;
      if (bits >= 1n << 32n && bits < 1n << 63n) return "0x" + bits.toString(16);
    }
    const kept = BigInt.asUintN(width, bits);
    if (type.startsWith("s") || kept >= (1n << BigInt(width)) - 65536n) return String(BigInt.asIntN(width, kept));
    return String(kept);
  };

  // [{name, type, stored, lanes}] of a step; lanes: values by lane, or null where nobody reads them later.
  Trace.valuesOf = (i) => {
    const s = Trace.steps, at = s.values[i];
    if (s.site[i] === NONE || at === NONE || at >= Trace.doc.values_bytes) return [];
    const site = Trace.doc.sites[s.site[i]], mask = (s.active[i] & ~s.off[i]) >>> 0;
    const reader = new Reader(Trace.values, at), all = [];
    for (const [name, type] of site.results || []) all.push({ name, type, stored: false, lanes: reader.lanes(mask) });
    if (s.access[i] !== NONE)
      for (const [name, type] of site.stored || []) all.push({ name, type, stored: true, lanes: reader.lanes(mask) });
    return all;
  };

  Trace.textOf = (i) => {
    let arg = Trace.steps.first_arg[i];
    return Trace.doc.texts[Trace.steps.text[i]].replace(/\{\}/g, () => {
      const low = Trace.args.low[arg], high = Trace.args.high[arg++] | 0;
      return String(high * 4294967296 + low);
    });
  };

  Trace.accessOf = (i) => {
    const k = Trace.steps.access[i];
    if (k === NONE) return null;
    const a = Trace.accesses;
    if (!Trace.places[k]) {
      const lanes = new Reader(Trace.lanes, Trace.laneStarts[k]).lanes(a.mask[k]);
      Trace.places[k] = lanes.map((v) => v === null ? null : Number(BigInt.asIntN(64, v)));
    }
    return {
      space: ["global", "shared", "local"][a.space[k]], kind: ["load", "store", "atomic"][a.kind[k]], width: a.width[k],
      mask: a.mask[k], sectors: a.sectors[k], bytes: a.distinct_bytes[k], wavefronts: a.wavefronts[k],
      ideal: a.ideal_wavefronts[k], relative: Trace.places[k], number: k,
      base: Trace.steps.address_high[i] * 4294967296 + Trace.steps.address[i],
    };
  };

  // "s[12]" of an address; its number in hexadecimal where no array has it.
  Trace.elementName = (access, address) => {
    const shared = access.space === "shared";
    const array = access.space === "local" ? null
      : Trace.doc.arrays.find((a) => a.shared === shared && address >= a.address && address < a.address + a.bytes);
    if (!array) return access.space === "local" ? `local + ${address}` : "0x" + address.toString(16);
    return `${array.name}[${Math.floor((address - array.address) / access.width)}]`;
  };

  Trace.load = async () => {
    const doc = JSON.parse(document.getElementById("trace-data").textContent);
    Trace.doc = doc;
    Trace.steps = await table(doc.steps);
    Trace.args = await table(doc.args);
    Trace.accesses = await table(doc.accesses);
    Trace.lanes = await inflate(doc.accesses.lanes);
    Trace.values = await inflate(doc.values);
    Trace.places = [];
    // Where each access's lanes begin: one pass, for they have no fixed length.
    const reader = new Reader(Trace.lanes, 0);
    Trace.laneStarts = new Uint32Array(Trace.accesses.rows);
    for (let k = 0; k < Trace.accesses.rows; k++) {
      Trace.laneStarts[k] = reader.at;
      reader.lanes(Trace.accesses.mask[k]);
    }
    Trace.count = Trace.steps.rows;
  };
})();
