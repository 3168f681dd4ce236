// Plots that scroll: the last seconds of a few signals, drawn on a canvas.

const SPAN = 20; // s
const KEPT = 1024; // samples: more than come in that time
const COLOURS = ["#5aa9ff", "#f0883e", "#4cc38a", "#d678e8", "#e5c84a", "#f2777a", "#5fd0d6", "#a3b1c2", "#ff9ecb", "#a5e05f"];

// The last samples of all signals, in rings.
export class History {
  constructor() {
    this.times = new Float64Array(KEPT);
    this.signals = new Map();
    this.clear();
  }

  clear() {
    this.count = 0;
    for (const ring of this.signals.values()) ring.fill(NaN);
  }

  // signals: numbers (or null) by name
  add(time, signals) {
    const last = this.times[(this.count - 1 + KEPT) % KEPT];
    if (this.count && time < last) this.clear(); // the machine was reset
    if (this.count && time === last) this.count--; // it is paused
    const at = this.count % KEPT;
    this.times[at] = time;
    for (const name in signals) {
      if (!this.signals.has(name)) this.signals.set(name, new Float32Array(KEPT).fill(NaN));
      this.signals.get(name)[at] = signals[name] ?? NaN;
    }
    this.count++;
  }

  get latest() {
    return this.count ? this.times[(this.count - 1) % KEPT] : 0;
  }

  get first() {
    return Math.max(0, this.count - KEPT);
  }
}

export class Plot {
  // least: the smallest range shown
  constructor(parent, title, unit, history, least) {
    this.history = history;
    this.least = least;
    this.lines = [];
    const box = Object.assign(document.createElement("section"), { className: "plot" });
    box.innerHTML = "<h3><b></b></h3><div><canvas></canvas></div>";
    this.head = box.querySelector("h3");
    this.head.firstChild.textContent = `${title} [${unit}]`;
    this.canvas = box.querySelector("canvas");
    this.context = this.canvas.getContext("2d");
    this.resized = true;
    new ResizeObserver(() => (this.resized = true)).observe(this.canvas);
    parent.append(box);
  }

  // Draw these signals: [{name, label, colour, dashed}], with the colour as a number. Those without a
  // label are not in the legend, where dashes stand for all of them.
  setLines(lines) {
    this.lines = lines.map((line, k) => ({ ...line, tint: COLOURS[(line.colour ?? k) % COLOURS.length] }));
    while (this.head.childNodes.length > 1) this.head.lastChild.remove();
    for (const { label, tint, dashed } of this.lines) {
      if (!label) continue;
      const item = document.createElement("span");
      const mark = document.createElement("i");
      if (dashed) mark.className = "dashed";
      else mark.style.background = tint;
      item.append(mark, label);
      this.head.append(item);
    }
  }

  draw() {
    if (this.resized) this.resize();
    const { context: c, width, height } = this;
    c.clearRect(0, 0, width, height);
    if (width < 60 || height < 30) return;
    const left = 40, bottom = height - 15, right = width - 6, top = 6;
    const end = Math.max(this.history.latest, SPAN), begin = end - SPAN;
    const [low, high] = this.range(begin);
    const x = (t) => left + ((t - begin) / SPAN) * (right - left);
    const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);

    c.font = "10.5px system-ui, sans-serif";
    c.fillStyle = "#8d9aab";
    c.strokeStyle = "#232d38";
    c.lineWidth = 1;
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.beginPath();
    const step = niceStep((high - low) / Math.max(3, Math.floor((bottom - top) / 22)));
    for (let v = Math.ceil(low / step) * step; v <= high + 1e-9; v += step) {
      const at = Math.round(y(v)) + 0.5;
      c.moveTo(left, at);
      c.lineTo(right, at);
      c.fillText(String(+v.toFixed(6)), left - 5, at);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (let t = Math.ceil(begin / 5) * 5; t <= end; t += 5) {
      const at = Math.round(x(t)) + 0.5;
      c.moveTo(at, top);
      c.lineTo(at, bottom);
      c.fillText(`${t} s`, Math.min(at, right - 12), bottom + 3);
    }
    c.stroke();

    c.save();
    c.beginPath();
    c.rect(left, top - 2, right - left, bottom - top + 4);
    c.clip();
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    for (const line of this.lines) {
      const ring = this.history.signals.get(line.name);
      if (!ring) continue;
      c.strokeStyle = line.tint;
      c.globalAlpha = line.dashed ? 0.75 : 1;
      c.setLineDash(line.dashed ? [4, 4] : []);
      c.beginPath();
      let pen = false;
      for (let k = this.history.first; k < this.history.count; k++) {
        const t = this.history.times[k % KEPT], v = ring[k % KEPT];
        if (t < begin - 1 || Number.isNaN(v)) { pen = pen && t < begin - 1; continue; }
        if (pen) c.lineTo(x(t), y(v));
        else c.moveTo(x(t), y(v));
        pen = true;
      }
      c.stroke();
    }
    c.restore();
  }

  // Lowest and highest value to show, rounded so that the scale does not tremble.
  range(begin) {
    let low = Infinity, high = -Infinity;
    for (const { name } of this.lines) {
      const ring = this.history.signals.get(name);
      if (!ring) continue;
      for (let k = this.history.first; k < this.history.count; k++) {
        const v = ring[k % KEPT];
        if (this.history.times[k % KEPT] < begin || Number.isNaN(v)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (low > high) return [0, this.least];
    const lack = Math.max(0, this.least - (high - low)) / 2;
    const step = niceStep((high - low + 2 * lack) / 4);
    return [Math.floor((low - lack) / step) * step, Math.ceil((high + lack) / step) * step];
  }

  resize() {
    this.resized = false;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
  }
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  return power * [1, 2, 5, 10].find((step) => step * power >= rough * 0.999);
}
