// The last samples of all signals, in rings.

export const KEPT = 1024; // more than come in the time that plots show
const JUMP = 2; // s

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

  // Whether a time does not go on from the last: the machine was reset, or a recording moved by hand.
  jumps(time) {
    return this.count > 0 && (time < this.latest || time > this.latest + JUMP);
  }

  // signals: numbers (or null) by name
  add(time, signals) {
    if (this.jumps(time)) this.clear();
    if (this.count && time === this.latest) this.count--; // it is paused
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

  // The last value of a signal, or NaN.
  last(name) {
    const ring = this.signals.get(name);
    return ring && this.count ? ring[(this.count - 1) % KEPT] : NaN;
  }
}

// Numbers of a machine's telemetry by name: angles.0, pressures.boom.head, payload.
export function signalsOf(telemetry) {
  const signals = { payload: telemetry.payload };
  for (const kind of ["desired", "angles", "rates", "spool", "torque"]) {
    telemetry[kind].forEach((value, k) => (signals[`${kind}.${k}`] = value));
  }
  for (const label in telemetry.pressures) signals[`pressures.${label}`] = telemetry.pressures[label];
  return signals;
}
