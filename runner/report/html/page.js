// Every page: a switch between light and dark (as the system says, until the reader chooses; remembered where the browser lets us), and contents that are open where they have room.
"use strict";
(() => {
  const order = ["auto", "light", "dark"];
  const words = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  let theme = "auto";
  try { theme = localStorage.getItem("gpulab-theme") || "auto"; } catch (e) { /* pages of files may have no memory */ }
  if (!order.includes(theme)) theme = "auto";
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  show();
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "theme";
    button.textContent = words[theme];
    button.addEventListener("click", () => {
      theme = order[(order.indexOf(theme) + 1) % order.length];
      try { localStorage.setItem("gpulab-theme", theme); } catch (e) { /* as above */ }
      button.textContent = words[theme];
      show();
    });
    document.querySelector(".bar-top").append(button);
    if (matchMedia("(min-width: 94rem)").matches)  // there is room for it beside the prose (page.css)
      for (const contents of document.querySelectorAll("details.contents")) contents.open = true;
  });
})();
