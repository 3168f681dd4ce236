// Two sticks on the screen, moved by pointers, keys and a gamepad; whoever lets go, they spring back.

const KEYS = {
  KeyA: [0, -1], KeyD: [0, 1], KeyS: [1, -1], KeyW: [1, 1],
  KeyJ: [2, -1], KeyL: [2, 1], KeyK: [3, -1], KeyI: [3, 1],
  ArrowLeft: [2, -1], ArrowRight: [2, 1], ArrowDown: [3, -1], ArrowUp: [3, 1],
};
// arrows move the stick that has the focus, or else the right one
const LEFT_OF = { ArrowLeft: "KeyA", ArrowRight: "KeyD", ArrowDown: "KeyS", ArrowUp: "KeyW" };
const RISE = 5; // deflection a second while a key is down
const FALL = 12; // and after it is let go
const FINE = 0.33; // of the deflection, with the shift key
const SLACK = 0.12; // of a gamepad's stick, around its middle

const clamp = (x) => Math.min(Math.max(x, -1), 1);

class Pad {
  constructor(root, name, started) {
    root.innerHTML =
      '<p class="caption"></p><div class="pad" role="application" aria-roledescription="stick" tabindex="0">' +
      '<span class="north"></span><span class="west"></span><span class="east"></span><span class="south"></span>' +
      '<div class="knob"><output></output></div></div>';
    this.name = name;
    this.root = root;
    this.pad = root.querySelector(".pad");
    this.knob = root.querySelector(".knob");
    this.shown = root.querySelector("output");
    this.pointer = null;
    this.x = this.y = 0;
    this.pad.addEventListener("pointerdown", (event) => {
      if (this.pointer !== null) return;
      this.pointer = event.pointerId;
      this.pad.setPointerCapture(event.pointerId);
      this.pad.classList.add("held");
      this.follow(event);
      started();
      event.preventDefault();
    });
    this.pad.addEventListener("pointermove", (event) => this.follow(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      this.pad.addEventListener(end, (event) => {
        if (event.pointerId === this.pointer) this.letGo();
      });
    }
    this.pad.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  follow(event) {
    if (event.pointerId !== this.pointer) return;
    const box = this.pad.getBoundingClientRect();
    const reach = box.width / 2 - this.knob.offsetWidth / 2;
    this.x = clamp((event.clientX - box.left - box.width / 2) / reach);
    this.y = clamp(-(event.clientY - box.top - box.height / 2) / reach);
  }

  letGo() {
    this.pointer = null;
    this.x = this.y = 0;
    this.pad.classList.remove("held");
  }

  draw(x, y) {
    const reach = (this.pad.offsetWidth - this.knob.offsetWidth) / 2;
    this.knob.style.transform = `translate(${x * reach}px, ${-y * reach}px)`;
    this.pad.classList.toggle("off", x !== 0 || y !== 0);
    this.shown.textContent = x || y ? `${Math.round(100 * x)}\n${Math.round(100 * y)}` : "";
  }

  label(horizontal, vertical) {
    const put = (place, words) => (this.root.querySelector(place).textContent = words);
    const names = [`↔ ${horizontal.name}`, `↕ ${vertical.name}`];
    const spans = names.map((words) => Object.assign(document.createElement("span"), { textContent: words }));
    this.root.querySelector(".caption").replaceChildren(...spans);
    put(".north", vertical.positive);
    put(".south", vertical.negative);
    put(".west", horizontal.negative);
    put(".east", horizontal.positive);
    const ways = [horizontal, vertical].map(({ name, negative, positive }) => `${name} ${negative} or ${positive}`);
    this.pad.setAttribute("aria-label", `${this.name} stick: ${ways.join(", ")}. Arrow keys move it.`);
  }
}

export class Sticks {
  // started: called when somebody begins to move a stick
  constructor(left, right, started) {
    this.started = started;
    this.pads = [new Pad(left, "Left", started), new Pad(right, "Right", started)];
    this.down = new Map(); // keys, and those whose work they do
    this.fine = false;
    this.keyed = [0, 0, 0, 0];
    this.resting = true; // the gamepad
    this.values = [0, 0, 0, 0];
    this.seen = performance.now();
  }

  // Whether the key moves a stick.
  press(code) {
    if (!(code in KEYS)) return false;
    if (!this.down.has(code)) {
      const left = document.activeElement === this.pads[0].pad;
      this.down.set(code, (left && LEFT_OF[code]) || code);
      this.started();
    }
    return true;
  }

  lift(code) {
    this.down.delete(code);
  }

  letGo() {
    this.down.clear();
    this.keyed.fill(0);
    for (const pad of this.pads) pad.letGo();
  }

  label(axes) {
    this.pads[0].label(axes[0], axes[1]);
    this.pads[1].label(axes[2], axes[3]);
  }

  set watching(yes) {
    for (const pad of this.pads) pad.pad.classList.toggle("watching", yes);
  }

  // Deflections now: left x, left y, right x, right y.
  read() {
    const now = performance.now();
    const passed = Math.min((now - this.seen) / 1000, 0.1);
    this.seen = now;
    this.moveKeys(passed);
    const gamepad = this.readGamepad();
    this.values = [0, 1, 2, 3].map((k) => {
      const pad = this.pads[k >> 1];
      const held = pad.pointer === null ? 0 : k % 2 ? pad.y : pad.x;
      return Math.round(1000 * clamp(held + this.keyed[k] + gamepad[k])) / 1000;
    });
    return this.values;
  }

  draw() {
    const [a, b, c, d] = this.values;
    this.pads[0].draw(a, b);
    this.pads[1].draw(c, d);
  }

  moveKeys(passed) {
    const wanted = [0, 0, 0, 0];
    for (const code of this.down.values()) {
      const [axis, way] = KEYS[code];
      wanted[axis] = clamp(wanted[axis] + way);
    }
    for (let k = 0; k < 4; k++) {
      const goal = wanted[k] * (this.fine ? FINE : 1);
      const most = passed * (Math.abs(goal) < Math.abs(this.keyed[k]) || goal * this.keyed[k] < 0 ? FALL : RISE);
      const way = goal - this.keyed[k];
      this.keyed[k] += Math.min(Math.max(way, -most), most);
    }
  }

  readGamepad() {
    const pad = (navigator.getGamepads?.() ?? []).find((one) => one && one.connected && one.axes.length >= 4);
    if (!pad) return [0, 0, 0, 0];
    const past = (x) => (Math.abs(x) < SLACK ? 0 : (Math.sign(x) * (Math.abs(x) - SLACK)) / (1 - SLACK));
    const values = [past(pad.axes[0]), -past(pad.axes[1]), past(pad.axes[2]), -past(pad.axes[3])];
    const resting = values.every((x) => x === 0);
    if (this.resting && !resting) this.started();
    this.resting = resting;
    return values;
  }
}
