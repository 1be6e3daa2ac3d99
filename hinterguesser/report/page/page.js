"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  function make(tag, options = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
      if (name === "class") element.className = value;
      else element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  /* Light and dark: the reader's system decides until the reader does. */
  function theme() {
    const button = byId("theme");
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const root = document.documentElement;
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const say = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    try {
      const kept = localStorage.getItem("hinterguesser-theme");
      if (kept === "dark" || kept === "light") root.dataset.theme = kept;
    } catch { /* a page from a disk may not be allowed to remember */ }
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("hinterguesser-theme", root.dataset.theme); } catch { /* likewise */ }
      say();
    });
    system.addEventListener("change", say);
    button.hidden = false;
    say();
  }

  /* Tables: a click on a head sorts, a second one turns the order; what is missing stays last. */
  const collator = new Intl.Collator("en", { numeric: true });
  function number(text) {
    const found = text.replace(/−/g, "-").match(/^[<>]? ?([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)/);
    return found ? Number(found[1].replace(/,/g, "")) : null;
  }
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => {
      const button = make("button", { type: "button" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const isNumber = head.classList.contains("number");
        const rows = [...table.tBodies[0].rows].map((row) => {
          const text = row.cells[at].textContent.trim();
          const value = isNumber ? number(text) : text;
          return { row, value, missing: value === null || text === "-" || text === "–" || text === "" };
        });
        rows.sort((a, b) => {
          if (a.missing || b.missing) return a.missing - b.missing;
          const order = isNumber ? a.value - b.value : collator.compare(a.value, b.value);
          return down ? -order : order;
        });
        table.tBodies[0].append(...rows.map((each) => each.row));
      });
    });
  }

  /* Dialogues: packed data in this page, or in files beside it. */
  async function unpackText(text) {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("This browser cannot unpack what is in this page; a newer version of it can.");
    }
    const bytes = Uint8Array.from(atob(text), (mark) => mark.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }
  const unpack = async (text) => JSON.parse(await unpackText(text));

  /* Figures are packed, too: drawings of lines shrink to a tenth. */
  async function figures() {
    for (const image of document.querySelectorAll("img[data-packed]")) {
      try {
        const drawn = await unpackText(byId(image.dataset.packed).textContent);
        image.src = URL.createObjectURL(new Blob([drawn], { type: "image/svg+xml" }));
      } catch (error) {
        image.replaceWith(make("p", {}, error.message));
      }
    }
  }
  const OTHER = "The folder “dialogues” beside this page belongs to another report. Put the one that was made with this page there.";
  const waiting = new Map();
  window.hinterguesserChunk = (at, text) => waiting.get(at)?.(text);
  function packedChunk(at) {
    const inside = byId(`chunk-${at}`);
    if (inside) return Promise.resolve(inside.textContent);
    return new Promise((resolve, reject) => {
      waiting.set(at, resolve);
      const script = make("script", { src: `dialogues/${String(at).padStart(4, "0")}.js` });
      script.addEventListener("error", () => {
        script.remove();
        reject(new Error("The dialogues stand in the folder “dialogues” beside this page, and it is not there. Keep the two together."));
      });
      /* After a file that handed over its data this changes nothing any more. */
      script.addEventListener("load", () => { script.remove(); reject(new Error(OTHER)); });
      document.body.append(script);
    });
  }
  const chunks = new Map();
  function chunk(at) {
    if (!chunks.has(at)) {
      const made = packedChunk(at).then(unpack);
      made.catch(() => chunks.delete(at));
      chunks.set(at, made);
    }
    return chunks.get(at);
  }

  const PAGE = 25;
  const percent = (mille) => (mille === null ? "-" : `${(mille / 10).toFixed(1)} %`);
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  async function browser() {
    const { size, columns, models, apart: ofModel } = await unpack(byId("index").textContent);
    const total = columns.id.length;
    const hay = columns.id.map((id, at) =>
      plain([columns.entity[at], id, columns.game[at], columns.outcome[at], columns.reason[at] ?? ""].join(" ")));
    const numbers = [...columns.id.keys()];
    const places = new Map();
    columns.id.forEach((id, at) => { if (places.has(id)) places.get(id).push(at); else places.set(id, [at]); });
    const orders = { "": numbers };
    const control = Object.fromEntries(["search", "game", "kept", "outcome", "reason", "model", "apart", "order"].map((id) => [id, byId(id)]));
    for (const name of ["game", "outcome", "reason"]) {
      for (const value of [...new Set(columns[name])].filter((each) => each !== null).sort(collator.compare)) {
        control[name].append(make("option", { value }, value));
      }
    }
    for (const name of ["reason", "game", "outcome"]) control[name].parentElement.hidden = control[name].options.length < 2;
    models.forEach((model, at) => control.model.append(make("option", { value: String(at) }, model || "not named")));
    control.model.parentElement.hidden = models.length < 2;
    control.apart.parentElement.hidden = columns.disagreement.every((value) => value === null);

    /* Of the chosen model, or of whichever is widest apart; -1 where the model saw nothing of the dialogue. */
    const disagreement = () => (control.model.value === "" ? columns.disagreement : ofModel[control.model.value]);
    function ordered(by) {
      const key = by === "disagreement" ? by + control.model.value : by;
      if (!orders[key]) {
        const of = by === "disagreement" ? disagreement() : columns[by];
        orders[key] = [...numbers].sort(by === "entity"
          ? (a, b) => collator.compare(of[a], of[b])
          : (a, b) => (of[b] ?? -1) - (of[a] ?? -1));
      }
      return orders[key];
    }
    let found = numbers;
    let from = 0;
    function filter() {
      const words = plain(control.search.value).split(/\s+/).filter(Boolean);
      const apart = control.apart.value === "" ? null : Number(control.apart.value);
      const values = disagreement();
      const is = (name, at) => control[name].value === "" || String(columns[name][at]) === control[name].value;
      found = ordered(control.order.value).filter((at) =>
        is("game", at) && is("kept", at) && is("outcome", at) && is("reason", at)
        && values[at] !== -1 && (apart === null || (values[at] ?? -1) >= apart)
        && words.every((word) => hay[at].includes(word)));
      from = 0;
      list();
    }
    /* The id says which one; where it does not, the game and the place among those that share both. */
    const address = (at) => {
      const alike = places.get(columns.id[at]);
      const same = alike.filter((each) => columns.game[each] === columns.game[at]);
      return `#dialogue=${encodeURIComponent(columns.id[at])}`
        + (alike.length > 1 ? `&game=${encodeURIComponent(columns.game[at])}` : "")
        + (same.length > 1 ? `&copy=${same.indexOf(at) + 1}` : "");
    };
    const name = (at) => make("bdi", {}, columns.entity[at]);
    function list() {
      const body = byId("list").tBodies[0];
      body.replaceChildren(...found.slice(from, from + PAGE).map((at) => make("tr", {},
        make("th", { scope: "row" }, make("a", { href: address(at) }, name(at))),
        make("td", {}, columns.game[at]),
        make("td", { class: "number" }, String(columns.length[at])),
        make("td", {}, columns.kept[at] ? columns.outcome[at] : `rejected: ${columns.reason[at] ?? columns.outcome[at]}`),
        make("td", { class: "number" }, percent(disagreement()[at])),
        make("td", {}, make("bdi", {}, columns.id[at])))));
      byId("count").textContent = `${found.length.toLocaleString("en")} of ${total.toLocaleString("en")} dialogues`;
      byId("where").textContent = found.length ? `${from + 1} to ${Math.min(from + PAGE, found.length)}` : "none";
      byId("previous").disabled = from === 0;
      byId("next").disabled = from + PAGE >= found.length;
      byId("pages").hidden = found.length <= PAGE;
    }
    byId("previous").addEventListener("click", () => { from -= PAGE; list(); });
    byId("next").addEventListener("click", () => { from += PAGE; list(); });
    for (const each of Object.values(control)) each.addEventListener("input", filter);
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    byId("filters").hidden = byId("list").hidden = false;
    list();

    const shown = byId("dialogue");
    function asked() {
      if (!location.hash.startsWith("#dialogue=")) return null;
      const wanted = new Map(location.hash.slice(1).split("&").map((part) => {
        const [key, value = ""] = part.split("=");
        try { return [key, decodeURIComponent(value)]; } catch { return [key, value]; }
      }));
      const id = wanted.get("dialogue");
      const game = wanted.get("game");
      const alike = (places.get(id) ?? []).filter((each) => game === undefined || columns.game[each] === game);
      return { id, at: alike[Number(wanted.get("copy") ?? 1) - 1] };
    }
    async function open() {
      const wanted = asked();
      shown.hidden = wanted === null;
      if (wanted === null) return;
      if (wanted.at === undefined) {
        shown.replaceChildren(make("h3", { id: "dialogue-heading", tabindex: "-1" }, "No such dialogue"),
          make("p", {}, "There is no dialogue ", make("bdi", {}, wanted.id), " in this report."));
      } else {
        try {
          const data = (await chunk(Math.floor(wanted.at / size)))[wanted.at % size];
          if (asked()?.at !== wanted.at) return;
          if (data?.id !== columns.id[wanted.at] || data.game !== columns.game[wanted.at]) throw new Error(OTHER);
          show(shown, data, address(wanted.at), models[control.model.value]);
        } catch (error) {
          if (asked()?.at !== wanted.at) return;
          shown.replaceChildren(make("h3", { id: "dialogue-heading", tabindex: "-1" }, "This dialogue cannot be shown"),
            make("p", {}, error.message));
        }
      }
      byId("dialogue-heading").focus({ preventScroll: true });
      shown.scrollIntoView({ block: "start" });
    }
    window.addEventListener("hashchange", open);
    performance.mark("list-ready");
    document.documentElement.dataset.ready = "yes";
    await open();
  }

  /* One dialogue, turn by turn. */
  const TARGETS = new Map([["answer", "in its own answer"], ["gold", "in the gold answer"], ["", "confidence"]]);
  const said = (text) => make("bdi", {}, text ?? "");
  function fact(of, heading, ...value) {
    of.append(make("dt", {}, heading), make("dd", {}, ...value));
  }
  function verdict(correct) {
    if (correct === null) return null;
    return make("span", { class: correct ? "right" : "wrong" }, correct ? " ✓ right" : " ✗ wrong");
  }
  function show(into, data, link, model) {
    const facts = make("dl");
    fact(facts, "id", said(data.id));
    fact(facts, "game", data.game);
    fact(facts, "outcome", data.outcome, data.kept ? ", kept" : `, rejected: ${data.reason ?? "no reason given"}`);
    if (data.aliases.length) fact(facts, "also", ...data.aliases.flatMap((alias, at) => [at ? "; " : "", said(alias)]));
    fact(facts, "instruction", said(data.instruction));
    fact(facts, "Hinter, Guesser", said(data.hinter), ", ", said(data.guesser));
    const home = make("a", { href: link }, "Link to this dialogue");
    const close = make("a", { href: "#dialogues" }, "Close");
    const turns = make("div");
    const controls = make("div", { class: "controls screen" });
    const course = { model: null, condition: null };
    for (const [at, key] of [[0, "model"], [1, "condition"]]) {
      const values = [...new Set(data.courses.map((each) => each[at]))];
      const first = key === "condition" ? "multi" : model;
      course[key] = values.includes(first) ? first : values[0] ?? null;
      if (values.length > 1) {
        const select = make("select", {}, ...values.map((value) => make("option", { value }, value || "not named")));
        select.value = course[key];
        select.addEventListener("input", () => { course[key] = select.value; fill(); });
        controls.append(make("label", {}, key, select));
      }
    }
    function fill() {
      const chosen = data.courses.find((each) => each[0] === course.model && each[1] === course.condition);
      turns.replaceChildren(...data.turns.map((turn, at) => oneTurn(turn, at, chosen)));
      if (data.failure) {
        const [turn, stage, error, text] = data.failure;
        turns.append(make("div", { class: "turn" }, make("h4", {}, `It ended at turn ${turn} (${stage})`),
          make("p", {}, said(error)), make("pre", {}, said(text))));
      }
    }
    into.replaceChildren(
      make("h3", { id: "dialogue-heading", tabindex: "-1" }, said(data.entity)),
      make("p", { class: "screen" }, home, " · ", close), facts,
      controls.childElementCount ? controls : "", turns);
    fill();
  }
  function oneTurn([question, answer, guess, correct, unique, others, fit, placebo, summary], at, course) {
    const facts = make("dl");
    fact(facts, question ? "hint" : "clue", said(question), question ? " " : "", said(answer));
    if (guess !== null) {
      fact(facts, "guess", said(guess), verdict(correct) ?? "");
      fact(facts, "other answers", unique ? "none fits any more, it says" : "still fit, it says",
        ...(others.length ? [": ", ...others.flatMap((other, place) => [place ? "; " : "", said(other)])] : []));
    }
    if (fit !== null) fact(facts, "candidates left", fit === 1 ? "1 (certified unique)" : String(fit));
    if (placebo) fact(facts, `placebo (${placebo[2]})`, said(placebo[0]), " ", said(placebo[1]));
    if (summary !== null) fact(facts, "summary", said(summary));
    const box = make("section", { class: "turn" }, make("h4", {}, `Turn ${at + 1}`), facts);
    if (course && at < course[2].length) box.append(...bars(course, at));
    return box;
  }
  /* Confidences stand one column after the other, two digits in base 32 each: per mille, or 1023 for unscored. */
  function bars([model, condition, answers, correct, columns, packed], at) {
    const line = make("p", {}, make("bdi", {}, model || "The model"), " answers ",
      answers[at] === null ? "nothing that could be read" : make("strong", {}, said(answers[at])), verdict(correct[at]) ?? "");
    const methods = [...new Set(columns.map((each) => each[0]))];
    const targets = [...new Set(columns.map((each) => each[1]))];
    const value = (method, target) => {
      const column = columns.findIndex((each) => each[0] === method && each[1] === target);
      if (column < 0) return undefined;
      const start = 2 * (column * answers.length + at);
      const mille = parseInt(packed.slice(start, start + 2), 32);
      return mille === 1023 ? null : mille;
    };
    const cell = (mille, target) => {
      if (mille === undefined) return make("td", {}, "");
      if (mille === null) return make("td", {}, "unscored");
      const filled = make("i");
      filled.style.width = `${mille / 10}%`;
      return make("td", { class: target === "gold" ? "gold" : "" },
        make("span", { class: "track", "aria-hidden": "true" }, filled), percent(mille));
    };
    const heads = targets.map((target) => make("th", { scope: "col" }, TARGETS.get(target) ?? said(target)));
    const table = make("table", { class: "bars" },
      make("caption", {}, `Confidence${condition ? ` under ${condition}` : ""}`),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "method"), ...heads)),
      make("tbody", {}, ...methods.map((method) => make("tr", {},
        make("th", { scope: "row" }, said(method || "confidence")), ...targets.map((target) => cell(value(method, target), target))))));
    return [line, make("div", { class: "wide", role: "region", "aria-label": `Confidence at turn ${at + 1}`, tabindex: "0" }, table)];
  }

  theme();
  document.querySelectorAll("table.sortable").forEach(sortable);
  figures();
  if (byId("index")) {
    browser().catch((error) => { byId("count").textContent = error.message; });
  } else {
    document.documentElement.dataset.ready = "yes";
  }
})();
