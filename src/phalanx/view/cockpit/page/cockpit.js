// The page: what a person does goes to the server, what the server tells is shown.

import { Link } from "./link.js";
import { History, Plot } from "./plots.js";
import { Sticks } from "./sticks.js";

const SEND = 33; // ms between deflections while a stick is off its middle
const BEAT = 1000; // ms between signs of life
const DRAW = 45; // ms between pictures of the plots: every third of a display at 60 Hz
const NOTICE = 6000; // ms
const DEGREES = 180 / Math.PI;

const $ = (id) => document.getElementById(id);
const text = (id, value) => {
  if ($(id).textContent !== value) $(id).textContent = value;
};

let me = null; // this page, as the server described it
let state = { holder: null, wishes: [], pages: [], recordings: [] };
let latest = null; // telemetry
let unlocked = false;
let wished = false;
const shown = { mode: null, labels: "", recordings: null };
const history = new History();
const plots = {
  angles: new Plot($("plots"), "Angles", "deg", history, 4),
  pressures: new Plot($("plots"), "Pressures", "MPa", history, 1),
  spool: new Plot($("plots"), "Spools", "%", history, 20),
  torque: new Plot($("plots"), "Torques", "kN·m", history, 1),
};

// -- driving ------------------------------------------------------------------------------------

const mine = () => me !== null && state.holder === me.page;
const sticks = new Sticks($("left_stick"), $("right_stick"), () => {
  // moving a stick asks for controls that nobody holds
  if (me && state.holder === null && unlocked) link.send("take");
});
let moving = false;

function sendSticks() {
  const values = sticks.read();
  const off = values.some((x) => x !== 0);
  if (mine() && (off || moving)) link.send("sticks", { values });
  moving = off && mine();
}

// Something only who drives may ask for.
function ask(type, facts) {
  if (!unlocked) return openLock();
  if (!mine()) {
    if (state.holder !== null) return notice("Another page holds the controls. Ask for them first.");
    link.send("take");
  }
  link.send(type, facts);
}

const act = {
  run: () => ask(latest?.running ? "pause" : "start"),
  reset: () => ask("reset"),
  record: () => ask("record", { on: !latest?.recording }),
  mode: () => {
    if (!me || !latest) return;
    ask("mode", { mode: me.modes[(me.modes.indexOf(latest.mode) + 1) % me.modes.length] });
  },
};

$("run").onclick = act.run;
$("reset").onclick = act.reset;
$("record").onclick = act.record;
$("replay").onchange = (event) => {
  ask("replay", { name: event.target.value || null });
  event.target.blur();
};
$("take").onclick = () => {
  if (!unlocked) return openLock();
  wished = state.holder !== null;
  link.send("take");
};
$("hand_over").onclick = () => link.send("hand_over", { to: null });
$("release").onclick = () => link.send("release");
$("help_button").onclick = () => $("help").showModal();

// -- keyboard -----------------------------------------------------------------------------------

const typing = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, dialog[open]");

window.addEventListener("keydown", (event) => {
  sticks.fine = event.shiftKey;
  if (typing(event)) return;
  const known = { Space: act.run, KeyM: act.mode, KeyR: act.reset }[event.code];
  if (sticks.press(event.code)) event.preventDefault();
  else if (known) {
    event.preventDefault();
    if (!event.repeat) known();
  }
});
window.addEventListener("keyup", (event) => {
  sticks.fine = event.shiftKey;
  sticks.lift(event.code);
  // a button that has the focus would take the space key for a click
  if (event.code === "Space" && !typing(event)) event.preventDefault();
});
document.addEventListener("click", (event) => event.target.closest("button")?.blur());

// A click into the view takes the keyboard away: fetch it back. Elsewhere nobody drives unseen.
window.addEventListener("blur", () =>
  setTimeout(() => {
    if (document.activeElement === $("view")) {
      $("view").blur();
      window.focus();
    }
    if (!document.hasFocus()) sticks.letGo();
  }),
);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    sticks.letGo();
    sendSticks();
  }
});

// -- what the server tells ----------------------------------------------------------------------

