// A plot that scrolls: the last seconds of a few signals, drawn on a canvas.

import { KEPT } from "./history.js";

const SPAN = 20; // s
const COLOURS = ["#5aa9ff", "#f0883e", "#4cc38a", "#d678e8", "#e5c84a", "#f2777a", "#5fd0d6", "#a3b1c2"];

export const tint = (k) => COLOURS[k % COLOURS.length];

export class Plot {
  // chart: title, unit, factor, least and lines, as the server describes it
  constructor(canvas, history) {
    this.canvas = canvas;
    this.history = history;
    this.chart = null;
    this.context = canvas.getContext("2d");
    this.resized = true;
    new ResizeObserver(() => (this.resized = true)).observe(canvas);
  }

  draw() {
    if (this.resized) this.resize();
    const { context: c, width, height } = this;
    c.clearRect(0, 0, width, height);
    if (!this.chart || width < 60 || height < 30) return;
    const left = 44, bottom = height - 18, right = width - 8, top = 18;
    const end = Math.max(this.history.latest, SPAN), begin = end - SPAN;
    const [low, high] = this.range(begin);
    const x = (t) => left + ((t - begin) / SPAN) * (right - left);
    const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
    this.drawAxes(x, y, { left, bottom, right, top, begin, end, low, high });
    c.save();
    c.beginPath();
    c.rect(left, top - 2, right - left, bottom - top + 4);
    c.clip();
    this.chart.lines.forEach(({ signal, wanted }, k) => {
      if (wanted) this.drawLine(wanted, tint(k), true, x, y, begin);
      this.drawLine(signal, tint(k), false, x, y, begin);
    });
    c.restore();
  }

  drawAxes(x, y, { left, bottom, right, top, begin, end, low, high }) {
    const c = this.context;
    c.font = "12px system-ui, sans-serif";
    c.fillStyle = "#9aa7b8";
    c.strokeStyle = "#2a3542";
    c.lineWidth = 1;
    c.textAlign = "left";
    c.textBaseline = "top";
    c.fillText(this.chart.unit, 4, 0);
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.beginPath();
    const step = niceStep((high - low) / Math.max(2, Math.floor((bottom - top) / 24)));
    for (let v = Math.ceil(low / step) * step; v <= high + 1e-9; v += step) {
      const at = Math.round(y(v)) + 0.5;
      c.moveTo(left, at);
      c.lineTo(right, at);
      c.fillText(String(+v.toFixed(6)).replace("-", "−"), left - 6, at);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (let t = Math.ceil(begin / 5) * 5; t <= end; t += 5) {
      const at = Math.round(x(t)) + 0.5;
      c.moveTo(at, top);
      c.lineTo(at, bottom);
      c.fillText(`${t} s`, Math.min(at, right - 12), bottom + 4);
    }
    c.stroke();
  }

  drawLine(name, colour, dashed, x, y, begin) {
    const c = this.context, { times, signals, first, count } = this.history;
    const ring = signals.get(name);
    if (!ring) return;
    c.lineWidth = dashed ? 1.4 : 2;
    c.lineJoin = "round";
    c.strokeStyle = colour;
    c.globalAlpha = dashed ? 0.8 : 1;
    c.setLineDash(dashed ? [5, 5] : []);
    c.beginPath();
    let pen = false;
    for (let k = first; k < count; k++) {
      const t = times[k % KEPT], v = ring[k % KEPT] * this.chart.factor;
      if (t < begin - 1 || Number.isNaN(v)) { pen = pen && t < begin - 1; continue; }
      if (pen) c.lineTo(x(t), y(v));
      else c.moveTo(x(t), y(v));
      pen = true;
    }
    c.stroke();
    c.globalAlpha = 1;
    c.setLineDash([]);
  }

  // Lowest and highest value to show, rounded so that the scale does not tremble.
  range(begin) {
    const { times, signals, first, count } = this.history, { factor, least } = this.chart;
    let low = Infinity, high = -Infinity;
    for (const name of this.chart.lines.flatMap(({ signal, wanted }) => (wanted ? [signal, wanted] : [signal]))) {
      const ring = signals.get(name);
      if (!ring) continue;
      for (let k = first; k < count; k++) {
        const v = ring[k % KEPT] * factor;
        if (times[k % KEPT] < begin || Number.isNaN(v)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (low > high) return [0, least];
    const lack = Math.max(0, least - (high - low)) / 2;
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
