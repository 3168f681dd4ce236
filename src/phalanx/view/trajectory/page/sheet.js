// Curves as they come from the server, in numbers that a person reads: degrees instead of radians.

export const DEGREES = 180 / Math.PI;

// A binary message: {head, times, q, v, a, torque}, the last four with one array for each joint.
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const numbers = new Float32Array(buffer, 4 + length);
  const n = head.joints, count = numbers.length / (1 + 4 * n);
  const rows = (first) => Array.from({ length: n }, (_, j) => numbers.subarray((first + j) * count, (first + j + 1) * count));
  return { head, times: numbers.subarray(0, count), q: rows(1), v: rows(1 + n), a: rows(1 + 2 * n), torque: rows(1 + 3 * n) };
}

// Units of one joint: {length, factor}, with the factor from radians or metres to what is shown.
export function units(angle) {
  return angle
    ? { position: "deg", velocity: "deg/s", acceleration: "deg/s²", torque: "N·m", factor: DEGREES, nudge: 1 / DEGREES }
    : { position: "m", velocity: "m/s", acceleration: "m/s²", torque: "N", factor: 1, nudge: 0.01 };
}

export const scaled = (values, factor) => (factor === 1 ? values : values.map((v) => v * factor));

// Torque of a joint as a share of the limit on its side [%]; nothing where there is none.
export function shares(values, [low, high]) {
  if (low === null && high === null) return null;
  return values.map((v) => {
    const limit = v >= 0 ? high : low;
    return limit ? (100 * v) / Math.abs(limit) : 0;
  });
}
