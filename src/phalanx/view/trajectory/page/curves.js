// One plot: curves over time on a canvas, limits, what is beyond them, a line at the time shown.

export const COLOURS = ["#5aa9ff", "#f0883e", "#4cc38a", "#d678e8", "#e5c84a", "#5fd0d6", "#ff9ecb", "#a5e05f", "#a3b1c2", "#c9a27a"];
const BAD = "#f2555a";
const LEFT = 56, RIGHT = 12, TOP = 6, BOTTOM = 17; // px around the curves

export class Plot {
  // title: its name; last: whether times are written below it
  constructor(parent, id, title, last) {
    this.box = Object.assign(document.createElement("section"), { className: "plot" });
    this.box.innerHTML = '<h3><b></b><small></small></h3><div><canvas tabindex="0"></canvas></div>';
    this.head = this.box.querySelector("h3");
    this.canvas = this.box.querySelector("canvas");
    this.canvas.id = id;
    this.canvas.setAttribute("role", "img");
    this.context = this.canvas.getContext("2d");
    this.last = last;
    this.range = [0, 1];
    this.span = 1;
    this.grabbed = null; // the range in which something was grabbed
    this.entitle(title, "");
    this.resized = true;
    new ResizeObserver(() => ((this.resized = true), this.draw())).observe(this.canvas);
    parent.append(this.box);
  }

  entitle(title, note) {
    this.head.querySelector("b").textContent = title;
    this.head.querySelector("small").textContent = note;
    this.canvas.setAttribute("aria-label", `${title} ${note}`);
  }

  // content: {times, curves: [{values, colour, strong, low, high}], limits: [numbers], bands: [[from, to, strong]],
  // points: [{time, value, colour, strong, chosen}]}; low and high are limits beyond which a curve is red
  show(content, span, least) {
    this.content = content;
    this.span = span;
    const [low, high] = this.fit(content, least);
    // while something is dragged the scale only grows: it must not slip away under the pointer
    this.range = this.grabbed ? [Math.min(low, this.range[0]), Math.max(high, this.range[1])] : [low, high];
    this.draw();
  }

  set cursor(time) {
    this.at = time;
    this.draw();
  }

  x(t) {
    return LEFT + (t / this.span) * (this.width - LEFT - RIGHT);
  }

  y(v) {
    const [low, high] = this.range;
    return this.height - BOTTOM - ((v - low) / (high - low)) * (this.height - BOTTOM - TOP);
  }

  timeAt(px) {
    return Math.min(Math.max(((px - LEFT) / (this.width - LEFT - RIGHT)) * this.span, 0), this.span);
  }

  // The value at a height, which may be above or below the plot.
  valueAt(py) {
    const [low, high] = this.grabbed ?? this.range;
    return low + ((this.height - BOTTOM - py) / (this.height - BOTTOM - TOP)) * (high - low);
  }

  // The range of what is drawn, with a limit if it is near, and air.
  fit({ curves, limits, points }, least) {
    let low = Infinity, high = -Infinity;
    for (const { values } of curves) for (const v of values) (low = Math.min(low, v)), (high = Math.max(high, v));
    for (const { value } of points ?? []) (low = Math.min(low, value)), (high = Math.max(high, value));
    if (low > high) return [-least / 2, least / 2];
    const reach = Math.max(Math.abs(low), Math.abs(high), high - low);
    for (const v of limits ?? []) if (Math.abs(v) < 1.8 * reach) (low = Math.min(low, v)), (high = Math.max(high, v));
    const air = Math.max(0.08 * (high - low), (least - (high - low)) / 2, 1e-6);
    const step = niceStep((high - low + 2 * air) / 10);
    return [Math.floor((low - air) / step) * step, Math.ceil((high + air) / step) * step];
  }

  draw() {
    if (this.resized) this.resize();
    const { context: c, width, height, content } = this;
    c.clearRect(0, 0, width, height);
    if (!content || width < 80 || height < 40) return;
    this.drawBands(content.bands ?? []);
    this.drawGrid();
    c.save();
    c.beginPath();
    c.rect(LEFT, TOP - 4, width - LEFT - RIGHT + 1, height - BOTTOM - TOP + 8);
    c.clip();
    for (const limit of content.limits ?? []) this.drawLimit(limit);
    const { times } = content;
    for (const curve of content.curves) this.drawCurve(times, curve);
    c.restore();
    for (const point of content.points ?? []) this.drawPoint(point);
    if (this.at !== undefined) {
      const x = Math.round(this.x(this.at)) + 0.5;
      c.strokeStyle = "#e7ecf2";
      c.globalAlpha = 0.7;
      c.lineWidth = 1;
      c.setLineDash([]);
      line(c, x, TOP - 2, x, height - BOTTOM + 2);
      c.globalAlpha = 1;
    }
  }

