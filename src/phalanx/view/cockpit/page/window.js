// The page's own 3-D view: covered until it is there, and seen from around or from the cab.

const $ = (id) => document.getElementById(id);
const NARROWEST = 620; // px: below, the view would lay its layers over the machine as phones' pages do
const LATE = 20000; // ms after which the cover says that something is wrong

// the word by which the server knows which view is this page's
const KEY = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class MachineWindow {
  // say(type, facts): to the server
  constructor(say) {
    this.say = say;
    this.cab = this.hasCab = false;
    new ResizeObserver(() => this.fit()).observe($("view").parentElement);
    $("orbit").onclick = () => this.say("camera", { cab: false });
    $("cab").onclick = () => this.say("camera", { cab: true });
  }

  // The view has a port of its own, and lets nobody touch it without the token.
  open(port, token) {
    const server = encodeURIComponent(`ws://${location.hostname}:${port}/?window=${KEY}`);
    const key = token ? `&token=${encodeURIComponent(token)}` : "";
    const address = `http://${location.hostname}:${port}/?darkMode&hideViserLogo&websocket=${server}${key}`;
    this.say("window", { key: KEY });
    if ($("view").src === address) return;
    $("view").src = address;
    this.cover("Loading the machine …");
    clearTimeout(this.late);
    this.late = setTimeout(() => this.cover(`The 3-D view at port ${port} does not answer yet; sticks and plots work.`), LATE);
  }

  // A narrow view is a wide one made smaller.
  fit() {
    const { clientWidth: width, clientHeight: height } = $("view").parentElement;
    const scale = Math.min(1, width / NARROWEST);
    const style = scale < 1 ? { width: `${width / scale}px`, height: `${height / scale}px`, transform: `scale(${scale})` } : { width: "", height: "", transform: "" };
    Object.assign($("view").style, style);
  }

  cover(words) {
    $("cover").hidden = false;
    $("cover").classList.remove("gone");
    $("cover").lastElementChild.textContent = words;
  }

  // What the server says of this view.
  hear({ open, has_cab: hasCab, cab }) {
    if (open) {
      clearTimeout(this.late);
      $("cover").classList.add("gone");
    }
    this.cab = cab;
    this.hasCab = hasCab && open;
    $("cameras").hidden = !this.hasCab;
    $("orbit").setAttribute("aria-pressed", !cab);
    $("cab").setAttribute("aria-pressed", cab);
  }

  toggle() {
    if (this.hasCab) this.say("camera", { cab: !this.cab });
  }
}
