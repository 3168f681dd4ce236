// The page: what a person does goes to the server, what the server tells is shown.

import { Charts, shown as written } from "./charts.js";
import { History, signalsOf } from "./history.js";
import { Link } from "./link.js";
import { recall, remember } from "./memory.js";
import { Meters } from "./meters.js";
import { ReplayBar } from "./replay_bar.js";
import { Sticks } from "./sticks.js";
import { MachineWindow } from "./window.js";

const SEND = 33; // ms between deflections while a stick is off its middle
const BEAT = 1000; // ms between signs of life
const DRAW = 45; // ms between pictures of the plots: every third of a display at 60 Hz
const NOTICE = 6000; // ms

const $ = (id) => document.getElementById(id);
const text = (id, value) => {
  if ($(id).textContent !== value) $(id).textContent = value;
};

let me = null; // this page, as the server described it
let state = { holder: null, wishes: [], pages: [], recordings: [] };
let latest = null; // telemetry
let unlocked = false;
let wished = false;
const shown = { mode: null, recordings: null };
const history = new History();
const charts = new Charts($("plots"), history);
const meters = new Meters();
const machineWindow = new MachineWindow((type, facts) => link.send(type, facts));
const replayBar = new ReplayBar((type, facts) => ask(type, facts));

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
  run: () => (latest?.replay ? replayBar.toggle() : ask(latest?.running ? "pause" : "start")),
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
$("plots_button").onclick = () => {
  showPlots($("plots").hidden);
  remember("plots", !$("plots").hidden);
};

// Whether plots are shown: as this browser did last, and on a low screen not at first.
function showPlots(yes) {
  $("plots").hidden = !yes;
  $("plots_button").setAttribute("aria-pressed", yes);
}
const plotsBefore = recall("plots");
showPlots(plotsBefore === null ? !matchMedia("(max-height: 500px)").matches : plotsBefore === "true");

// -- keyboard -----------------------------------------------------------------------------------

const typing = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, dialog[open]");
// a button that was reached by Tab is pressed by the space key, as everywhere
const presses = (event) => event.code === "Space" && event.target.matches?.("button:focus-visible");

window.addEventListener("keydown", (event) => {
  sticks.fine = event.shiftKey;
  if (typing(event) || presses(event)) return;
  const known = {
    Space: act.run, KeyM: act.mode, KeyR: act.reset, KeyC: () => machineWindow.toggle(),
    KeyP: () => $("plots_button").click(), KeyT: () => meters.toggle(),
  }[event.code] ?? (event.key === "?" ? () => $("help").showModal() : null);
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
  if (event.code === "Space" && !typing(event) && !presses(event)) event.preventDefault();
});
// keys drive again after a click; who pressed a button by key stays on it
document.addEventListener("click", (event) => event.detail && event.target.closest("button")?.blur());

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
        const button = Object.assign(document.createElement("button"), { textContent: me.mode_titles[mode], value: mode });
        button.onclick = () => ask("mode", { mode });
        return button;
      }),
    );
    shown.mode = null;
    const token = storedToken();
    machineWindow.open(me.view_port, me.locked && token);
    if (me.locked && token) link.send("unlock", { token });
    charts.offer(me.charts);
    replayBar.offer(me.speeds);
    offerReadings(me.charts[0]);
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
    meters.arrived++;
    // what came before a time that a recording was moved to is told with it
    if (!(message.replay && me.remembers && history.jumps(message.time))) history.add(message.time, signalsOf(message));
  },
  past({ samples }) {
    history.clear();
    for (const sample of samples) history.add(sample.time, signalsOf(sample));
  },
  window: (message) => machineWindow.hear(message),
  notice: (message) => notice(message.text),
  beat: (message) => meters.roundTrip(performance.now() - message.sent),
  unlocked() {
    unlocked = true;
    showState();
  },
};

const link = new Link(
  (message) => hear[message.type]?.(message),
  (now, reason) => {
    $("link").dataset.state = now;
    meters.roundTrip(null);
    $("link").lastElementChild.textContent = reason;
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
  meters.pages(there ? state.pages.length : null);
  for (const id of ["run", "reset", "record", "replay"]) $(id).disabled = !there;
  const names = state.recordings.map(({ name }) => name).join("\n");
  if (names !== shown.recordings) {
    shown.recordings = names;
    $("replay").replaceChildren(new Option("Live", ""), ...state.recordings.map(({ name, title }) => new Option(title, name)));
  }
}

function showTelemetry() {
  if (!latest || !me) return;
  text("time", latest.time?.toFixed(1) ?? "–");
  text("payload", latest.payload?.toFixed(0) ?? "–");
  const running = latest.replay ? latest.replay.playing : latest.running;
  const run = $("run"), word = running ? "Pause" : latest.replay ? "Play" : "Start";
  if (run.lastElementChild.textContent !== word) {
    run.lastElementChild.textContent = word;
    run.querySelector("use").setAttribute("href", running ? "#icon_pause" : "#icon_play");
  }
  $("record").setAttribute("aria-pressed", latest.recording);
  if (document.activeElement !== $("replay")) $("replay").value = latest.replaying ?? "";
  if (latest.mode !== shown.mode) {
    shown.mode = latest.mode;
    for (const button of $("modes").children) button.setAttribute("aria-pressed", button.value === latest.mode);
    const axes = me.axes[latest.mode];
    if (axes) {
      sticks.label(axes);
      showAxes(axes);
    }
  }
  const first = me.charts[0];
  for (const value of document.querySelectorAll("#numbers .reading b")) {
    const words = written(history.last(value.dataset.signal) * first.factor, first.least);
    if (value.textContent !== words) value.textContent = words;
  }
  replayBar.show(latest);
  meters.show(latest);
}

// The lines of the first plot, as numbers.
function offerReadings(chart) {
  for (const old of document.querySelectorAll("#numbers .reading")) old.remove();
  for (const { name, signal } of chart?.lines ?? []) {
    const box = Object.assign(document.createElement("div"), { className: "reading" });
    const value = document.createElement("b"), reading = document.createElement("dd");
    value.dataset.signal = signal;
    reading.append(value, ` ${chart.unit}`);
    box.append(Object.assign(document.createElement("dt"), { textContent: name }), reading);
    $("numbers").append(box);
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
    if (me) machineWindow.open(me.view_port, token);
    link.send("unlock", { token });
  }
});

// -- clocks -------------------------------------------------------------------------------------

let drawn = 0;

setInterval(sendSticks, SEND);
setInterval(() => {
  link.send("beat", { sent: performance.now() });
  meters.count();
}, BEAT);

function frame(now) {
  meters.frames++;
  sticks.draw();
  if (now - drawn >= DRAW) {
    drawn = now;
    showTelemetry();
    charts.draw();
  }
  requestAnimationFrame(frame);
}
showState();
requestAnimationFrame(frame);
