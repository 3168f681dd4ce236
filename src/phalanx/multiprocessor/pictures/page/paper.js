// What every page draws with: canvases, colours of the theme, elements, the tip at the pointer.
const given = JSON.parse(document.getElementById("plan").textContent);
const byId = (id) => document.getElementById(id);
const tip = byId("tip");
const FONT = '12px system-ui, "Segoe UI", Roboto, sans-serif';
let colors = {}, hatch = null, size = { width: 0, height: 0 }, waiting = false;
const shown = (time) => Number(time.toPrecision(6)).toString();

const readable = (color) => {
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b < 140 ? "#ffffff" : "#1d2733";
};

function element(kind, text, className) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function readColors() {
  const style = getComputedStyle(document.documentElement);
  const names = ["paper", "ink", "quiet", "line", "idle", "hatch", "before", "after", "wrong",
    "accent", "busy"];
  colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)]));
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = colors.idle;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = colors.hatch;
  pen.beginPath();
  for (const k of [-8, 0, 8]) { pen.moveTo(k - 1, 9); pen.lineTo(k + 9, -1); }
  pen.stroke();
  hatch = tile;
}

function penOf(target) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = target;
  if (target.width !== Math.round(width * ratio) || target.height !== Math.round(height * ratio)) {
    target.width = Math.round(width * ratio);
    target.height = Math.round(height * ratio);
  }
  const pen = target.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = FONT;
  return [pen, width, height];
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawAll(); });
}

function frame(pen, x, y, wide, high, color, line) {
  pen.lineWidth = line;
  pen.strokeStyle = color;
  if (wide > 2 * line) {
    pen.strokeRect(x + line / 2, y + line / 2, wide - line, high - line);
  } else {
    pen.fillStyle = color;
    pen.fillRect(x, y + high - 3, Math.max(wide, 1), 3);
  }
  pen.lineWidth = 1;
}

function putTip(x, y) {
  const top = canvas.offsetTop;
  const beside = x + 18 + tip.offsetWidth < size.width ? x + 18 : x - tip.offsetWidth - 12;
  tip.style.left = `${Math.max(0, beside)}px`;
  tip.style.top = `${Math.max(0, Math.min(y + 16, size.height - tip.offsetHeight) + top)}px`;
}

byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  setTheme(root.dataset.theme === "dark" ? "light" : "dark");
});
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  readColors();
  redraw();
}
function followTheme() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
}
