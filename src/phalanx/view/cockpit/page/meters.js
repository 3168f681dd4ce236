// Telemetry for developers: how well clock and line are kept. Off until somebody asks for it.

const $ = (id) => document.getElementById(id);
const text = (id, value) => {
  if ($(id).textContent !== value) $(id).textContent = value;
};
const level = (share, warn, bad) => (share >= bad ? "bad" : share >= warn ? "warn" : "good");
const us = (x) => (x === null ? "–" : `${(1e6 * x).toFixed(0)} µs`);

export class Meters {
  constructor() {
    this.arrived = this.frames = 0;
    this.counted = performance.now();
    $("telemetry_button").onclick = () => this.toggle();
  }

  toggle() {
    $("telemetry").hidden = !$("telemetry").hidden;
    $("telemetry_button").setAttribute("aria-pressed", !$("telemetry").hidden);
  }

  // Once a second.
  count() {
    const passed = (performance.now() - this.counted) / 1000;
    this.counted = performance.now();
    text("display_rate", (this.frames / passed).toFixed(0));
    text("telemetry_rate", (this.arrived / passed).toFixed(0));
    this.frames = this.arrived = 0;
  }

  show({ period, step_median: median, step_p99: p99, missed_share: missed, late }) {
    if ($("telemetry").hidden) return;
    if (period && median !== null) {
      const meter = $("step_meter");
      meter.dataset.level = level((p99 ?? median) / period, 0.7, 1);
      meter.querySelector("i").style.width = `${Math.min(100, (100 * median) / period)}%`;
      meter.querySelector("u").style.left = `${Math.min(99, (100 * (p99 ?? median)) / period)}%`;
      meter.querySelector("output").textContent = `${us(median)}, p99 ${us(p99)} of ${us(period)}`;
    }
    if (missed !== null) {
      const meter = $("missed_meter");
      meter.dataset.level = level(missed, 0.01, 0.05);
      meter.querySelector("i").style.width = `${Math.min(100, 1000 * missed)}%`; // full at a tenth
      meter.querySelector("output").textContent = `${(100 * missed).toFixed(2)} %, ${late === null ? "–" : (1e3 * late).toFixed(1)} ms late`;
    }
  }

  roundTrip(milliseconds) {
    text("round_trip", milliseconds === null ? "–" : milliseconds.toFixed(1));
  }

  pages(count) {
    text("pages", count === null ? "–" : String(count));
  }
}