  drawBands(bands) {
    const { context: c, height } = this;
    for (const [from, to, strong] of bands) {
      const left = this.x(from), right = Math.max(this.x(to), left + 2);
      c.fillStyle = strong ? "#f2555a3d" : "#f2555a18";
      c.fillRect(left, TOP - 2, right - left, height - BOTTOM - TOP + 4);
    }
  }

  drawGrid() {
    const { context: c, width, height } = this;
    const [low, high] = this.range;
    c.font = "10.5px system-ui, sans-serif";
    c.fillStyle = "#8d9aab";
    c.strokeStyle = "#232d38";
    c.lineWidth = 1;
    c.setLineDash([]);
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.beginPath();
    const room = Math.max(2, Math.floor((height - TOP - BOTTOM) / 20));
    let step = niceStep((high - low) / room);
    if ((high - low) / step < 3) step = niceStep(0.39 * step); // the next below
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
      const v = k * step; // not by adding steps: a sum of tenths is not quite zero
      const y = Math.round(this.y(v)) + 0.5;
      c.moveTo(LEFT, y);
      c.lineTo(width - RIGHT, y);
      c.fillText(String(+v.toPrecision(6)), LEFT - 6, y);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    const tick = niceStep(this.span / Math.max(3, Math.floor((width - LEFT) / 90)));
    for (let k = 0; k * tick <= this.span + 1e-9; k++) {
      const t = k * tick;
      const x = Math.round(this.x(t)) + 0.5;
      c.moveTo(x, TOP);
      c.lineTo(x, height - BOTTOM);
      c.fillText(`${+t.toPrecision(6)} s`, Math.min(x, width - 16), height - BOTTOM + 4);
    }
    c.stroke();
  }

  drawLimit(limit) {
    const { context: c, width } = this;
    c.strokeStyle = BAD;
    c.globalAlpha = 0.85;
    c.lineWidth = 1;
    c.setLineDash([6, 4]);
    line(c, LEFT, this.y(limit), width - RIGHT, this.y(limit));
    c.globalAlpha = 1;
    c.setLineDash([]);
  }

  drawCurve(times, { values, colour, strong, low, high }) {
    const { context: c } = this;
    c.globalAlpha = strong ? 1 : 0.4;
    c.lineWidth = strong ? 2 : 1.2;
    c.lineJoin = "round";
    c.strokeStyle = colour;
    this.trace(times, values);
    if (low === undefined && high === undefined) return (c.globalAlpha = 1);
    // once more in red, only where it is beyond
    c.save();
    c.beginPath();
    if (high !== undefined) c.rect(LEFT, 0, this.width, Math.max(this.y(high), 0));
    if (low !== undefined) c.rect(LEFT, this.y(low), this.width, this.height);
    c.clip();
    c.globalAlpha = 1;
    c.strokeStyle = BAD;
    c.lineWidth = strong ? 2.6 : 1.6;
    this.trace(times, values);
    c.restore();
    c.globalAlpha = 1;
  }

  trace(times, values) {
    const { context: c } = this;
    c.beginPath();
    for (let k = 0; k < times.length; k++) c.lineTo(this.x(times[k]), this.y(values[k]));
    c.stroke();
  }

  drawPoint({ time, value, colour, strong, chosen }) {
    const { context: c } = this;
    c.beginPath();
    c.arc(this.x(time), this.y(value), strong ? 5.5 : 3, 0, 2 * Math.PI);
    c.fillStyle = chosen ? "#ffffff" : strong ? colour : "#171d25";
    c.globalAlpha = strong ? 1 : 0.55;
    c.fill();
    c.lineWidth = chosen ? 3 : 1.5;
    c.strokeStyle = strong && !chosen ? "#10141a" : colour;
    c.stroke();
    c.globalAlpha = 1;
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

function line(c, x0, y0, x1, y1) {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  return power * [1, 2, 5, 10].find((step) => step * power >= rough * 0.999);
}
