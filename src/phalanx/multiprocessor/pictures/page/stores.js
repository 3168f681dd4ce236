// How many numbers wait in buffers, over the same time as the grid: of all, or of what was chosen.
const storeCanvas = byId("stores");
storeCanvas.hidden = stores.name.length === 0;

function chosenStores() {
  const chosen = state.selected;
  if (chosen && chosen.bars) return [given.groups[chosen.group], rowFill({ group: chosen.group, site: null })];
  if (chosen && storesAt[chosen.site].length) {
    return [sites.name[chosen.site], rowFill({ group: null, site: chosen.site })];
  }
  return ["all buffers", fillOf("all", stores.name.map((_, store) => store))];
}

const amountAt = (fill, time) => {
  let now = 0;
  for (const [from, amount] of fill) { if (from > time + span * 1e-9) break; now = amount; }
  return now;
};

function drawStores() {
  if (storeCanvas.hidden) return;
  const [pen, width, height] = penOf(storeCanvas);
  const [whose, { fill, most }] = chosenStores(), top = 18, tall = height - top - 3;
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER, 0, width - GUTTER, height);
  pen.clip();
  pen.fillStyle = colors.idle;
  pen.fillRect(xOf(0), top, xOf(span) - xOf(0), tall);
  pen.fillStyle = colors.busy;
  steps(fill, (from, to, amount) => {
    const part = tall * amount / most, x = xOf(from);
    pen.fillRect(x, top + tall - part, xOf(to) - x + 0.5, part);
  });
  pen.fillStyle = colors.accent;
  pen.globalAlpha = 0.13;
  pen.fillRect(xOf(begun()), top, xOf(ended()) - xOf(begun()), tall);
  pen.globalAlpha = 1;
  pen.fillRect(xOf(begun()) - 1, top, 2, tall);
  pen.restore();
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  pen.fillStyle = colors.ink;
  pen.fillText("numbers waiting", 18, top + 10);
  pen.fillStyle = colors.quiet;
  pen.fillText(`now ${amountAt(fill, begun())}`, 18, top + 26);
  pen.fillText(`at most ${most}`, 18, top + 42);
  pen.fillText(whose, GUTTER, 9);
}
