"use strict";
// Text of a corpus is put into the page as text, never as markup.

const $ = (id) => document.getElementById(id);
const make = (tag, cls, text) => {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = text;
  return node;
};
const words = (name) => name.replaceAll("_", " ");
const short = (value) => (typeof value === "string" ? value : JSON.stringify(value));

let after = 0;      // entries that are on the page
let turn = -1;      // the turn that the page knows; 0: none waits for us
let actions = [];
let forms = [];     // [{action, form, fields: {name: control}}]
let seen = null;    // the picture on the stage
let latest = null;  // the picture that was shown last
let episode = 0, turns = 0, over = false, failed = 0;

async function listen() {
  while (!over) {
    try {
      const answer = await fetch(`news?after=${after}&turn=${turn}`);
      if (!answer.ok) throw new Error(String(answer.status));
      const news = await answer.json();
      failed = 0;
      if (after === 0) { $("title").textContent = news.title; $("about").textContent = news.about; document.title = `play ${news.title}`; }
      news.entries.forEach(put);
      after = news.next;
      offer(news.turn, news.actions);
    } catch (error) {
      failed += 1;
      state("lost", "no connection");
      if (failed > 5) { over = true; mark("The connection is lost: the run has stopped. The same command goes on from there."); }
      await new Promise((done) => setTimeout(done, 400 * failed));
    }
  }
  $("actions").classList.add("idle");
  $("stop").disabled = true;
}

function state(cls, text) { $("state").className = cls; $("state").textContent = text; }

// ---- what was shown

function add(node) {
  const item = make("li");
  item.append(node);
  $("log").append(item);
  $("log").scrollTop = $("log").scrollHeight;
}
function mark(text) { const item = make("li", "mark", text); $("log").append(item); $("log").scrollTop = $("log").scrollHeight; }

function put(entry) {
  if (entry.kind === "episode") {
    episode = entry.number; turns = 0; latest = null; stage(null);
    mark(`Episode ${episode}`);
  } else if (entry.kind === "shown") {
    if (entry.action) { turns += 1; add(did(entry.action)); }
    entry.parts.forEach(part);
  } else if (entry.kind === "end") {
    add(ended(entry));
  } else if (entry.kind === "over") {
    over = true; state("", "ended"); mark(entry.words);
  }
  $("where").textContent = episode ? `episode ${episode} · turn ${turns + 1}` : "";
}

function did(action) {
  const line = make("div", "did");
  line.append(make("b", "", words(action.name)));
  const args = Object.entries(action.args);
  if (args.length) line.append(make("span", "", " " + args.map(([k, v]) => (args.length > 1 ? `${k} ${short(v)}` : short(v))).join(", ")));
  return line;
}

function part(one) {
  if (one.type === "text") {
    const lines = one.text.split("\n");
    const table = lines.length > 1 && lines.every((l) => l.includes(" | ") || l.includes("\t") || /^[-+| ]+$/.test(l));
    add(make("div", table ? "text columns" : "text", one.text));
  } else if (one.type === "image") {
    const box = make("a", "picture");
    const image = make("img");
    image.src = `picture/${one.picture}`;
    image.alt = `a picture of ${one.size[0]} × ${one.size[1]}`;
    image.addEventListener("load", () => { $("log").scrollTop = $("log").scrollHeight; });
    box.append(image);
    box.addEventListener("click", () => stage(one));
    one.node = box;
    add(box);
    latest = one;
    stage(one);
  } else add(make("div", "text", `[${one.type}]`));
}

function ended(entry) {
  const reward = entry.reward;
  const box = make("div", "end" + (reward === null ? "" : reward > 0.5 ? " good" : " bad"));
  const status = entry.status === "completed" ? "The episode is over" : `The episode is over (${entry.status})`;
  box.append(reward === null ? status : `${status}: reward ${Math.round(reward * 1000) / 1000}`);
  const parts = Object.entries(entry.rewards || {}).filter(([, v]) => v !== null);
  if (parts.length > 1) box.append(make("small", "", parts.map(([k, v]) => `${k} ${Math.round(v * 1000) / 1000}`).join(" · ")));
  if (entry.error) box.append(make("small", "", entry.error));
  return box;
}