const hear = {
  hello(message) {
    me = message;
    unlocked = !me.locked;
    text("machine", me.machine);
    document.title = `${me.machine} · cockpit`;
    $("modes").replaceChildren(
      ...me.modes.map((mode) => {
        const button = Object.assign(document.createElement("button"), { textContent: mode });
        button.onclick = () => ask("mode", { mode });
        return button;
      }),
    );
    shown.mode = null;
    const token = storedToken();
    showView(me.locked && token);
    if (me.locked && token) link.send("unlock", { token });
    const dashes = me.joints.map((name, k) => ({ name: `desired.${k}`, colour: k, dashed: true, label: k ? "" : "desired" }));
    plots.angles.setLines([...me.joints.map((label, k) => ({ name: `angle.${k}`, label })), ...dashes]);
    plots.spool.setLines(me.joints.map((label, k) => ({ name: `spool.${k}`, label })));
    plots.torque.setLines(me.joints.map((label, k) => ({ name: `torque.${k}`, label })));
  },
  state(message) {
    const held = mine();
    state = message;
    if (held && !mine()) {
      sticks.letGo();
      notice("You no longer hold the controls.");
    }
    if (wished && state.holder === null) notice("The controls are free now.");
    if (mine() || state.holder === null) wished = false;
    showState();
  },
  telemetry(message) {
    if (message.fault && message.fault !== latest?.fault) notice(`Stopped: ${message.fault}`);
    latest = message;
    arrived++;
    const signals = {};
    for (let k = 0; k < message.angles.length; k++) {
      signals[`angle.${k}`] = scaled(message.angles[k], DEGREES);
      signals[`desired.${k}`] = scaled(message.desired[k], DEGREES);
      signals[`spool.${k}`] = scaled(message.spool[k], 100);
      signals[`torque.${k}`] = scaled(message.torque[k], 1e-3);
    }
    for (const label in message.pressures) signals[`pressure.${label}`] = message.pressures[label];
    history.add(message.time, signals);
  },
  notice: (message) => notice(message.text),
  beat: (message) => text("round_trip", (performance.now() - message.sent).toFixed(1)),
  unlocked() {
    unlocked = true;
    showState();
  },
};

const scaled = (x, by) => (x === null ? null : x * by);

const link = new Link(
  (message) => hear[message.type]?.(message),
  (now, reason) => {
    $("link").dataset.state = now;
    text("round_trip", "–");
    $("link").lastChild.textContent = reason;
    if (now !== "open") {
      state = { ...state, holder: null, wishes: [], pages: [] };
      me = latest = null;
      sticks.letGo();
      showState();
    }
  },
);

// -- what is shown ------------------------------------------------------------------------------

function showState() {
  const there = me !== null;
  const who = mine() ? "You drive" : state.holder === null ? "Controls are free" : `Page ${state.holder} drives`;
  text("seat", there ? who : "");
  $("seat").classList.toggle("mine", mine());
  $("take").hidden = mine();
  $("take").textContent = state.holder === null ? "Take controls" : wished ? "Asked …" : "Ask for controls";
  $("take").disabled = !there || wished;
  $("hand_over").hidden = !mine() || !state.wishes.length;
  $("hand_over").textContent = `Hand over to page ${state.wishes[0]}`;
  $("hand_over").classList.toggle("wanted", state.wishes.length > 0);
  $("release").hidden = !mine();
  sticks.watching = !there || (state.holder !== null && !mine());
  text("pages", there ? String(state.pages.length) : "–");
  for (const id of ["run", "reset", "record", "replay"]) $(id).disabled = !there;
  const names = state.recordings.join("\n");
  if (names !== shown.recordings) {
    shown.recordings = names;
    $("replay").replaceChildren(new Option("Live", ""), ...state.recordings.map((name) => new Option(`Replay ${name}`, name)));
  }
}

