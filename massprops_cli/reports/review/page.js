"use strict";
(() => {
  const make = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  };
  const number = (value) => (value === null ? "" : String(value));
  const decimals = (text) => (text.includes("e") || !text.includes(".") ? -1 : text.length - text.indexOf(".") - 1);
  const padded = (text, most) => {
    const own = decimals(text);
    if (text === "" || text.includes("e") || most < 0) return text;
    return text + (own < 0 ? "\u2008" : "") + "\u2007".repeat(most - Math.max(own, 0));
  };

  async function read(element) {
    let text = element.textContent;
    if (element.dataset.packed) {
      const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      text = await new Response(stream).text();
    }
    const data = JSON.parse(text);
    data.n = data.ids.length;
    data.parent = new Int32Array(data.n).fill(-1);
    data.end = new Int32Array(data.n);
    const open = [];
    for (let k = 0; k < data.n; k++) {
      while (open.length > data.level[k]) data.end[open.pop()] = k;
      data.parent[k] = open.length ? open[open.length - 1] : -1;
      open.push(k);
    }
    for (const k of open) data.end[k] = data.n;
    return data;
  }

  // the table of items: search, sort, filter and fold
  function showItems(place, data, depth) {
    const table = place.querySelector("table");
    const body = table.tBodies[0];
    const texts = data.ids.map((id, k) => `${id}\n${data.names ? data.names[k] : ""}`.toLocaleLowerCase());
    const columns = [["item", data.ids, "l"]];
    if (data.names) columns.push(["name", data.names, "l"]);
    for (const one of data.columns) columns.push([one.head, one.values, one.align]);
    const most = columns.map(([, values, align]) => {
      let found = -1;
      if (align === "d") for (let k = 0; k < data.n; k++) found = Math.max(found, decimals(number(values[k])));
      return found;
    });
    const closed = new Uint8Array(data.n);
    for (let k = 0; k < data.n; k++) closed[k] = data.level[k] >= depth ? 1 : 0;
    const state = { text: "", kind: "all", branch: -1, sort: -1, down: true, rows: 100 };

    const tools = make("div", undefined, "tools");
    const labelled = (words, element) => {
      const label = make("label", words);
      label.append(element);
      tools.append(label);
      return element;
    };
    const search = labelled("Search", make("input"));
    search.type = "search";
    const kind = labelled("Show", make("select"));
    for (const [value, words] of [["all", "all items"], ["parts", "parts only"], ["assemblies", "assemblies only"]]) {
      const option = make("option", words);
      option.value = value;
      kind.append(option);
    }
    const branch = labelled("Branch", make("select"));
    const whole = make("option", "all branches");
    whole.value = "-1";
    branch.append(whole);
    for (let k = 1, n = 0; k < data.n && n < 200; k = Math.max(data.end[k], k + 1), n++) {
      const option = make("option", data.ids[k]);
      option.value = String(k);
      branch.append(option);
    }
    const order = labelled("Order", make("button", "as in the tree"));
    order.type = "button";
    const count = make("p", "", "note");
    count.setAttribute("role", "status");
    const more = make("button", "show more");
    more.type = "button";
    place.before(tools);
    place.after(count, more);

    const heads = table.tHead.rows[0];
    const printed = table.cloneNode(true);
    heads.replaceChildren();
    columns.forEach(([head, , align], j) => {
      const cell = make("th", undefined, align);
      cell.scope = "col";
      const button = make("button", head);
      button.type = "button";
      button.addEventListener("click", () => {
        state.down = state.sort === j ? !state.down : align === "d";
        state.sort = j;
        draw();
      });
      cell.append(button);
      heads.append(cell);
    });

    function chosen() {
      const words = state.text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      const [first, last] = state.branch < 0 ? [0, data.n] : [state.branch, data.end[state.branch]];
      const isTree = state.sort < 0 && !words.length && state.kind === "all";
      const found = [];
      for (let k = first; k < last; k++) {
        const isAssembly = data.end[k] > k + 1;
        if (state.kind === (isAssembly ? "parts" : "assemblies")) continue;
        if (words.length && !words.every((word) => texts[k].includes(word))) continue;
        found.push(k);
        if (isTree && isAssembly && closed[k]) k = data.end[k] - 1;
      }
      if (state.sort >= 0) {
        const [, values, align] = columns[state.sort];
        const sign = state.down ? -1 : 1;
        const known = (k) => values[k] !== null && values[k] !== "";
        const compare = align === "d" ? (a, b) => values[a] - values[b] : (a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0);
        found.sort((a, b) => (known(a) && known(b) ? sign * compare(a, b) || a - b : known(a) ? -1 : known(b) ? 1 : a - b));
      }
      return [found, isTree];
    }

    function draw(kept) {
      const [found, isTree] = chosen();
      const shown = found.slice(0, state.rows);
      body.replaceChildren(
        ...shown.map((k) => {
          const row = make("tr", undefined, data.end[k] > k + 1 ? "total" : "");
          columns.forEach(([, values, align], j) => {
            const text = align === "d" ? padded(number(values[k]), most[j]) : values[k];
            const cell = make(j ? "td" : "th", j ? text : undefined, align);
            if (!j) {
              cell.scope = "row";
              if (isTree) cell.append("\u2003".repeat(Math.min(data.level[k], 12)));
              if (isTree && data.end[k] > k + 1) {
                const fold = make("button", closed[k] ? "▸" : "▾", "fold");
                fold.type = "button";
                fold.setAttribute("aria-expanded", String(!closed[k]));
                fold.setAttribute("aria-label", `${closed[k] ? "open" : "close"} ${data.ids[k]}`);
                fold.addEventListener("click", () => {
                  closed[k] = closed[k] ? 0 : 1;
                  draw(k);
                });
                fold.dataset.item = String(k);
                cell.append(fold);
              }
              cell.append(text);
            }
            row.append(cell);
          });
          return row;
        }),
      );
      for (const [j, cell] of [...heads.cells].entries()) {
        if (j === state.sort) cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
        else cell.removeAttribute("aria-sort");
      }
      order.disabled = state.sort < 0;
      more.hidden = found.length <= shown.length;
      count.textContent = `${shown.length.toLocaleString("en")} of ${found.length.toLocaleString("en")} rows shown; ${data.n.toLocaleString("en")} items`;
      if (kept !== undefined) body.querySelector(`[data-item="${kept}"]`)?.focus();
    }

    const again = (name, value) => {
      state[name] = value;
      state.rows = 100;
      draw();
    };
    search.addEventListener("input", () => again("text", search.value));
    kind.addEventListener("change", () => again("kind", kind.value));
    branch.addEventListener("change", () => again("branch", Number(branch.value)));
    order.addEventListener("click", () => again("sort", -1));
    more.addEventListener("click", () => {
      state.rows += 400;
      draw();
    });
    // what is printed is the table without a script
    printed.classList.add("print-only");
    printed.querySelectorAll("[id]").forEach((one) => one.removeAttribute("id"));
    place.append(printed);
    table.classList.add("screen-only");
    table.caption.textContent = "Items";
    draw();
  }

  // treemap and sunburst that go into a branch on a click
  const most = 60;
  const least = 0.003;
  function showMass(place, data) {
    const style = () => getComputedStyle(document.documentElement);
    const colour = (name) => style().getPropertyValue(`--${name}`).trim();
    const tints = ["blue-tint", "orange-tint", "green-tint", "purple-tint", "amber-tint", "teal-tint"];
    const size = data.total;
    const root = { key: 0, items: null, name: data.ids[0] };
    const path = [root];
    const sum = (items) => items.reduce((all, k) => all + Math.max(size[k] || 0, 0), 0);
    const children = (k) => {
      const found = [];
      for (let at = k + 1; at < data.end[k]; at = data.end[at]) if ((size[at] || 0) > 0) found.push(at);
      return found.sort((a, b) => size[b] - size[a]);
    };
    const inside = (node) => (node.items ? node.items : children(node.key));
    const mass = (node) => (node.items ? sum(node.items) : node.value !== undefined ? node.value : size[node.key] || 0);
    const label = (k) => (data.names && data.names[k] ? `${data.ids[k]}  ${data.names[k]}` : data.ids[k]);

    function nodes(node, depth, tint) {
      const items = inside(node);
      const whole = Math.max(mass(path[path.length - 1]), 1e-300);
      const shown = items.filter((k, j) => j < most && size[k] / whole >= least);
      const kept = shown.length || tint ? shown : items.slice(0, most);
      if (!kept.length) return [];
      const rest = items.slice(kept.length);
      const made = kept.map((k, j) => ({ key: k, items: null, name: data.ids[k], value: size[k], tint: tint || tints[j % 6] }));
      if (rest.length) made.push({ key: -1, items: rest, name: `${rest.length.toLocaleString("en")} more`, value: sum(rest), tint: "grey-tint" });
      const lacking = node.items ? 0 : mass(node) - sum(items);
      if (items.length && lacking > 1e-6 * mass(node)) {
        made.push({ key: -2, items: null, name: "unexplained", value: lacking, tint: "grey-tint" });
      }
      if (depth > 1) {
        for (const one of made) {
          const below = one.key === -2 ? [] : nodes(one, depth - 1, one.tint);
          if (below.length) one.children = below;
        }
      }
      for (const one of made) one.itemStyle = { color: colour(one.tint), borderColor: colour("paper"), borderWidth: 1, gapWidth: 1 };
      return made;
    }

    const tip = (info) => {
      const one = info.data;
      const made = make("div", undefined, "tip");
      if (!one || one.value === undefined) return made;
      made.append(make("b", one.key >= 0 ? label(one.key) : one.name));
      const share = (100 * one.value) / size[0];
      made.append(make("div", `${Number(one.value.toPrecision(5))} ${data.unit}`.trim() + `, ${share.toPrecision(3)} % of the whole`));
      if (one.key >= 0) {
        if (data.sigma && data.sigma[one.key]) made.append(make("div", `σ ${data.sigma[one.key]} ${data.unit} each`));
        made.append(make("div", data.places[one.key]));
      }
      return made;
    };

    const crumbs = make("div", undefined, "crumbs screen-only");
    crumbs.setAttribute("role", "navigation");
    crumbs.setAttribute("aria-label", "branch that is shown");
    const pair = make("div", undefined, "live-pair screen-only");
    const boxes = ["treemap", "sunburst"].map((kind) => {
      const box = make("div", undefined, "live");
      box.setAttribute("role", "img");
      box.setAttribute("aria-label", `${kind} of the masses; the buttons and the table below have its content`);
      pair.append(box);
      return box;
    });
    place.before(crumbs, pair);
    place.classList.add("print-only");
    place.nextElementSibling.classList.add("print-only"); // the same table for the root
    const charts = boxes.map((box) => globalThis.massChart(box));
    const list = make("div", undefined, "scroll screen-only");
    list.tabIndex = 0;
    list.setAttribute("role", "region");
    list.setAttribute("aria-label", "parts of the branch that is shown");
    pair.after(list);

    function go(node) {
      if (!inside(node).length) return;
      path.push(node);
      draw();
    }

    function draw() {
      const node = path[path.length - 1];
      crumbs.replaceChildren(
        ...path.map((one, j) => {
          const button = make("button", one.key >= 0 ? data.ids[one.key] : one.name);
          button.type = "button";
          if (j === path.length - 1) button.setAttribute("aria-current", "true");
          button.addEventListener("click", () => {
            path.length = j + 1;
            draw();
            crumbs.lastElementChild.focus();
          });
          return button;
        }),
      );
      const text = { color: colour("ink"), fontFamily: "inherit" };
      const tooltip = {
        formatter: tip, backgroundColor: colour("panel"), borderColor: colour("muted"), textStyle: { color: colour("ink") }, confine: true,
      };
      const made = nodes(node, 2);
      for (const chart of charts) chart.clear(); // else the treemap keeps the branch that it has shown
      charts[0].setOption(
        {
          animation: false, tooltip,
          series: [{
            type: "treemap", data: made, nodeClick: false, roam: false, breadcrumb: { show: false }, left: 0, top: 0, right: 0, bottom: 0,
            label: { ...text, overflow: "truncate", position: "insideTopLeft" },
            upperLabel: { ...text, show: true, height: 20, fontWeight: "bold", overflow: "truncate" },
            itemStyle: { borderColor: colour("paper") },
            levels: [{ itemStyle: { borderColor: colour("paper"), borderWidth: 0, gapWidth: 2 }, upperLabel: { show: false } }, { itemStyle: { borderColor: colour("paper"), gapWidth: 1 } }],
          }],
        },
        true,
      );
      charts[1].setOption(
        {
          animation: false, tooltip,
          series: [{
            type: "sunburst", data: nodes(node, 3), nodeClick: false, radius: ["16%", "96%"], sort: null, emphasis: { focus: "none" },
            label: { ...text, minAngle: 8, width: 70, overflow: "truncate", fontSize: 10 }, itemStyle: { borderWidth: 1, borderColor: colour("paper") },
          }],
        },
        true,
      );
      const rows = inside(node).slice(0, 30);
      const table = make("table");
      table.append(make("caption", `Parts of ${node.key >= 0 ? label(node.key) : node.name}; a button goes into a branch`));
      const head = table.createTHead().insertRow();
      for (const words of ["branch", data.unit ? `mass [${data.unit}]` : "mass", "share"]) {
        const cell = make("th", words, words === "branch" ? "l" : "d");
        cell.scope = "col";
        head.append(cell);
      }
      const body = table.createTBody();
      for (const k of rows) {
        const row = body.insertRow();
        const cell = make("th", undefined, "l");
        cell.scope = "row";
        if (data.end[k] > k + 1) {
          const button = make("button", label(k));
          button.type = "button";
          button.addEventListener("click", () => {
            go({ key: k, items: null, name: data.ids[k] });
            crumbs.lastElementChild.focus();
          });
          cell.append(button);
        } else cell.append(label(k));
        row.append(cell, make("td", String(Number(size[k].toPrecision(5))), "d"), make("td", `${((100 * size[k]) / size[0]).toFixed(1)} %`, "d"));
      }
      list.replaceChildren(table);
    }
    for (const chart of charts) {
      chart.on("click", (event) => {
        if (event.data && event.data.key !== undefined && event.data.key !== -2) go(event.data);
      });
    }
    const resize = () => charts.forEach((chart) => chart.resize());
    new ResizeObserver(resize).observe(pair);
    addEventListener("beforeprint", resize);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    draw();
  }

  addEventListener("DOMContentLoaded", async () => {
    addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
    const element = document.getElementById("item-data");
    if (!element) return;
    const data = await read(element);
    const items = document.getElementById("item-table");
    if (items) showItems(items, data, Number(element.dataset.depth));
    const mass = document.getElementById("live-mass");
    if (mass && globalThis.massChart && data.total && data.total[0] > 0) showMass(mass, data);
    document.documentElement.dataset.ready = "true";
  });
})();
