// The bar under a recording that is shown: play and pause, its time, its speed, and the way back.

const $ = (id) => document.getElementById(id);
const SETTLE = 400; // ms after a hand let go of the time before it follows the recording again

export class ReplayBar {
  // ask(type, facts): something that only who drives may do
  constructor(ask) {
    this.ask = ask;
    this.replay = null; // as telemetry says: begin, end, playing, speed
    this.moved = -Infinity;
    this.held = false;
    $("play").onclick = () => this.toggle();
    $("live").onclick = () => ask("replay", { name: null });
    $("speed").onchange = () => ask("replay_speed", { speed: Number($("speed").value) });
    $("place").oninput = () => {
      this.moved = performance.now();
      this.write(Number($("place").value));
      ask("seek", { time: Number($("place").value) });
    };
    $("place").onpointerdown = () => (this.held = true);
    for (const end of ["pointerup", "pointercancel", "blur"]) $("place").addEventListener(end, () => (this.held = false));
  }

  offer(speeds) {
    $("speed").replaceChildren(...speeds.map((speed) => new Option(`${speed} ×`, speed)));
  }

  toggle() {
    this.ask("play", { on: !this.replay.playing });
  }

  show({ replay, time }) {
    this.replay = replay;
    $("replay_bar").hidden = !replay;
    if (!replay) return;
    const { begin, end, playing, speed } = replay;
    $("play").setAttribute("aria-label", playing ? "Pause the replay" : "Play the replay");
    $("play").querySelector("use").setAttribute("href", playing ? "#icon_pause" : "#icon_play");
    if (document.activeElement !== $("speed")) $("speed").value = speed;
    if (this.held || performance.now() - this.moved < SETTLE) return;
    $("place").min = begin;
    $("place").max = end;
    $("place").value = time;
    this.write(time);
  }

  write(time) {
    const { begin, end } = this.replay ?? { begin: 0, end: 0 };
    const words = `${(time - begin).toFixed(1)} of ${(end - begin).toFixed(1)} s`;
    if ($("place_time").textContent === words) return;
    $("place_time").textContent = words;
    $("place").setAttribute("aria-valuetext", words);
  }
}
