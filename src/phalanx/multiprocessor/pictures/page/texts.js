// What is said about tasks, the legend and the search. Texts are only ever set as text.

function facts(bar) {
  const found = [["operations", tasks.operations[bar.task]]];
  if (tasks.link_name[bar.task]) found.unshift([ways.link.means, tasks.link_name[bar.task]]);
  if (bar.message) {
    const { source, destination, words, wire } = bar.message;
    found.push(["message", `${words} word${words === 1 ? "" : "s"} from ${source} to ${destination}`],
      ["on wire", `${wire}, ${shown(bar.start)} to ${timeText(bar.end)}`]);
    return found;
  }
  found.push([plan.row_kind, String(bar.row)], ["start", timeText(bar.start)],
    ["end", timeText(bar.end)]);
  if (bar.free < bar.end) found.push([`${plan.row_kind} free`, timeText(bar.free)]);
  if (critical.has(bar.task)) found.push(["critical path", "yes"]);
  return found;
}

function describe(bar, into) {
  into.replaceChildren(element("div", tasks.name[bar.task], "name"));
  if (tasks.label[bar.task]) into.append(element("div", tasks.label[bar.task], "label"));
  const table = element("table");
  for (const [key, value] of facts(bar)) {
    const line = element("tr");
    line.append(element("td", key), element("td", value));
    table.append(line);
  }
  into.append(table);
}

const names = (list, most) => list.slice(0, most).map((task) => tasks.name[task]).join(", ")
  + (list.length > most ? ` and ${list.length - most} more` : "");

function showTip(bar, x, y) {
  tip.hidden = bar === null;
  if (bar === null) return;
  describe(bar, tip);
  const table = tip.querySelector("table");
  for (const [key, list] of [["waits for", tasks.before[bar.task]], ["waited for by", after[bar.task]]]) {
    const line = element("tr");
    line.append(element("td", key), element("td", list.length ? names(list, 6) : "nothing"));
    table.append(line);
  }
  putTip(x, y);
}

function select(bar) {
  state.selected = bar;
  state.related = bar && new Set([bar.task, ...tasks.before[bar.task], ...after[bar.task]]);
  const panel = byId("details");
  panel.hidden = bar === null;
  if (bar !== null) {
    describe(bar, panel);
    for (const [title, list, kind] of [["waits for", tasks.before[bar.task], "before"],
      ["waited for by", after[bar.task], "after"]]) {
      panel.append(element("h2", `${title} (${list.length})`, kind));
      const items = element("ul");
      for (const task of list.slice(0, MOST_NAMES)) {
        const item = element("li"), button = element("button", tasks.name[task]);
        button.type = "button";
        button.addEventListener("click", () => goTo(task));
        item.append(button);
        items.append(item);
      }
      if (list.length > MOST_NAMES) items.append(element("li", `and ${list.length - MOST_NAMES} more`));
      panel.append(items);
    }
    byId("spoken").textContent = `${tasks.name[bar.task]} ${tasks.label[bar.task]}, `
      + facts(bar).map((pair) => pair.join(" ")).join(", ")
      + `, waits for ${names(tasks.before[bar.task], 8) || "nothing"}`;
  } else {
    byId("spoken").textContent = "";
  }
  redraw();
}

function goTo(task) {
  const bar = barOf.get(task);
  if (!bar) return;
  reveal(bar);
  select(bar);
}

// ---- legend and buttons ------------------------------------------------------------------
function makeWays() {
  const usable = Object.keys(ways).filter((way) => ways[way].groups.length > 1 || way === "kind");
  for (const way of usable) {
    const button = element("button", way === "critical" ? "Critical path" : `By ${ways[way].means}`);
    button.type = "button";
    button.dataset.way = way;
    button.addEventListener("click", () => paint(way));
    byId("ways").append(button);
  }
}

function paint(way) {
  state.way = way;
  state.isolated = null;
  for (const button of byId("ways").children) {
    button.setAttribute("aria-pressed", String(button.dataset.way === way));
  }
  const legend = byId("legend");
  legend.replaceChildren();
  const { groups, colors: palette } = ways[way];
  groups.forEach((group, k) => {
    const button = element("button");
    button.type = "button";
    button.title = "Show only these";
    const swatch = element("i");
    swatch.style.background = palette[k];
    button.append(swatch, element("span", group));
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      state.isolated = state.isolated === k ? null : k;
      [...legend.querySelectorAll("button")].forEach((other, n) =>
        other.setAttribute("aria-pressed", String(n === state.isolated)));
      redraw();
    });
    legend.append(button);
  });
  const marks = [["idle", "idle"]];
  if (way !== "critical") marks.unshift(["critical", "critical path"]);
  if (isPipelined) marks.push(["tail", "in a pipeline"]);
  if (wrong.size) marks.push(["wrong", "breaks a rule"]);
  for (const [kind, text] of marks) {
    const mark = element("span");
    mark.append(element("i", undefined, kind), text);
    legend.append(mark);
  }
  redraw();
}

const find = byId("find");
function search() {
  const wanted = find.value.trim().toLowerCase();
  state.matches = null;
  if (wanted) {
    const found = tasks.name.map((text, task) => task).filter((task) =>
      tasks.name[task].toLowerCase().includes(wanted)
      || tasks.label[task].toLowerCase().includes(wanted));
    state.matches = new Set(found);
  }
  byId("found").textContent = state.matches ? `${state.matches.size} of ${tasks.name.length}` : "";
  redraw();
}
find.addEventListener("input", search);
find.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !state.matches || !state.matches.size) return;
  const found = [...state.matches].filter((task) => barOf.has(task));
  const exact = found.find((task) => tasks.name[task].toLowerCase() === find.value.trim().toLowerCase());
  const at = state.selected ? found.indexOf(state.selected.task) : -1;
  goTo(at < 0 && exact !== undefined ? exact : found[(at + 1) % found.length]);
});