// ---- the picture

function stage(one) {
  seen = one;
  $("stage").hidden = one === null;
  document.querySelectorAll(".picture.now").forEach((n) => n.classList.remove("now"));
  $("box").hidden = $("dot").hidden = true;
  if (one === null) return;
  one.node.classList.add("now");
  const [width, height] = one.size;
  const room = [Math.max(200, $("left").clientWidth - 44), Math.max(160, window.innerHeight * 0.58)];
  const zoom = Math.max(Math.min(room[0] / width, room[1] / height), 0.01);
  const scale = zoom > 1 ? Math.min(zoom, Math.max(1, Math.floor(zoom * 2) / 2), 24) : zoom;
  const picture = $("picture");
  picture.style.width = `${Math.max(1, Math.round(width * scale))}px`;
  picture.style.height = `${Math.max(1, Math.round(height * scale))}px`;
  picture.className = scale >= 3 ? "coarse" : "";
  picture.src = `picture/${one.picture}`;
  const [x0, y0, x1, y1] = one.box, [w, h] = one.source;
  const whole = x0 === 0 && y0 === 0 && x1 === w && y1 === h;
  const turned = one.turn ? `, turned by ${one.turn * 90}°` : "";
  $("caption").textContent = `${width} × ${height} pixels: ` + (whole ? `the whole picture of ${w} × ${h}` : `${x0}, ${y0} – ${x1}, ${y1} of ${w} × ${h}`) + turned;
  $("pointer").textContent = one === latest ? "" : "an earlier picture";
  $("frame").classList.toggle("takes", takes());
}
window.addEventListener("resize", () => { if (seen) stage(seen); });

const takes = () => turn > 0 && seen !== null && (seen.frame === "source" || seen === latest) && Boolean(target(boxOf) || target(pointOf));

// A point of the screen as the numbers that the task's actions take: pixels of what is shown, or of the source.
function numbers(event) {
  const rect = $("picture").getBoundingClientRect();
  const [width, height] = seen.size;
  const x = Math.min(Math.max((event.clientX - rect.left) / rect.width, 0), 1) * width;
  const y = Math.min(Math.max((event.clientY - rect.top) / rect.height, 0), 1) * height;
  if (seen.frame === "shown") return [x, y];
  const [x0, y0, x1, y1] = seen.box, across = x1 - x0, down = y1 - y0;
  return [
    [x0 + (x * across) / width, y0 + (y * down) / height],
    [x0 + (y * across) / height, y0 + ((width - x) * down) / width],
    [x0 + ((width - x) * across) / width, y0 + ((height - y) * down) / height],
    [x0 + ((height - y) * across) / height, y0 + (x * down) / width],
  ][seen.turn];
}

// ---- which arguments a box or a point fills

const numeric = (s) => s && (s.type === "number" || s.type === "integer");
const list = (s, n) => s && s.type === "array" && numeric(s.items) && (s.minItems === undefined || s.minItems <= n) && (s.maxItems === undefined || s.maxItems >= n);

function boxOf(action) {
  const p = action.parameters.properties || {};
  for (const names of [["x0", "y0", "x1", "y1"], ["x1", "y1", "x2", "y2"], ["left", "top", "right", "bottom"]]) if (names.every((n) => numeric(p[n]))) return names;
  const name = Object.keys(p).find((n) => list(p[n], 4) && (/box|region|crop|area/.test(n) || p[n].minItems === 4));
  return name ? [name] : null;
}
function pointOf(action) {
  const p = action.parameters.properties || {};
  if (numeric(p.x) && numeric(p.y)) return ["x", "y"];
  const name = Object.keys(p).find((n) => list(p[n], 2) && (/point|position|pixel/.test(n) || p[n].maxItems === 2));
  return name ? [name] : null;
}
function target(kind) {
  const able = forms.filter((f) => kind(f.action));
  return able.find((f) => f.form.contains(document.activeElement)) || able[0];
}
function fill(form, names, values, box) {
  const p = form.action.parameters.properties;
  const whole = (schema, value, i) => (schema.type !== "integer" ? Math.round(value * 10) / 10 : !box ? Math.floor(value) : i < 2 ? Math.floor(value + 1e-6) : Math.ceil(value - 1e-6));
  if (names.length === 1) form.fields[names[0]].value = JSON.stringify(values.map((v, i) => whole(p[names[0]].items, v, i)));
  else names.forEach((n, i) => { form.fields[n].value = whole(p[n], values[i], i); });
}

