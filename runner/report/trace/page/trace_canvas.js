// Drawings on canvases, which cost a step no elements: sharp on every screen, in the colours of the page's light or dark, and
// drawn anew where its width or the colours change. What they show stands beside them in words.
"use strict";
(() => {
  const probe = Trace.el("i", { hidden: true });  // the style sheet's colours, as the canvas takes them
  document.body.append(probe);
  const known = new Map(), drawings = [];

  // Of any text that CSS takes for a colour: "var(--s0)".
  Trace.colour = (text) => {
    let colour = known.get(text);
    if (colour === undefined) {
      probe.style.color = text;
      colour = getComputedStyle(probe).color;
      known.set(text, colour);
    }
    return colour;
  };
  const anew = () => {
    known.clear();
    for (const one of drawings) one.draw();
  };
  new MutationObserver(anew).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", anew);
  const onPaper = (scheme) => () => {  // paper is light
    probe.style.colorScheme = scheme;
    anew();
  };
  addEventListener("beforeprint", onPaper("light"));
  addEventListener("afterprint", onPaper(""));

  // A canvas as wide as its box. show(height, label, paint): paint(context, width, tip) draws, in CSS pixels, and may say by
  // tip(x, y, width, height, text) what the pointer is told of a place.
  Trace.drawing = (className) => {
    const canvas = Trace.el("canvas", { class: className, role: "img" }), context = canvas.getContext("2d");
    let width = 0, height = 0, paint = null, tips = [];
    const tip = (...place) => tips.push(place);
    const one = {
      canvas,
      height: () => height,
      paint: (c, across) => paint(c, across, () => {}),
      picture: () => Trace.pictureOf(width, height, canvas.ariaLabel, paint),
      draw: () => {
        if (!paint || !width) return;
        const scale = devicePixelRatio || 1, across = Math.round(width * scale), down = Math.round(height * scale);
        if (canvas.width !== across || canvas.height !== down) {
          canvas.width = across;
          canvas.height = down;
        }
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.clearRect(0, 0, width, height);
        tips = [];
        paint(context, width, tip);
      },
      show: (tall, label, painter) => {
        if (height !== tall) canvas.style.height = `${tall}px`;
        height = tall;
        paint = painter;
        Trace.name(canvas, label);
        one.draw();
      },
    };
    canvas.addEventListener("mousemove", (event) => {
      const { offsetX: x, offsetY: y } = event;
      const found = tips.find(([left, top, w, h]) => x >= left && x < left + w && y >= top && y < top + h);
      canvas.title = found ? found[4] : "";
    });
    new ResizeObserver(([entry]) => {
      const now = entry.contentRect.width;  // none while it is hidden: it will be as wide as before
      if (!now || now === width) return;
      width = now;
      one.draw();
    }).observe(canvas);
    drawings.push(one);
    return one;
  };
})();
