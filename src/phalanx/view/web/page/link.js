// The connection to the server: opened again whenever it is lost.

const AGAIN = 1000; // ms before the next attempt

export class Link {
  // hear(message): a parsed message, or an ArrayBuffer; changed(state, reason): "open", "waiting" or "closed"
  constructor(hear, changed) {
    this.hear = hear;
    this.changed = changed;
    this.open();
  }

  open() {
    this.changed("waiting", "Connecting");
    this.socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.changed("open", "Connected");
    this.socket.onmessage = (event) => this.hear(typeof event.data === "string" ? JSON.parse(event.data) : event.data);
    this.socket.onclose = (event) => {
      this.changed("closed", event.reason || "No connection");
      setTimeout(() => this.open(), AGAIN);
    };
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  // Sends nothing while the line is blocked: what is old is worse than nothing.
  send(type, facts = {}) {
    if (this.isOpen && this.socket.bufferedAmount < 4096) {
      this.socket.send(JSON.stringify({ type, ...facts }));
    }
  }
}