let down = null;
$("frame").addEventListener("pointerdown", (event) => {
  if (!takes() || event.button !== 0) return;
  event.preventDefault();
  down = { x: event.clientX, y: event.clientY, at: numbers(event) };
  $("frame").setPointerCapture(event.pointerId);
});
$("frame").addEventListener("pointermove", (event) => {
  if (seen === null) return;
  if (takes()) $("pointer").textContent = numbers(event).map((n) => Math.floor(n)).join(", ");
  if (down && target(boxOf)) drawBox(event);
});
$("frame").addEventListener("pointerup", (event) => {
  if (!down) return;
  const first = down, dragged = Math.hypot(event.clientX - first.x, event.clientY - first.y) > 4;
  const last = numbers(event);
  down = null;
  const kind = dragged && target(boxOf) ? boxOf : pointOf;
  const form = target(kind);
  if (!form) { $("box").hidden = true; return; }
  if (kind === boxOf) {
    const [ax, ay] = first.at, [bx, by] = last;
    fill(form, boxOf(form.action), [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)], true);
  } else {
    fill(form, pointOf(form.action), last, false);
    drawDot(event);
  }
  // What ends the episode waits for the button.
  if (form.action.ends) form.form.querySelector("button[type=submit]").focus(); else submit(form, true);
});
$("frame").addEventListener("pointercancel", () => { down = null; $("box").hidden = true; });

function drawBox(event) {
  const rect = $("picture").getBoundingClientRect();
  const inside = (v, low, high) => Math.min(Math.max(v, low), high);
  const xs = [down.x, event.clientX].map((v) => inside(v, rect.left, rect.right) - rect.left).sort((a, b) => a - b);
  const ys = [down.y, event.clientY].map((v) => inside(v, rect.top, rect.bottom) - rect.top).sort((a, b) => a - b);
  Object.assign($("box").style, { left: `${xs[0]}px`, top: `${ys[0]}px`, width: `${xs[1] - xs[0]}px`, height: `${ys[1] - ys[0]}px` });
  $("box").hidden = false;
}
function drawDot(event) {
  const rect = $("picture").getBoundingClientRect();
  Object.assign($("dot").style, { left: `${event.clientX - rect.left}px`, top: `${event.clientY - rect.top}px` });
  $("dot").hidden = false;
}

// ---- the actions

function offer(now, legal) {
  const changed = now !== turn;
  turn = now;
  if (turn > 0) state("turn", "your turn"); else if (!over) state("", "waiting");
  $("actions").classList.toggle("idle", turn === 0);
  if (turn > 0 && JSON.stringify(legal) !== JSON.stringify(actions)) { actions = legal; build(); }
  if (changed && turn > 0) { document.querySelectorAll(".wrong").forEach((n) => n.remove()); if (seen) stage(seen); }
}

