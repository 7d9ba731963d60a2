// Pictures to keep: a drawing of the page, or all of a step, as SVG (the same calls, written down) and PNG, in the theme that is seen.
"use strict";
(() => {
  const { el } = Trace;
  const WIDE = 960, EDGE = 16, LETTER = 8.4, CAPTION = 20;  // pixels; of a letter of 15 pixels, on average
  const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const round = (x) => Number(x.toFixed(2));

  // What a canvas's context does here, as SVG.
  class Writer {
    constructor() { Object.assign(this, { parts: [], down: 0, across: 0, globalAlpha: 1, lineWidth: 1, font: "", textAlign: "left" }); }
    shape(x, y, width, height, radius, style) {
      this.parts.push(`<rect x="${round(x + this.across)}" y="${round(y + this.down)}" width="${round(Math.max(0, width))}" height="${round(Math.max(0, height))}"` +
        `${radius ? ` rx="${round(radius)}"` : ""} ${style}${this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : ""}/>`);
    }
    fillRect(x, y, width, height) { this.shape(x, y, width, height, 0, `fill="${this.fillStyle}"`); }
    strokeRect(x, y, width, height) { this.shape(x, y, width, height, 0, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"`); }
    beginPath() { this.path = null; }
    roundRect(...path) { this.path = path; }
    fill() { this.shape(...this.path, `fill="${this.fillStyle}"`); }
    fillText(text, x, y, most) {
      const [, bold, size, family] = this.font.match(/^(bold )?([\d.]+)px (.*)$/);
      const squeezed = most && String(text).length * size * 0.6 > most ? ` textLength="${round(most)}" lengthAdjust="spacingAndGlyphs"` : "";
      this.parts.push(`<text x="${round(x + this.across)}" y="${round(y + this.down)}" font-size="${size}"${bold ? " font-weight=\"bold\"" : ""} font-family="${escaped(family)}" ` +
        `text-anchor="${this.textAlign === "center" ? "middle" : "start"}" fill="${this.fillStyle}"${squeezed}>${escaped(text)}</text>`);
    }
    translate(x, y) { this.across += x; this.down += y; }
  }

  // {svg, png} of what paint(context, width) draws; `label`: what it shows, in words.
  Trace.pictureOf = (width, height, label, paint) => {
    const whole = (c) => {
      c.fillStyle = Trace.colour("var(--ground)");
      c.fillRect(0, 0, width + 2 * EDGE, height + 2 * EDGE);
      c.translate(EDGE, EDGE);
      paint(c, width, () => {});
    };
    const across = width + 2 * EDGE, down = height + 2 * EDGE;
    return {
      svg: () => {
        const writer = new Writer();
        whole(writer);
        return `<svg xmlns="http://www.w3.org/2000/svg" width="${across}" height="${down}" viewBox="0 0 ${across} ${down}" role="img">` +
          `<title>${escaped(label)}</title>\n${writer.parts.join("\n")}\n</svg>\n`;
      },
      png: () => {
        const canvas = el("canvas", { width: 2 * across, height: 2 * down }), context = canvas.getContext("2d");
        context.scale(2, 2);
        whole(context);
        return new Promise((done) => canvas.toBlob(done, "image/png"));
      },
    };
  };

  const keep = async (name, kind, picture) => {
    const blob = kind === "svg" ? new Blob([picture.svg()], { type: "image/svg+xml" }) : await picture.png();
    const link = el("a", { href: URL.createObjectURL(blob), download: `${name}.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  // Two buttons. picture(): what Trace.pictureOf gives; name(): the file's, without its ending.
  Trace.keepButtons = (what, name, picture) => ["svg", "png"].map((kind) =>
    el("button", { type: "button", "aria-label": `Keep ${what} as ${kind.toUpperCase()}`, onclick: () => keep(name(), kind, picture()) },
      kind.toUpperCase()));

  const STYLES = { run: "var(--s0)", off: "var(--rule)", wait: "var(--s5)", part: "var(--s1)", ready: "light-dark(#b9d6ea, #274a63)", gone: "var(--sunk)" };
  const WORDS = { run: "active", off: "guard false", wait: "waiting", part: "on another way", ready: "can go on", gone: "exited, or none" };

  const drawLanes = (c, width, warp, i) => {
    const state = Trace.stateOf(warp, i), across = (width - 31 * 2) / 32, seen = new Set();
    c.font = "11px system-ui, sans-serif";
    for (let lane = 0; lane < 32; lane++) {
      const kind = Trace.kindOf(state, lane), x = lane * (across + 2);
      seen.add(kind);
      c.fillStyle = Trace.colour(STYLES[kind]);
      c.fillRect(x, 0, across, 18);
      c.fillStyle = Trace.colour("var(--soft)");
      c.textAlign = "center";
      c.fillText(String(lane), x + across / 2, 30);
    }
    c.textAlign = "left";
    let x = 0;
    for (const kind of seen) {
      c.fillStyle = Trace.colour(STYLES[kind]);
      c.fillRect(x, 40, 12, 12);
      c.fillStyle = Trace.colour("var(--soft)");
      c.fillText(WORDS[kind], x + 17, 50);
      x += 30 + WORDS[kind].length * 6.5;
    }
  };

  const lines = (text, most) => {
    const all = [""];
    for (const word of text.split(" ")) {
      const line = all[all.length - 1];
      if (line && line.length + word.length >= most) all.push(word); else all[all.length - 1] = line ? `${line} ${word}` : word;
    }
    return all;
  };

  // The step in words, its source line, its lanes, what its access touches, and its warp's cycles.
  Trace.pictureOfStep = (i, warp, heading, sentence) => {
    const drawings = [[Trace.memoryDrawing(), `${document.getElementById("memory-title").textContent}; numbers in boxes are lanes`],
      [Trace.timeDrawing(), "Modelled cycles, not measured. Blue: issues; waiting: orange for global memory, pink shared memory, gold a barrier, green a result"]]
      .filter(([one]) => one && one.height() > 0);
    const said = lines(sentence, WIDE / LETTER), line = Trace.lineOf(i);
    const [, source] = Trace.doc.source.lines.find(([number]) => number === line) || [0, ""];
    const above = 26 + said.length * 20 + (source ? 24 : 0) + 70;
    const height = above + drawings.reduce((sum, [one]) => sum + CAPTION + one.height() + 24, 0);
    return Trace.pictureOf(WIDE, height, sentence, (c, width) => {
      c.textAlign = "left";
      c.font = "bold 15px system-ui, sans-serif";
      c.fillStyle = Trace.colour("var(--ink)");
      c.fillText(heading, 0, 14);
      c.font = "15px system-ui, sans-serif";
      said.forEach((one, k) => c.fillText(one, 0, 38 + 20 * k));
      c.translate(0, 26 + said.length * 20);
      if (source) {
        c.font = "13px ui-monospace, monospace";
        c.fillStyle = Trace.colour("var(--soft)");
        c.fillText(`${line}  ${source.trim()}`.slice(0, 118), 0, 14);
        c.translate(0, 24);
      }
      drawLanes(c, width, warp, i);
      c.translate(0, 70);
      for (const [one, caption] of drawings) {
        c.font = "12px system-ui, sans-serif";
        c.textAlign = "left";
        c.fillStyle = Trace.colour("var(--soft)");
        c.fillText(caption, 0, 10);
        c.translate(0, CAPTION);
        one.paint(c, width);
        c.translate(0, one.height() + 24);
      }
    });
  };
})();
