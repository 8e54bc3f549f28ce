"use strict";
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  $("blocked").remove();

  // ---- what is drawn with: text is only ever text

  // h makes an element. Children are elements or text.
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  function fill(element, attributes, children) {
    for (const name in attributes || {}) {
      const value = attributes[name];
      if (name === "on") for (const event in value) element.addEventListener(event, value[event]);
      else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
    return element;
  }
  const small = (...text) => h("p", { class: "small" }, text);
  const bullets = (items) => items.length > 0 && h("ul", null, items.map((item) => h("li", null, item)));
  const button = (text, click, attributes) => h("button", { type: "button", ...attributes, on: { click } }, text);
  const put = (element, ...children) => element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));

  const count = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (n, one, many) => (n === 1 ? "1 " + one : count(n) + " " + (many || one + "s"));
  const short = (n) => {
    if (n < 1000) return Number.isInteger(n) ? String(n) : n < 0.095 ? n.toPrecision(1) : n < 9.95 ? n.toFixed(1) : n.toFixed(0);
    for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
      if (n >= size * 0.9995) { const x = n / size; return (x < 9.95 ? x.toFixed(1) : x.toFixed(0)) + unit; }
    }
    return String(n);
  };
  const rate = (n) => (n === 0 ? "0" : n < 0.1 ? Number(n.toPrecision(2)).toString() : n < 100 ? n.toFixed(1) : count(n));
  const percent = (part, whole) => {
    if (!whole || !part) return "0 %";
    if (part === whole) return "100 %";
    const p = (100 * part) / whole;
    return p < 0.1 ? "<0.1 %" : p > 99.9 ? ">99.9 %" : p < 10 ? p.toFixed(1) + " %" : Math.min(Math.round(p), 99) + " %";
  };
  const money = (usd) => (usd > 0 && usd < 0.01 ? "<$0.01" : "$" + usd.toFixed(2));
  const span = (ms) => {
    if (ms < 1000) return Math.round(ms) + " ms";
    const sec = ms / 1000;
    if (sec < 120) return Math.round(sec) + " s";
    if (sec < 7200) return Math.round(sec / 60) + " min";
    if (sec < 172800) return Math.round(sec / 3600) + " h";
    return Math.round(sec / 86400) + " days";
  };
  const stamp = (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

  // ---- the repeats

  const cells = D.counters.length * D.windows.length;
  const days = Math.max(D.days, 1); // three loops in a minute do not make thousands a day

  // read undoes countsText of the Go side, once for each of its texts.
  const read = D.counts.map(() => null);
  function countsOf(number) {
    if (read[number]) return read[number];
    const list = [], firsts = []; // firsts[t]: the hit at which t is first reached
    let at = 1, most = 1;
    for (const [, sign, n] of D.counts[number].matchAll(/([-+=^])(\d*)/g)) {
      const step = sign === "+" ? 1 : sign === "-" ? -1 : 0;
      for (let i = sign === "^" ? 1 : Number(n || 1); i > 0; i--) {
        at = sign === "^" ? Number(n) : at + step;
        while (most < at) firsts[++most] = list.length;
        list.push(at);
      }
    }
    return (read[number] = { list, firsts, most });
  }

  // each undoes runs of the Go side.
  const each = (runs) => runs.flatMap((value, i) => (i % 2 ? [] : new Array(runs[i + 1]).fill(value)));
  const rows = D.rows.map((row) => each(JSON.parse("[" + row + "]")));
  const byRule = D.rules.map(() => []);
  const repeats = D.repeats.map(([rule, kind, first, last, requests, row, steps, statuses, tokens, costs, id, print, evidence, session, caller, model, scope, rest, restTokens, restCost]) => {
    const text = (n) => D.texts[n];
    const k = {
      rule, kind: D.kinds[kind], first, last, requests, rest, restTokens, restCost, row: rows[row], steps, statuses, tokens, costs,
      id: text(id), print: text(print), evidence: text(evidence), session: text(session), caller: text(caller), model: text(model),
      scope: scope.map((v, i) => [D.rules[rule].scope[i], text(v)]),
    };
    byRule[rule].push(k);
    return k;
  });

  // fires says what a setting would do with a repeat; null if it does not fire.
  function fires(k, cell, threshold) {
    const { list, firsts, most } = countsOf(k.row[cell]);
    if (most < threshold) return null;
    const f = { k, hit: firsts[threshold], requests: 0, tokens: 0, cost: 0, delay: 0, time: k.first };
    for (let i = 0; i <= f.hit; i++) {
      f.time += k.steps[i];
      if (i > 0) f.delay += k.steps[i];
    }
    for (let i = 0; i < list.length; i++) {
      if (list[i] >= threshold) {
        f.requests++;
        if (i === f.hit) continue;
        if (k.tokens) f.tokens += Math.max(k.tokens[i], 0);
        if (k.costs) f.cost += Math.max(k.costs[i], 0) / 1e6;
      }
    }
    const to = Math.min(list.length, 256), late = list.slice(to >> 1, to); // it went on as there
    const rest = Math.floor((k.rest * late.filter((n) => n >= threshold).length) / late.length);
    if (rest > 0) {
      f.requests += rest;
      f.tokens += Math.round((rest / k.rest) * k.restTokens);
      f.cost += ((rest / k.rest) * k.restCost) / 1e6;
    }
    f.who = k.session || k.scope.find(([name]) => name === "conversation")?.[1] || k.caller || k.scope.map((x) => x[1]).join(" ") || k.print;
    return f;
  }

  const restOf = (rule) => D.rest.filter((r) => r.rule === rule);
  const restFires = (r, cell, t) => r.cells[cell]?.[D.thresholds.indexOf(t)] || 0;

  // reached counts the repeats of a rule by kind and the highest count of a
  // cell: one pass answers every threshold.
  const tallies = new Map();
  function reached(rule, cell) {
    const name = rule * cells + cell;
    let kinds = tallies.get(name);
    if (!kinds) {
      tallies.set(name, (kinds = new Map()));
      for (const k of byRule[rule]) {
        if (!kinds.has(k.kind)) kinds.set(k.kind, new Array(256).fill(0));
        kinds.get(k.kind)[countsOf(k.row[cell]).most]++;
      }
    }
    return kinds;
  }

  // outcome adds up what a setting would do to all repeats of a rule, by kind.
  const outcomes = new Map();
  function outcome(rule, cell, threshold) {
    const name = rule + " " + cell + " " + threshold;
    if (outcomes.has(name)) return outcomes.get(name);
    const o = { caught: swept(rule, cell, threshold, CAUGHT), loops: D.rules[rule].loops, wrong: swept(rule, cell, threshold, WRONGLY), excluded: swept(rule, cell, threshold, EXCLUDED), all: 0, kinds: {} };
    const add = (kind, fired) => {
      if (!fired) return;
      o.all += fired;
      o.kinds[kind] = (o.kinds[kind] || 0) + fired;
    };
    for (const [kind, most] of reached(rule, cell)) add(kind, most.slice(threshold).reduce((sum, n) => sum + n, 0));
    for (const r of restOf(rule)) add(D.kinds[r.kind], restFires(r, cell, threshold));
    outcomes.set(name, o);
    return o;
  }

  // swept is what a setting would do. Where nothing is reached nothing is
  // written.
  const [REQUESTS, EPISODES, SCOPES, TOKENS, COST, CAUGHT, WRONGLY, EXCLUDED, SESSIONS, CALLERS, TOKENS_BEFORE, COST_BEFORE, DELAY, DELAY_95, ALERTS] = Array.from({ length: 15 }, (_, i) => i);
  const swept = (rule, cell, threshold, what) => D.rules[rule].cells[cell]?.[what]?.[D.thresholds.indexOf(threshold)] ?? 0;

  // ---- the setting looked at, which is in the address

  const keys = []; // of the rules: names, told apart where two are equal
  for (const r of D.rules) keys.push(keys.includes(r.name) ? r.name + "#" + keys.length : r.name);
  const layers = [
    { key: "day", name: "episodes a day", of: (r, c, t) => swept(r, c, t, EPISODES) / days },
    { key: "episodes", name: "episodes", of: (r, c, t) => swept(r, c, t, EPISODES) },
    { key: "cost", name: "cost after firing (USD)", of: (r, c, t) => swept(r, c, t, COST), off: !D.cost },
    { key: "tokens", name: "tokens after firing", of: (r, c, t) => swept(r, c, t, TOKENS), off: !D.tokens },
    { key: "scopes", name: "scopes touched", of: (r, c, t) => swept(r, c, t, SCOPES) },
    { key: "sessions", name: "sessions touched", of: (r, c, t) => swept(r, c, t, SESSIONS) },
    { key: "callers", name: "callers touched", of: (r, c, t) => swept(r, c, t, CALLERS) },
    { key: "missed", name: "loops missed", of: (r, c, t) => D.rules[r].loops - swept(r, c, t, CAUGHT) },
    { key: "wrong", name: "repeats hit that are no loop", of: (r, c, t) => swept(r, c, t, WRONGLY) },
    { key: "requests", name: "requests stopped", of: (r, c, t) => swept(r, c, t, REQUESTS) },
  ];
  const at = { rule: 0, counter: 0, window: 0, t: 0, layer: 0, budget: Infinity };
  const cellAt = () => at.counter * D.windows.length + at.window;
  const threshold = () => D.thresholds[at.t];

  const nearest = (wanted) => D.thresholds.reduce((best, t, i) => (Math.abs(t - wanted) < Math.abs(D.thresholds[best] - wanted) ? i : best), 0);
  function goTo(rule, setting) {
    at.rule = rule;
    const to = setting || D.rules[rule]?.advised || D.rules[rule]?.now; // there may be no rule
    if (to) {
      at.counter = Math.floor(to.cell / D.windows.length);
      at.window = to.cell % D.windows.length;
      at.t = nearest(to.threshold);
    }
  }
  function readAddress() {
    const p = new URLSearchParams(location.hash.slice(1));
    const pick = (list, value, otherwise) => { const i = list.indexOf(value); return i < 0 ? otherwise : i; };
    const loops = D.rules.map((r) => r.loops);
    const busiest = loops.some(Boolean) ? loops : byRule.map((list) => list.length);
    const first = [D.recommended[0], D.rules.findIndex((r) => r.advised), busiest.indexOf(Math.max(...busiest))].find((i) => i >= 0);
    goTo(pick(keys, p.get("rule"), first || 0));
    at.counter = pick(D.counters, p.get("kind"), at.counter);
    at.window = pick(D.windows, p.get("window"), at.window);
    if (/^\d{1,9}$/.test(p.get("threshold") || "")) at.t = nearest(Number(p.get("threshold")));
    // Where there is less than one a day, counts say more than rates.
    const usual = D.rules.length && Math.max(...D.windows.map((_, w) => swept(at.rule, at.counter * D.windows.length + w, D.thresholds[0], EPISODES))) < days ? 1 : 0;
    at.layer = pick(layers.map((l) => l.key), p.get("layer"), usual);
    if (layers[at.layer].off) at.layer = usual;
  }
  function writeAddress() {
    const p = new URLSearchParams({ rule: keys[at.rule], kind: D.counters[at.counter], window: D.windows[at.window], threshold: threshold(), layer: layers[at.layer].key });
    history.replaceState(null, "", "#" + p);
  }

  const settingText = (cell, t) => t + " in " + D.windows[cell % D.windows.length] + " " + D.counters[Math.floor(cell / D.windows.length)];
  const same = (setting, cell, t) => setting && setting.cell === cell && setting.threshold === t;

  // ---- recommendation

  const delays = (...cell) => span(1000 * swept(...cell, DELAY)) + " after the first repeat (median; 95 % within " + span(1000 * swept(...cell, DELAY_95)) + ")";
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const by = D.labels ? "" : "by evidence ";
  function catches(o) {
    const neither = (n) => n + (D.labels ? " that" : " of an outage or a short retry, which") + " it is neither right nor wrong to stop", left = neitherOf(o);
    const but = [o.excluded > 0 && "what the policy excludes", left > 0 && neither(count(left))].filter(Boolean).join(" and ");
    return "catches " + count(o.caught) + " of " + plural(o.loops, "loop") + ", and hits " +
      (o.wrong ? plural(o.wrong, "repeat") + " that " + by + (o.wrong === 1 ? "is" : "are") + " no loop" + (left > 0 ? ", and " + neither(plural(left, "other")) : "") : "nothing else" + (but && " but " + but));
  }
  const neitherOf = (o) => o.all - o.caught - o.wrong - o.excluded;

  function spent(...cell) {
    const tokens = swept(...cell, TOKENS), cost = swept(...cell, COST);
    return tokens > 0 ? short(tokens) + " tokens" + (cost > 0 ? " (" + money(cost) + ")" : "") : cost > 0 ? money(cost) : "";
  }

  function drawRecommendation() {
    const minutes = D.last - D.first < 3600e3 ? 19 : 16; // and seconds, where it is about them
    const log = D.streams.length === 1 && D.streams[0].name ? D.streams[0].name.split("/").pop() : plural(D.streams.length, "log");
    document.title = "loopgauge: " + log;
    put($("about"), log + " · " + (D.empty ? "nothing was judged" : stamp(D.first).slice(0, minutes) + " to " + stamp(D.last).slice(0, minutes) + " UTC · " + plural(D.account.judged, "request") + (D.conversations ? " · " + plural(D.conversations, "conversation") + (D.one_in > 1 ? ", one in " + D.one_in + " of all" : "") : "")));
    const cards = D.recommended.map((i) => {
      const r = D.rules[i], a = r.advised;
      return h("div", { class: "card" },
        h("h3", null, r.name + ", " + settingText(a.cell, a.threshold)),
        r.looks && h("p", null, "It " + r.looks + "."),
        h("p", null, "It " + catches(outcome(i, a.cell, a.threshold)) + "; " + plural(swept(i, a.cell, a.threshold, ALERTS), "alert") + ", " + rate(swept(i, a.cell, a.threshold, ALERTS) / days) + " a day."),
        h("p", null, "It would have stopped " + plural(swept(i, a.cell, a.threshold, REQUESTS), "request") + (spent(i, a.cell, a.threshold) && "; repeats used " + spent(i, a.cell, a.threshold) + " after it fired") + "."),
        h("p", null, "It fires " + delays(i, a.cell, a.threshold) + "."),
        small(capital(r.proof) + "."),
        r.beside && small(capital(r.beside) + "."),
        h("p", { class: "screen" }, button("Look at it", () => { goTo(i, a); draw(); $("h-settings").scrollIntoView(); picked().focus({ preventScroll: true }); })));
    });
    const caveats = D.recommended.length ? D.caveats.map((c) => c + ".") : [];
    const reasons = D.recommended.length ? [] : [...D.caveats, ...D.refusals];
    if (D.account.late * 100 > D.account.lines) caveats.push(percent(D.account.late, D.account.lines) + " of the lines came too late to be judged" + (D.lateness.again && ": " + D.lateness.again) + ".");
    if (!D.empty && (D.account.judged < 100 || D.days < 1)) caveats.push("There is little to go by: " + plural(D.account.judged, "request") + " over " + span(D.last - D.first) + ".");
    if (!D.labels && !D.empty) caveats.push((D.conversations ? "Nobody has labelled these sessions. " : "") + "What is a loop and what is not is concluded from evidence in the log, named with each episode: it is no measured error rate." + (D.conversations ? " Look at some, write down what they are, and give the file with --labels." : ""));
    else if (D.labels?.unseen < D.labels?.sessions) {
      const l = D.labels, found = l.true_positive;
      const score = (name, others) => name + (l[name] === null ? " cannot be told" : " " + l[name].toFixed(2) + " (" + found + " of " + (found + others) + "; 95 % interval " + l[name + "_low"].toFixed(2) + " to " + l[name + "_high"].toFixed(2) + ")");
      caveats.push("Against " + plural(l.sessions, "labelled session") + ", " + plural(l.loops, "loop") + " among them: " + score("precision", l.false_positive) + ", " + score("recall", l.false_negative) +
        (l.unseen ? ". " + plural(l.unseen, "labelled session is", "labelled sessions are") + " not in the log" + (l.unseen_loops ? ": of the loops " + plural(l.unseen_loops, "counts", "count") + " as missed for that" : "") : "") + (D.misjudged && "; " + D.misjudged) + ".");
    }
    const broken = D.streams.filter((x) => x.error);
    if (broken.length) caveats.push(plural(broken.length, "log") + " could not be read, or not to the end: see below.");
    if (repeats.length < D.all) caveats.push("Of " + plural(D.all, "repeat") + " this page lists " + count(repeats.length) + ", loops first and then the longest; the others are in the numbers, but not in the time-line and the list of episodes.");
    if (!D.empty) caveats.push("A log shows what happened without the rule. Whoever is stopped may come again in another way, and that is not in it.");
    const exclusions = D.exclusions.map((x) => [x.name, h("code", null, x.match), count(x.mutes), x.hides ? count(x.hides) : "none", x.hides ? "no" : "yes"]);
    put($("recommendation"),
      h("p", { class: "verdict" }, capital(D.verdict) + "."),
      h("div", { class: "cards" }, cards),
      D.together && h("p", null, capital(D.together) + "."),
      bullets(reasons),
      D.ways.length > 0 && [h("h3", null, "What may help"), bullets(D.ways)],
      exclusions.length > 0 && [h("h3", null, "Leave out what repeats on purpose"), table(["Exclusion", "Match", { n: "Repeats taken out" }, { n: "Loops hidden" }, "In the policy"], exclusions), D.exclusions.some((x) => !x.hides) && h("p", null, "All numbers are counted as if nothing were excluded, but what the policy excludes does not count as wrongly stopped.")],
      D.against && [
        h("h3", null, "Against " + D.against.policy),
        h("p", { id: "against" }, !D.recommended.length ? "Nothing is recommended; this finds " + plural(D.against.lost, "loop") + "." : "The recommended policy finds " + plural(D.against.new, "loop") + " that this one does not, and misses " + count(D.against.lost) + " that this one finds; both find " + count(D.against.same) + ". Here a loop is what a policy fires on, whatever its kind."),
        D.against.loops.length > 0 && h("details", { open: D.against.loops.length <= 10 }, h("summary", null, "The loops that change"), table(["Change", "Who", "Fired (UTC)", { n: "Requests" }, "Rules"], D.against.loops.map((l) => [l.what, l.who, stamp(l.fired), count(l.requests), l.rules]))),
        D.against.loops.length < D.against.new + D.against.lost && small("The costliest " + D.against.loops.length + " are listed."),
        D.against.until != null && small("Compared are the loops that ended before " + stamp(D.against.until) + " UTC: there are too many episodes to hold all against each other."),
      ],
      caveats.length > 0 && [h("h3", null, "Before you rely on it"), bullets(caveats)]);
    put($("command"), D.command.split(" ").map((word, i) => [i > 0 && " ", h("span", null, word)]));
  }

  // ---- heat-map

  let shownRows = [];
  function drawMap() {
    const rule = D.rules[at.rule], layer = layers[at.layer], base = at.counter * D.windows.length;
    const values = D.thresholds.map((t) => D.windows.map((_, w) => layer.of(at.rule, base + w, t)));
    // What nothing reaches is shown once, and where something is marked.
    let last = 0;
    D.thresholds.forEach((t, i) => {
      const named = [rule.advised, rule.now].some((x) => x && x.threshold === t);
      if (named || i === at.t || D.windows.some((_, w) => swept(at.rule, base + w, t, REQUESTS) > 0)) last = i;
    });
    shownRows = D.thresholds.map((_, i) => i).filter((i) => i <= last + 1);
    const most = Math.max(0, ...shownRows.flatMap((i) => values[i]));
    const shade = (v) => (v <= 0 || most <= 0 ? 0 : Math.max(1, Math.round((8 * Math.log1p((v / most) * 50)) / Math.log1p(50))));
    const body = shownRows.map((i) => {
      const t = D.thresholds[i];
      return h("tr", null, h("th", { scope: "row" }, String(t)), D.windows.map((name, w) => {
        const cell = base + w, v = values[i][w];
        const advised = same(rule.advised, cell, t), now = same(rule.now, cell, t), picked = i === at.t && w === at.window;
        const over = swept(at.rule, cell, t, ALERTS) / days > at.budget;
        const text = layer.key === "cost" && v > 0 ? (v < 0.01 ? "<.01" : short(v)) : short(v);
        return h("td", {
          class: "q" + shade(v) + (advised ? " advised" : "") + (now ? " now" : "") + (over ? " over" : ""),
          role: "gridcell", tabindex: picked ? "0" : "-1", "aria-selected": String(picked), "data-row": i, "data-column": w,
          "aria-label": t + " in " + name + ": " + layer.name + " " + short(v) + (advised ? ", advised" : "") + (now ? ", as it is now" : "") + (over ? ", over the budget" : ""),
        }, advised ? "[" + text + "]" : now ? "(" + text + ")" : text);
      }));
    });
    const focused = $("map").contains(document.activeElement);
    put($("map"), h("thead", null, h("tr", null, h("th", { scope: "col", "aria-label": "threshold" }, "≥"), D.windows.map((w) => h("th", { scope: "col" }, w)))), h("tbody", null, body));
    $("map").className = D.windows.length > 10 ? "many" : "";
    const box = $("map").parentNode, td = picked();
    if (td && (td.offsetLeft < box.scrollLeft + 60 || td.offsetLeft + td.offsetWidth > box.scrollLeft + box.clientWidth)) box.scrollLeft = td.offsetLeft - box.clientWidth / 2;
    if (focused) td?.focus();
    put($("scale"), most > 0 && [h("span", null, "0"), [0, 1, 2, 3, 4, 5, 6, 7, 8].map((q) => h("i", { class: "q" + q })), h("span", null, short(most) + " " + layer.name)]);
  }
  const picked = () => document.querySelector('#map td[aria-selected="true"]');

  // look shows a setting that a button names. The button goes, the focus stays.
  function look(setting) {
    goTo(at.rule, setting);
    draw();
    picked()?.focus({ preventScroll: true });
  }

  function move(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -99], End: [0, 99], PageUp: [-5, 0], PageDown: [5, 0] };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    at.t = Math.min(Math.max(at.t + step[0], 0), D.thresholds.length - 1);
    at.window = Math.min(Math.max(at.window + step[1], 0), D.windows.length - 1);
    draw();
  }

  // ---- what the setting looked at does

  let fired = [];
  function drawCell() {
    const rule = D.rules[at.rule], cell = cellAt(), t = threshold(), o = outcome(at.rule, cell, t);
    const get = (what) => swept(at.rule, cell, t, what);
    const line = (name, value) => [h("dt", null, name), h("dd", null, value)];
    const asNow = rule.now && same(rule.advised, rule.now.cell, rule.now.threshold);
    put($("cell"),
      h("h3", null, rule.name + ", " + settingText(cell, t)),
      small(rule.identity + (rule.scope.length ? " by " + rule.scope.join(", ") : ", all callers together") + "; now " + rule.nowText),
      rule.coverage.counted === 0 && h("p", { class: "note" }, "This rule could look at nothing in this log" + (rule.coverage.causes.length ? ": " + rule.coverage.causes[0].why : "") + "."),
      h("dl", null,
        line("episodes", count(get(EPISODES)) + " (" + rate(get(EPISODES) / days) + " a day)"),
        get(ALERTS) < get(EPISODES) && line("alerts, as some run together", count(get(ALERTS)) + " (" + rate(get(ALERTS) / days) + " a day)"),
        line("requests it would stop", count(get(REQUESTS)) + " (" + percent(get(REQUESTS), D.account.judged) + ")"),
        line("scopes touched", count(get(SCOPES))),
        line("sessions, callers", count(get(SESSIONS)) + ", " + count(get(CALLERS))),
        line("loops caught", count(o.caught) + " of " + count(o.loops)),
        line("loops missed", count(o.loops - o.caught)),
        line("repeats it fires on", count(o.all)),
        line("of these, " + by + "no loop", count(o.wrong)),
        o.excluded > 0 && line("of these, taken out by the policy's exclusions", count(o.excluded)),
        neitherOf(o) > 0 && line("of these, neither a loop nor wrong to stop", count(neitherOf(o))),
        get(TOKENS_BEFORE) + get(TOKENS) > 0 && line("tokens until it fires, after", short(get(TOKENS_BEFORE)) + ", " + short(get(TOKENS))),
        get(COST_BEFORE) + get(COST) > 0 && line("cost until it fires, after", money(get(COST_BEFORE)) + ", " + money(get(COST))),
        get(EPISODES) > 0 && line("first repeat to firing, median", span(1000 * get(DELAY))),
        get(EPISODES) > 0 && line("in 95 % of cases", span(1000 * get(DELAY_95)))),
      h("p", null, D.kinds.filter((kind) => o.kinds[kind]).map((kind) => [kindMark(kind), " " + count(o.kinds[kind]) + "  "])),
      h("p", { class: "screen" },
        rule.advised && !same(rule.advised, cell, t) && button((asNow ? "Advised, as it is now: " : "Advised: ") + settingText(rule.advised.cell, rule.advised.threshold), () => look(rule.advised)), " ",
        rule.now && !same(rule.now, cell, t) && !asNow && button("Now: " + rule.nowText, () => look(rule.now))));
  }
  const kindMark = (kind) => h("span", { class: "kind" }, h("span", { class: "dot " + kind }), kind);

  // The best setting of the rule within the budget: most loops, then least
  // that is none, then fewest requests let through, then the rule's own counter.
  function drawSuggestion() {
    const rule = D.rules[at.rule];
    let best = null;
    for (let cell = 0; cell < cells; cell++) {
      for (const t of D.thresholds) {
        if (t < rule.least || swept(at.rule, cell, t, REQUESTS) === 0 || swept(at.rule, cell, t, ALERTS) / days > at.budget) continue;
        const o = outcome(at.rule, cell, t);
        if (!o.caught) continue;
        const rank = [-o.caught, o.wrong, same(rule.advised, cell, t) ? 0 : 1, -swept(at.rule, cell, t, REQUESTS)];
        const i = best ? rank.findIndex((v, j) => v !== best.rank[j]) : 0;
        if (!best || (i >= 0 && rank[i] < best.rank[i])) best = { rank, cell, t, o };
      }
    }
    const bound = at.budget === Infinity ? "Without a bound" : "Within " + rate(at.budget) + " a day";
    if (!best) return put($("suggestion"), bound + ", no setting of this rule from " + rule.least + " on catches a loop.");
    put($("suggestion"), bound + ", most is caught by " + settingText(best.cell, best.t) + ": it " + catches(best.o) + ". ",
      !(best.cell === cellAt() && best.t === threshold()) && button("Look at it", () => look({ cell: best.cell, threshold: best.t }), { class: "open screen" }));
  }

  // The slider goes by equal factors from the rarest alert to all of them. One of
  // its steps is the budget that tune was given.
  const mostADay = Math.max(0.02, ...D.rules.flatMap((r) => r.cells.flatMap((c) => c?.[ALERTS] ?? [])).map((n) => n / days));
  const leastADay = Math.min(0.01, 1 / days);
  const steps = 60;
  const given = D.budget ? Math.min(Math.max(Math.round(((steps - 1) * Math.log(D.budget / leastADay)) / Math.log(mostADay / leastADay)), 0), steps - 1) : steps;
  const budgetAt = (i) => (i >= steps ? Infinity : i === given ? D.budget : leastADay * Math.pow(mostADay / leastADay, i / (steps - 1)));
  function readBudget() {
    const i = Number($("budget").value);
    at.budget = budgetAt(i);
    const text = at.budget === Infinity ? "any number of alerts" : "at most " + rate(at.budget) + " alerts a day";
    put($("budget-text"), text);
    $("budget").setAttribute("aria-valuetext", text);
  }

  // ---- time-line

  let range = null; // times that the list is narrowed to

  // round is the least of the times that people count in that is as long.
  const day = 86400e3;
  const lengths = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800].map((sec) => 1000 * sec);
  const round = (ms) => lengths.find((length) => length >= ms) || Math.ceil(ms / (28 * day)) * 28 * day;

  // unlisted is on how many repeats it fires that the page had no room for.
  const unlisted = () => restOf(at.rule).reduce((sum, r) => sum + restFires(r, cellAt(), threshold()), 0);

  const silent = () => fired.length === 0 && !(D.rules.length && swept(at.rule, cellAt(), threshold(), EPISODES));

  function drawTime() {
    const box = $("time");
    if (D.empty || fired.length === 0) {
      put(box, h("p", null, "This setting fires on nothing" + (silent() ? "." : " that is listed.")));
      return;
    }
    const width = Math.max(300, Math.floor(box.clientWidth || 900)), left = width < 600 ? 84 : 130, right = 46, lane = 30;
    const kinds = D.kinds.filter((kind) => fired.some((f) => f.k.kind === kind));
    const step = round((D.last - D.first) / Math.max(20, Math.min(120, Math.floor((width - left - right) / 8))));
    const from = Math.floor(D.first / step) * step, bins = Math.floor((D.last - from) / step) + 1, to = from + bins * step, w = (width - left - right) / bins;
    const binOf = (f) => Math.min(Math.max(Math.floor((f.time - from) / step), 0), bins - 1);
    const minutes = step < 60e3 ? 19 : 16; // and seconds, where it is about them
    const counted = kinds.map((kind) => { const list = new Array(bins).fill(0); for (const f of fired) if (f.k.kind === kind) list[binOf(f)]++; return list; });
    const most = Math.max(...counted.flat());
    const parts = [];
    kinds.forEach((kind, i) => {
      const y = (i + 1) * lane;
      parts.push(s("line", { class: "axis", x1: left, x2: width - right, y1: y, y2: y }),
        s("text", { x: 0, y: y - 4 }, kind === "duplicate-logging" && left < 100 ? "dupl. logging" : kind),
        s("text", { x: width, y: y - 4, "text-anchor": "end" }, count(counted[i].reduce((a, b) => a + b, 0))));
      counted[i].forEach((n, b) => {
        if (!n) return;
        const height = 4 + (lane - 8) * Math.sqrt(n / most);
        const low = from + b * step;
        const on = range && range[0] === low;
        parts.push(s("rect", {
          class: "bar " + kind + (on ? " picked" : ""), x: (left + b * w).toFixed(1), y: (y - height).toFixed(1), width: Math.min(Math.max(w - 1, 3), 24).toFixed(1), height: height.toFixed(1),
          role: "button", tabindex: "-1", "aria-pressed": String(Boolean(on)),
          on: { click: (e) => { const i = bars().indexOf(e.currentTarget); range = on ? null : [low, low + step]; shown = page; drawTime(); drawEpisodes(); focusBar(i); } },
        }, s("title", null, plural(n, "repeat") + " of kind " + kind + ", " + stamp(low).slice(0, minutes) + " to " + stamp(low + step).slice(0, minutes))));
      });
    });
    const bottom = kinds.length * lane;
    const tick = round((to - from) / Math.max(2, Math.floor((width - left - right) / 110)));
    parts.push(s("text", { x: 0, y: bottom + 18 }, "UTC"));
    for (let t = Math.ceil(from / tick) * tick; t <= to; t += tick) {
      const x = left + ((width - left - right) * (t - from)) / (to - from);
      parts.push(s("line", { class: "axis", x1: x, x2: x, y1: bottom, y2: bottom + 5 }),
        s("text", { x, y: bottom + 18, "text-anchor": "middle" }, t % day ? stamp(t).slice(11, tick < 60e3 ? 19 : 16) : stamp(t).slice(0, 10)));
    }
    put(box, s("svg", { viewBox: "0 0 " + width + " " + (bottom + 24), width, height: bottom + 24, role: "group", "aria-label": plural(fired.length, "repeat") + " over time, by kind" }, parts),
      small("Each bar: the repeats of a kind on which it would have fired within " + span(step) + "; the highest stands for " + count(most) + "." + (unlisted() ? " " + count(unlisted()) + " more are not in it: they were too many for this page." : ""), h("span", { class: "screen" }, " A click on a bar, or the arrow keys and Enter, narrow the list to it."), (range ? " Narrowed to " + stamp(range[0]) + " to " + stamp(range[1]) + "; click again for all." : "")));
    (box.querySelector(".bar.picked") || bars()[0]).setAttribute("tabindex", "0");
  }
  const bars = () => [...$("time").querySelectorAll(".bar")];

  function focusBar(i) {
    bars().forEach((bar, j) => bar.setAttribute("tabindex", i === j ? "0" : "-1"));
    bars()[i].focus();
  }

  // moveBar goes from bar to bar, kind by kind. All of them are one stop of the
  // tab key, which is the last one looked at.
  function moveBar(e) {
    const list = bars(), i = list.indexOf(document.activeElement);
    if (i < 0 || e.ctrlKey || e.metaKey || e.altKey) return;
    const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: list.length - 1 }[e.key];
    if (e.key === "Enter" || e.key === " ") list[i].dispatchEvent(new MouseEvent("click"));
    else if (to === undefined) return;
    else if (list[to]) focusBar(to);
    e.preventDefault();
  }

  // ---- episodes

  const page = 20;
  let shown = page, sorted = { by: 0, down: false }, hidden = new Set(), open = new Set();
  const columns = [
    { name: "Fired (UTC)", of: (f) => f.time, show: (f) => stamp(f.time), css: "when" },
    { name: "Kind", of: (f) => f.k.kind, show: (f) => kindMark(f.k.kind) },
    { name: "Who", of: (f) => f.who, show: (f) => h("div", null, f.who), css: "who" },
    { name: "Requests", of: (f) => f.k.requests, show: (f) => count(f.k.requests), css: "n" },
    { name: "Stopped", of: (f) => f.requests, show: (f) => count(f.requests), css: "n" },
    D.tokens ? { name: "Tokens after", of: (f) => f.tokens, show: (f) => (f.k.tokens ? short(f.tokens) : "–"), css: "n" } : null,
    D.cost ? { name: "Cost after", of: (f) => f.cost, show: (f) => (f.k.costs ? money(f.cost) : "–"), css: "n" } : null,
    { name: "Requests in order", of: null, show: (f) => strip(f, 180, 34) },
    { name: "Evidence", of: (f) => f.k.evidence, show: (f) => f.k.evidence, css: "evidence" },
  ].filter(Boolean);

  // strip draws one bar a request: the count, and where it crosses the
  // threshold. A mark below says that the answer was an error.
  function strip(f, width, height) {
    const { list, most } = countsOf(f.k.row[cellAt()]), t = threshold();
    const bars = f.k.rest === 0 && list.length <= width / 3 ? width : width - 36; // room for how many more
    const n = Math.min(list.length, Math.floor(bars / 3)), w = bars / Math.max(n, 12), top = Math.max(Math.min(most, 4 * t), t) * 1.05;
    const y = (v) => (height - 4) * (1 - Math.min(v, top) / top);
    let below = "", above = "", error = "";
    const status = each(f.k.statuses);
    for (let i = 0; i < n; i++) {
      const bar = "M" + (i * w).toFixed(1) + " " + (height - 4) + "V" + y(list[i]).toFixed(1) + "h" + Math.max(w - 1, 1).toFixed(1) + "V" + (height - 4) + "z";
      if (list[i] >= t) above += bar;
      else below += bar;
      if (status[i] >= 400) error += "M" + (i * w).toFixed(1) + " " + (height - 3) + "h" + Math.max(w - 1, 1).toFixed(1) + "v3h-" + Math.max(w - 1, 1).toFixed(1) + "z";
    }
    const more = list.length + f.k.rest - n;
    return s("svg", { class: "strip", viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": "counts " + list.slice(0, 12).join(", ") + (list.length > 12 ? ", …" : "") + "; fires at " + t },
      s("path", { class: "below", d: below }), s("path", { class: "above", d: above }), s("path", { class: "error", d: error }),
      s("line", { class: "line", x1: 0, x2: bars, y1: y(t).toFixed(1), y2: y(t).toFixed(1) }),
      more > 0 && s("text", { x: width, y: height - 5, "text-anchor": "end" }, "+" + count(more)),
      s("title", null, "the count at each request from the second on, up to four times the threshold, which is the broken line; marks below are errors"));
  }

  function details(f) {
    const k = f.k, statuses = {};
    for (let i = 0; i < k.statuses.length; i += 2) {
      const code = k.statuses[i] < 0 ? "unknown" : k.statuses[i];
      statuses[code] = (statuses[code] || 0) + k.statuses[i + 1];
    }
    const line = (name, value) => value && [h("dt", null, name), h("dd", null, value)];
    return h("tr", null, h("td", { class: "details", colspan: columns.length + 1 }, h("dl", null,
      line("id", k.id), line("scope", k.scope.map(([name, v]) => name + " = " + v).join(", ") || "all callers together"), line("session", k.session), line("caller", k.caller), line("model", k.model),
      line("fingerprint", k.print), line("first, last", stamp(k.first) + ", " + stamp(k.last)), line("fired", span(f.delay) + " after the first repeat"),
      line("answers", Object.entries(statuses).map(([code, n]) => n + " × " + code).join(", ")), line("evidence", k.evidence), line("what counted", h("code", null, "loopgauge explain --policy policy.yaml " + k.id + " LOG")))));
  }

  function listed() {
    const wanted = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const list = fired.filter((f) => {
      if (hidden.has(f.k.kind) || (range && (f.time < range[0] || f.time >= range[1]))) return false;
      if (!wanted.length) return true;
      const k = f.k, text = [k.id, k.kind, k.session, k.caller, k.model, k.print, k.evidence, ...k.scope.flat(), stamp(f.time)].join("\n").toLowerCase();
      return wanted.every((w) => text.includes(w));
    });
    const of = columns[sorted.by].of;
    list.sort((a, b) => { const x = of(a), y = of(b); return (x < y ? -1 : x > y ? 1 : a.time - b.time) * (sorted.down ? -1 : 1); });
    return list;
  }

  function drawEpisodes() {
    const list = listed(), table = $("episodes");
    table.className = "wide";
    put(table.tHead, h("tr", null, columns.map((c, i) => h("th", { scope: "col", class: c.css === "n" ? "n" : undefined, "aria-sort": sorted.by === i ? (sorted.down ? "descending" : "ascending") : undefined },
      c.of ? button(c.name, () => { sorted = { by: i, down: sorted.by === i ? !sorted.down : c.css === "n" }; drawEpisodes(); table.tHead.rows[0].cells[i].firstChild.focus(); }) : c.name)),
      h("td", { class: "screen" })));
    put(table.tBodies[0], list.slice(0, shown).flatMap((f, i) => {
      const isOpen = open.has(f.k), word = isOpen ? "less" : "more";
      const row = h("tr", null, columns.map((c) => h("td", { class: c.css, "data-label": c.name }, c.show(f))),
        h("td", { class: "screen" }, button(word, () => { if (isOpen) open.delete(f.k); else open.add(f.k); drawEpisodes(); table.querySelectorAll(".open")[i].focus(); },
          { class: "open", "aria-expanded": String(isOpen), "aria-label": word + ", of " + f.who + " at " + stamp(f.time) })));
      return isOpen ? [row, details(f)] : [row];
    }));
    const rest = unlisted();
    const episodes = D.rules.length ? swept(at.rule, cellAt(), threshold(), EPISODES) : 0;
    put($("episodes-count"), silent() ? "It fires on nothing." : count(Math.min(shown, list.length)) + " of " + plural(list.length, "repeat") + (list.length < fired.length ? ", of " + count(fired.length) + " in all" : " it fires on") + (rest ? "; " + count(rest) + " more were too many for this page and are only in the numbers" : "") + (episodes === fired.length + rest ? "." : ": " + plural(episodes, "episode") + ". A repeat that pauses can fire again; repeats side by side can be one episode."));
    table.hidden = $("search").parentNode.hidden = fired.length === 0; // nothing to sort or to search
    $("more").hidden = list.length <= shown;
    put($("kinds"), D.kinds.filter((kind) => fired.some((f) => f.k.kind === kind)).map((kind) => button([h("span", { class: "dot " + kind }), kind],
      () => { if (hidden.has(kind)) hidden.delete(kind); else hidden.add(kind); shown = page; drawEpisodes(); document.querySelector('#kinds [data-kind="' + kind + '"]').focus(); },
      { "aria-pressed": String(!hidden.has(kind)), "data-kind": kind })));
  }

  // ---- policy

  function policyText() {
    const entry = (i, cell, t) => {
      const r = D.rules[i];
      return r.policy + "    counter: " + D.texts[r.counters[cell]] + "\n    threshold: " + t + "\n    action: warn\n" + r.rest;
    };
    let text = D.policyHead;
    const list = D.recommended.includes(at.rule) ? D.recommended : [...D.recommended, at.rule];
    for (const i of list) text += i === at.rule ? entry(i, cellAt(), threshold()) : entry(i, D.rules[i].advised.cell, D.rules[i].advised.threshold);
    return text + D.policyTail;
  }
  function drawPolicy() {
    const text = D.rules.length ? policyText() : "";
    put($("policy"), text);
    const others = D.recommended.filter((i) => i !== at.rule).map((i) => D.rules[i].name);
    put($("policy-about"), D.recommended.includes(at.rule) && same(D.rules[at.rule].advised, cellAt(), threshold()) ? "The recommended policy." : D.rules.length ? (D.recommended.length ? "" : "Nothing is recommended. This is ") + D.rules[at.rule].name + " with the setting picked above" + (others.length ? "; " + others.join(", ") + " as recommended" : "") + "." : "");
    put($("copied"), "");
  }
  async function copy() {
    const text = $("policy").textContent;
    try {
      await navigator.clipboard.writeText(text);
      put($("copied"), "Copied.");
    } catch {
      getSelection().selectAllChildren($("policy"));
      put($("copied"), "Selected: copy it with the keyboard.");
    }
  }

  // ---- what does not change

  const table = (head, body) => h("table", { class: "wide" }, h("thead", null, h("tr", null, head.map((name) => h("th", { scope: "col", class: name.n ? "n" : undefined }, name.n || name)))),
    h("tbody", null, body.map((row) => h("tr", null, row.map((cell, i) => h(i ? "td" : "th", { class: head[i].n ? "n" : undefined, scope: i ? undefined : "row", "data-label": head[i].n || head[i] }, cell))))));
  const meter = (part, whole) => h("span", { class: "meter" }, s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { x: 0, y: 0, width: whole ? ((100 * part) / whole).toFixed(2) : 0, height: 10 })));

  function drawGateways() {
    if (!D.gateways.length) return put($("gateways"), h("p", null, "No gateway was compared."));
    const talks = (...cells) => (D.conversations ? cells : []);
    put($("gateways"),
      small("Each as it is, on this log. " + (D.conversations ? "A conversation counts as a loop if a rule that looks at what is said or called found one in it, by evidence" + (D.labels ? " or label" : "") + "; all others are normal. " : "The log tells no conversations. ") + "At the advised setting: what its own way of telling requests apart could do."),
      table(["Gateway", "Reading", { n: "Requests stopped" }, ...talks({ n: "Loops found" }, { n: "Normal ones stopped" }), "At the advised setting"], D.gateways.map((g) => {
        const advised = g.rules.map((i) => {
          const r = D.rules[i];
          return h("div", null, (g.rules.length > 1 ? r.name + ": " : "") + (r.advised ? settingText(r.advised.cell, r.advised.threshold) + " " + catches(outcome(i, r.advised.cell, r.advised.threshold)) : "no setting that was swept catches a loop within the limits"));
        });
        if (!g.coverage) return [g.name, g.reading, "–", ...talks("–", "–"), "could look at nothing"];
        return [g.name, g.reading, percent(g.requests, D.account.judged),
          ...talks(count(g.caught) + " of " + count(g.loops), g.normal ? count(g.wrong) + " of " + count(g.normal) + " (" + percent(g.wrong, g.normal) + ")" : "–"),
          advised.length ? h("div", null, advised) : "not swept"];
      })),
      bullets([...D.gatewayGaps, ...D.gateways.map((g) => g.excess).filter(Boolean), ...D.gateways.flatMap((g) => g.matter)].map((text) => text + ".")));
  }

  function drawData() {
    const a = D.account;
    put($("data-quality"),
      h("p", null, count(a.lines) + " lines = " + count(a.judged) + " judged + " + count(a.blank) + " blank + " + count(a.malformed) + " malformed + " + count(a.duplicate) + " duplicate + " + count(a.late) + " late + " + count(a.excluded) + " excluded."),
      bullets([
        "Lateness allowed: " + D.lateness.value + (D.lateness.measured ? ", measured" : ", as given") + ". " + (a.late ? plural(a.late, "line") + " came later than that and " + (a.late === 1 ? "was" : "were") + " not judged" + (D.lateness.enough && "; --lateness " + D.lateness.enough + " would have saved " + (a.late === 1 ? "it" : "them")) + "." : "No line came later."),
        a.duplicate ? plural(a.duplicate, "line") + " had a request id seen before and counted once." : "No request id came twice.",
        D.lateness.tied > 0 && plural(D.lateness.tied, "request") + " had the very time of another: pace tells nothing about them.",
        D.unpriced && "Some models are " + D.unpriced + ".",
        D.longer > 0 && "Of " + plural(D.longer, "repeat") + " longer than what is kept, the first requests are shown; the rest are in the sums.",
      ].filter(Boolean)),
      !D.empty && [h("h3", null, "What each rule could look at"), table(["Rule", { n: "Requests" }, "Share", "Not looked at, and why"], D.rules.map((r) => {
        const c = r.coverage, why = c.causes.map((x) => count(x.requests) + ": " + x.why);
        if (c.notMatched) why.push(count(c.notMatched) + ": not matched by the rule");
        return [r.name, count(c.counted), h("div", null, percent(c.counted, c.judged), meter(c.counted, c.judged)), why.length ? h("div", null, why.map((x) => h("div", null, x))) : "–"];
      }))],
      h("h3", null, "Logs"),
      h("details", { open: D.streams.length <= 10 || D.streams.some((x) => x.error) }, h("summary", null, plural(D.streams.length, "log")),
        table(["Log", "Format", { n: "Lines" }, "Read"], D.streams.map((x) => [x.name || "–", x.format || "–", count(x.lines), x.error || "to the end"]))));
  }

  function drawMethod() {
    const p = (text) => h("p", null, text);
    put($("method"),
      p("The log was read once. Every rule counted with every window (" + D.windows.join(", ") + ") and every counter (" + D.counters.join(", ") + "). A counter knows no threshold, so one count answers all of them; this page shows the thresholds " + D.thresholds.join(", ") + ", and tune --json all."),
      p("Numbers of the heat-map (episodes, requests, scopes, tokens, cost) are the sweep's: an episode begins when a rule fires in a scope and ends when the scope has been quiet. The list, the time-line and what is caught and missed go by repeats: one request's fingerprint in one scope, stretch by stretch; a stretch ends with a long pause, and, where the rule cannot tell requests apart, where four or more in a row that said the same begin and end. One repeat can hold several episodes, and one episode several repeats."),
      p("A repeat is called by what the log shows of it: stuck (the same again, and the same came of it), retry (after errors of its own), outage (errors that others had too), polling (results keep changing, or a clock's pace), probe (health checks), batch (one prompt in many sessions), duplicate-logging (one request written twice), unknown. Stuck and retry of four requests or more count as loops; an outage and a shorter retry count neither as a loop nor as wrongly stopped; all others count as no loop, unless an exclusion in the policy takes them out." + (D.labels ? " Where a session is labelled, the label decides." : "")),
      p("Missed: loops that some threshold that may be advised finds, in some window by some counter, and this setting does not. Advice was chosen on the first 70 % of the log's time" + (D.budget ? ", within " + rate(D.budget) + " alerts a day" : "") + ", hitting at most " + Number((100 * D.maxWrong).toPrecision(3)) + " % of requests wrongly, and tried on the rest. What the slider suggests is picked on the whole log, and by fewer considerations."),
      p("Neither in the numbers of the heat-map nor in the policy, which warns: what a gateway does on firing that changes later counts (cooldown, counting what it blocked, resetting). The rows of the gateways have it, and tune --json says it of each setting (stopped). Rates count a log shorter than a day as a day."),
      p("Requests are told apart by hashes: no prompt and no answer is in this page. Characters that do not show or turn the writing direction are written as escapes; long names are cut."),
      small("loopgauge " + D.version));
  }

  // ---- together

  function draw() {
    range = null;
    shown = page;
    const cell = cellAt(), t = threshold();
    fired = D.rules.length ? byRule[at.rule].map((k) => fires(k, cell, t)).filter(Boolean) : [];
    $("rule").value = String(at.rule);
    $("counter").value = String(at.counter);
    $("layer").value = String(at.layer);
    if (D.rules.length) {
      drawMap();
      drawCell();
      drawSuggestion();
    }
    drawTime();
    drawEpisodes();
    drawPolicy();
    if (D.rules.length) writeAddress();
  }

  // Of nothing that was judged there is only what became of the lines.
  for (const id of ["settings", "time", "episodes", "policy", "gateways", "method"]) $("h-" + id).parentNode.hidden = D.empty;
  put($("rule"), D.rules.map((r, i) => h("option", { value: i }, keys[i] + (D.recommended.includes(i) ? " (recommended)" : ""))));
  put($("counter"), D.counters.map((name, i) => h("option", { value: i }, name)));
  put($("layer"), layers.map((l, i) => h("option", { value: i, disabled: l.off }, l.name + (l.off ? ": none in this log" : ""))));
  $("rule").addEventListener("change", (e) => { goTo(Number(e.target.value)); draw(); });
  $("counter").addEventListener("change", (e) => { at.counter = Number(e.target.value); draw(); });
  if (D.rules.length) {
    $("layer").addEventListener("change", (e) => { at.layer = Number(e.target.value); drawMap(); writeAddress(); });
    $("budget").addEventListener("input", () => { readBudget(); drawMap(); drawSuggestion(); });
  }
  $("map").addEventListener("click", (e) => {
    const td = e.target.closest("td");
    if (!td) return;
    at.t = Number(td.dataset.row);
    at.window = Number(td.dataset.column);
    draw();
    picked()?.focus();
  });
  $("map").addEventListener("keydown", move);
  $("time").addEventListener("keydown", moveBar);
  $("search").addEventListener("input", () => { shown = page; drawEpisodes(); });
  $("more").addEventListener("click", () => { shown += 200; drawEpisodes(); });
  $("copy").addEventListener("click", copy);
  addEventListener("hashchange", () => { readAddress(); draw(); });
  let width = 0;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; drawTime(); } });

  $("budget").value = String(given);
  readBudget();
  readAddress();
  drawRecommendation();
  drawGateways();
  drawData();
  drawMethod();
  draw();
  document.documentElement.dataset.ready = "yes";
})();
