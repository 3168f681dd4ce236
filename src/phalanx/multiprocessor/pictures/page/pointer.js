// Moving about with pointer, wheel, fingers and keys. A page says what lies where (barAt), what is
// told of it (showTip), what a click does (select), and what zooming is (zoomBy, showAll).
const fingers = new Map();
let moved = 0;
const place = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, place(event));
  moved = 0;
});
canvas.addEventListener("pointermove", (event) => {
  const [x, y] = place(event), before = fingers.get(event.pointerId);
  if (before && fingers.size === 1) {
    const perPixel = (state.to - state.from) / (size.width - GUTTER);
    const by = (before[0] - x) * perPixel;
    moved += Math.abs(before[0] - x) + Math.abs(before[1] - y);
    if (moved > 3) {
      canvas.classList.add("moving");
      state.scroll += before[1] - y;
      look(state.from + by, state.to + by);
    }
  } else if (before && fingers.size === 2) {
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const apart = Math.abs(before[0] - other[0]), now = Math.abs(x - other[0]);
    moved += 4;
    if (now > 4 && apart > 4) zoom(apart / now, timeAt((x + other[0]) / 2));
  }
  if (before) fingers.set(event.pointerId, [x, y]);
  state.hover = fingers.size && moved > 3 ? null : barAt(x, y);
  canvas.classList.toggle("on-task", state.hover !== null);
  showTip(state.hover, x, y);
  redraw();
});
const release = (event) => {
  fingers.delete(event.pointerId);
  canvas.classList.remove("moving");
};
canvas.addEventListener("pointerup", (event) => {
  const [x, y] = place(event);
  if (moved <= 3) {
    showTip(null);
    select(barAt(x, y));
  }
  release(event);
});
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => { state.hover = null; showTip(null); redraw(); });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(sideways / 800);
  else zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) / 400), timeAt(place(event)[0]));
}, { passive: false });
byId("closer").addEventListener("click", () => zoomBy(0.5));
byId("wider").addEventListener("click", () => zoomBy(2));
byId("whole").addEventListener("click", () => showAll());
const zoomKeys = {
  "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2),
  0: () => showAll(), Home: () => showAll(),
};
function onKeys(target, actions) {
  target.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    event.preventDefault();
    actions[event.key](event.shiftKey);
  });
}