function build() {
  $("actions").replaceChildren();
  // What ends the episode comes last.
  forms = [...actions].sort((a, b) => a.ends - b.ends).map((action) => {
    const form = make("form");
    const head = make("h2", "", words(action.name));
    if (action.ends) head.append(make("small", "", "ends the episode"));
    form.append(head);
    if (action.description) form.append(make("p", "", action.description));
    const one = { action, form, fields: {} };
    if (boxOf(action)) form.append(make("p", "hint", "Drag a box in the picture."));
    else if (pointOf(action)) form.append(make("p", "hint", "Click in the picture."));
    const first = boxOf(action) || pointOf(action) || [];
    const rank = (name) => (first.includes(name) ? first.indexOf(name) : first.length);
    const properties = Object.entries(action.parameters.properties || {}).sort(([a], [b]) => rank(a) - rank(b));
    const only = properties.length === 1 && properties[0][1].enum;
    if (only && only.length && only.length <= 80) form.append(chips(one, properties[0][0], only));
    else {
      const fields = make("div", first.length > 2 ? "fields four" : "fields");
      properties.forEach(([name, schema]) => fields.append(field(one, name, schema)));
      if (properties.length) form.append(fields);
      const button = make("button", "", words(action.name));
      button.type = "submit";
      form.append(button);
    }
    form.addEventListener("submit", (event) => { event.preventDefault(); submit(one, false); });
    $("actions").append(form);
    return one;
  });
}

function chips(one, name, values) {
  const row = make("div", "chips");
  values.forEach((value) => {
    const button = make("button", "", short(value));
    button.type = "button";
    button.addEventListener("click", () => send(one, { [name]: value }));
    row.append(button);
  });
  return row;
}

function field(one, name, schema) {
  const needed = (one.action.parameters.required || []).includes(name);
  const label = make("label", numeric(schema) ? "" : "wide", words(name) + (needed ? "" : " (may be left out)"));
  let control;
  if (schema.enum || schema.type === "boolean") {
    control = make("select");
    const values = schema.enum || [true, false];
    if (!needed) control.append(new Option("", ""));
    values.forEach((value) => control.append(new Option(short(value), JSON.stringify(value))));
  } else if (schema.type === "string") {
    control = make("textarea");
    control.rows = 1;
    control.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); one.form.requestSubmit(); }
    });
  } else {
    control = make("input");
    control.type = numeric(schema) ? "number" : "text";
    if (numeric(schema)) { control.step = schema.type === "integer" ? "1" : "any"; if (schema.minimum !== undefined) control.min = schema.minimum; if (schema.maximum !== undefined) control.max = schema.maximum; }
    else control.placeholder = schema.type === "array" ? "[1, 2]" : "{}";
  }
  control.name = name;
  if (schema.description) control.title = schema.description;
  one.fields[name] = control;
  label.append(control);
  return label;
}

// The arguments of a form; null where one that is needed is empty or cannot be read, which is then said.
function values(one) {
  const out = {};
  for (const [name, control] of Object.entries(one.fields)) {
    const schema = one.action.parameters.properties[name];
    const text = control.value;
    const needed = (one.action.parameters.required || []).includes(name);
    if (text === "" && (!needed || schema.type !== "string")) {
      if (!needed) continue;
      return wrong(one, `${words(name)} is empty`);
    }
    if (schema.type === "string" && !schema.enum) { out[name] = text; continue; }
    try { out[name] = JSON.parse(text); } catch { return wrong(one, `${words(name)} cannot be read: ${text}`); }
  }
  return out;
}
function wrong(one, text) {
  one.form.querySelectorAll(".wrong").forEach((n) => n.remove());
  one.form.append(make("div", "wrong", text));
  return null;
}

function submit(one, quietly) {
  const args = values(one);
  if (args === null) { if (quietly) one.form.querySelectorAll(".wrong").forEach((n) => n.remove()); return; }
  send(one, args);
}

async function send(one, args) {
  if (turn <= 0) return;
  const mine = turn;
  $("actions").classList.add("idle");
  state("", "waiting");
  try {
    const answer = await fetch("act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ turn: mine, name: one.action.name, args }) });
    if (!answer.ok) throw new Error(await answer.text());
    Object.values(one.fields).forEach((c) => { if (c.tagName !== "SELECT") c.value = ""; });
  } catch (error) {
    wrong(one, `It could not be sent: ${error.message}`);
    $("actions").classList.remove("idle");
  }
}

$("stop").addEventListener("click", () => fetch("stop", { method: "POST" }));

listen();
