// Places for plots: in each a person chooses what is plotted, and finds it again next time.

import { recall, remember } from "./memory.js";
import { Plot, tint } from "./plots.js";

const PLACES = 2; // on large screens; small ones show the first

// Values as long as their plot needs them.
export const shown = (value, least) =>
  Number.isNaN(value) ? "–" : value.toFixed(least >= 50 ? 0 : 1).replace(/^-(0(\.0)?)$/, "$1").replace("-", "−");

class Place {
  constructor(parent, history, number) {
    this.history = history;
    this.key = `plot.${number}`;
    const box = Object.assign(document.createElement("section"), { className: "plot" });
    box.setAttribute("aria-label", `Plot ${number + 1}`);
    this.picker = document.createElement("select");
    this.picker.setAttribute("aria-label", `What plot ${number + 1} shows`);
    this.picker.onchange = () => {
      remember(this.key, this.picker.value);
      this.show(this.charts[this.picker.selectedIndex]);
    };
    this.legend = Object.assign(document.createElement("ul"), { className: "legend" });
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    const frame = document.createElement("div");
    frame.append(canvas);
    box.append(this.picker, this.legend, frame);
    parent.append(box);
    this.plot = new Plot(canvas, history);
    this.number = number;
  }

  // The one that was chosen last, or that of the same number.
  offer(charts) {
    this.charts = charts;
    this.picker.replaceChildren(...charts.map(({ title, unit }) => new Option(`${title} [${unit}]`, title)));
    const before = charts.findIndex(({ title }) => title === recall(this.key));
    const chosen = before >= 0 ? before : Math.min(this.number, charts.length - 1);
    this.picker.selectedIndex = chosen;
    this.show(charts[chosen] ?? null);
  }

  show(chart) {
    this.plot.chart = chart;
    this.plot.canvas.setAttribute("aria-label", chart ? `${chart.title} over the last seconds` : "Nothing to plot");
    const items = (chart?.lines ?? []).map(({ name }, k) => {
      const item = document.createElement("li"), mark = document.createElement("i"), value = document.createElement("b");
      mark.style.background = tint(k);
      item.append(mark, `${name} `, value);
      return item;
    });
    if (chart?.lines.some(({ wanted }) => wanted)) {
      const item = document.createElement("li");
      item.append(Object.assign(document.createElement("i"), { className: "dashed" }), "wanted");
      items.push(item);
    }
    this.legend.replaceChildren(...items);
  }

  draw() {
    const chart = this.plot.chart;
    if (!chart || !this.picker.offsetParent) return; // not on this screen
    chart.lines.forEach(({ signal }, k) => {
      const words = shown(this.history.last(signal) * chart.factor, chart.least), value = this.legend.children[k].lastChild;
      if (value.textContent !== words) value.textContent = words;
    });
    this.plot.draw();
  }
}

export class Charts {
  constructor(parent, history) {
    this.places = Array.from({ length: PLACES }, (_, k) => new Place(parent, history, k));
  }

  offer(charts) {
    for (const place of this.places) place.offer(charts);
  }

  draw() {
    for (const place of this.places) place.draw();
  }
}