function showTelemetry() {
  if (!latest || !me) return;
  text("time", latest.time?.toFixed(1) ?? "–");
  text("payload", latest.payload?.toFixed(0) ?? "–");
  text("run", latest.running ? "Pause" : "Start");
  $("record").setAttribute("aria-pressed", latest.recording);
  if (document.activeElement !== $("replay")) $("replay").value = latest.replaying ?? "";
  if (latest.mode !== shown.mode) {
    shown.mode = latest.mode;
    for (const button of $("modes").children) button.setAttribute("aria-pressed", button.textContent === latest.mode);
    const axes = me.axes[latest.mode];
    if (axes) {
      sticks.label(axes);
      showAxes(axes);
    }
  }
  const labels = Object.keys(latest.pressures).join("\n");
  if (labels !== shown.labels) {
    shown.labels = labels;
    plots.pressures.setLines(Object.keys(latest.pressures).map((label) => ({ name: `pressure.${label}`, label })));
  }
  showMeters();
}

function showMeters() {
  const { period, step_median: median, step_p99: p99, missed_share: missed, late } = latest;
  const level = (share, warn, bad) => (share >= bad ? "bad" : share >= warn ? "warn" : "good");
  const us = (x) => (x === null ? "–" : `${(1e6 * x).toFixed(0)} µs`);
  if (period && median !== null) {
    const meter = $("step_meter");
    meter.dataset.level = level((p99 ?? median) / period, 0.7, 1);
    meter.querySelector("i").style.width = `${Math.min(100, (100 * median) / period)}%`;
    meter.querySelector("u").style.left = `${Math.min(99, (100 * (p99 ?? median)) / period)}%`;
    meter.querySelector("span").textContent = `${us(median)}, p99 ${us(p99)} of ${us(period)}`;
  }
  if (missed !== null) {
    const meter = $("missed_meter");
    meter.dataset.level = level(missed, 0.01, 0.05);
    meter.querySelector("i").style.width = `${Math.min(100, 1000 * missed)}%`; // full at a tenth
    meter.querySelector("span").textContent = `${(100 * missed).toFixed(2)} %, ${late === null ? "–" : (1e3 * late).toFixed(1)} ms late`;
  }
}

function showAxes(axes) {
  const rows = axes.map(({ name, negative, positive }, k) => {
    const row = document.createElement("tr");
    const places = [["left hand ", "right hand "][k >> 1] + ["← →", "↓ ↑"][k % 2], name, `${negative} · ${positive}`];
    row.append(...places.map((words) => Object.assign(document.createElement("td"), { textContent: words })));
    return row;
  });
  $("axes").replaceChildren(...rows);
}

function notice(words) {
  const line = Object.assign(document.createElement("p"), { textContent: words });
  $("notices").append(line);
  while ($("notices").children.length > 4) $("notices").firstChild.remove();
  setTimeout(() => line.classList.add("fading"), NOTICE - 500);
  setTimeout(() => line.remove(), NOTICE);
}

// -- token --------------------------------------------------------------------------------------

function storedToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    window.history.replaceState(null, "", location.pathname); // out of sight and of bookmarks
  }
  return sessionStorage.getItem("token");
}

function openLock() {
  if (!$("lock").open) $("lock").showModal();
}

$("lock").addEventListener("close", () => {
  const token = $("token").value.trim();
  $("token").value = "";
  if ($("lock").returnValue === "unlock" && token) {
    sessionStorage.setItem("token", token);
    showView(token);
    link.send("unlock", { token });
  }
});

// The 3-D view has a port of its own, and lets nobody touch it without the token.
function showView(token) {
  const key = token ? `&token=${encodeURIComponent(token)}` : "";
  const address = `http://${location.hostname}:${me.view_port}/?darkMode&hideViserLogo${key}`;
  if ($("view").src !== address) $("view").src = address;
}

// -- clocks -------------------------------------------------------------------------------------

let arrived = 0, frames = 0, drawn = 0, counted = performance.now();

setInterval(sendSticks, SEND);
setInterval(() => {
  link.send("beat", { sent: performance.now() });
  const passed = (performance.now() - counted) / 1000;
  counted = performance.now();
  text("display_rate", (frames / passed).toFixed(0));
  text("telemetry_rate", (arrived / passed).toFixed(0));
  frames = arrived = 0;
}, BEAT);

function frame(now) {
  frames++;
  sticks.draw();
  if (now - drawn >= DRAW) {
    drawn = now;
    showTelemetry();
    for (const plot of Object.values(plots)) plot.draw();
  }
  requestAnimationFrame(frame);
}
showState();
requestAnimationFrame(frame);
