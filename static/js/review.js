// The review page by keyboard, and the link between a row, its spans and its footnote.
// Without this script every button is a form and every footnote an anchor; nothing here does what a form cannot.
// @ts-check

const evidence = /** @type {HTMLElement} */ (document.querySelector(".evidence"));
const status = /** @type {HTMLElement} */ (document.getElementById("status"));
const desk = /** @type {HTMLElement} */ (document.querySelector(".desk"));
const fold = /** @type {HTMLDetailsElement | null} */ (document.getElementById("unfound"));

const RENEW_EVERY = 4 * 60_000;
const CANNOT = "That cannot be done on this item now.";
const AWAY = "The site cannot be reached, so that was not saved. What you typed is still here; try again.";
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
let lastUse = Date.now();
let isEntering = false; // the unfound rows are awaited: a key pressed meanwhile is meant for them

/** @param {string} words */
function say(words) {
  status.textContent = words;
}

/** Say what went wrong, where everybody sees it. @param {(string | Node)[]} words */
function warn(...words) {
  const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
  notice.hidden = false;
  notice.replaceChildren(...words);
}

// ---- rows and citations, and what in the answer belongs to them: what is said of rows here goes for citations of documents too

const ROW = "tbody[data-row], [data-citation]";

/** @returns {HTMLElement[]} the rows that are shown, in order, behind them the citations */
const rows = () =>
  /** @type {HTMLElement[]} */ ([...evidence.querySelectorAll("tbody[data-row]"), ...document.querySelectorAll("[data-citation]")]).filter(
    (row) => row.checkVisibility(),
  );
/** @param {Element} row */
const line = (row) => /** @type {HTMLElement} */ (row.matches("tbody") ? row.querySelector("tr") : row);
/** @returns {HTMLElement | null} the row in focus */
const current = () => desk.querySelector("tbody[data-current], [data-citation][data-current]");
/** Whether a review can be submitted without a label of this row. @param {HTMLElement} row */
const isSettled = (row) => !("used" in row.dataset || "due" in row.dataset) || isLabelled(row);
/** @param {HTMLElement} row */
const isLabelled = (row) => Boolean(row.dataset.verdict ?? row.querySelector("[data-verdict]"));
/** Marks and footnotes of a field's row. @param {string | undefined} number */
const placesOfField = (number) => [...document.querySelectorAll(`.answer [data-rows~="${number}"]`)];
/** Marks and footnotes of a row, in the order of the answer; of a citation the marks of its words first. @param {HTMLElement | null} row */
const places = (row) =>
  row?.matches("tbody")
    ? placesOfField(row.dataset.row)
    : [...document.querySelectorAll(`.answer [data-cited~="${row?.dataset.mark}"], .answer [id="${row?.dataset.place}"] > a`)];
/** The place to look at first: a mark, else a footnote behind no words. @param {HTMLElement | null} row */
const place = (row) => places(row).find((each) => each.matches("mark")) ?? places(row)[0];

/** Whether answer and rows stand side by side, each with a scroll of its own. */
const areBeside = () => getComputedStyle(/** @type {HTMLElement} */ (evidence.parentElement)).display === "grid";

/** Bring a row into focus: its trace opens, its spans light up and come into view. @param {HTMLElement} row */
function focusRow(row, { scroll = true, focus = true } = {}) {
  const before = current();
  if (before && before !== row) {
    delete before.dataset.current;
    line(before).tabIndex = -1;
    line(before).removeAttribute("aria-current");
  }
  row.dataset.current = "";
  line(row).tabIndex = 0;
  line(row).setAttribute("aria-current", "true");
  light(row);
  if (focus && !row.contains(document.activeElement)) line(row).focus({ preventScroll: true });
  // On a narrow page a citation stands below the answer and repeats its words: to show them there would carry it out of view.
  const shown = row.matches("tbody") || areBeside() ? [row, place(row)] : [row];
  if (scroll) shown.forEach((each) => each?.scrollIntoView({ block: "nearest", behavior: calm }));
}

/** Light up everything in the answer that belongs to the row in focus. @param {HTMLElement} row */
function light(row) {
  document.querySelectorAll(".answer [data-focus]").forEach((each) => {
    each.removeAttribute("data-focus");
    each.removeAttribute("aria-current");
  });
  places(row).forEach((each) => {
    each.setAttribute("data-focus", each.matches(`[data-matched~="${row.dataset.row}"]`) ? "matched" : "cited");
    if (each.matches("a")) each.setAttribute("aria-current", "true");
  });
}

/** Light up what belongs together with a row, a span or a footnote that is pointed at. @param {HTMLElement | null} pointed */
function point(pointed) {
  document.querySelectorAll("[data-lit]").forEach((each) => each.removeAttribute("data-lit"));
  const numbers = pointed?.dataset.row?.split(" ") ?? pointed?.dataset.rows?.split(" ") ?? [];
  const lit = pointed?.matches("[data-citation]")
    ? [pointed, ...places(pointed)]
    : numbers.flatMap((number) => [document.getElementById(`row-${number}`), ...placesOfField(number)]);
  lit.forEach((each) => each?.setAttribute("data-lit", ""));
  return lit;
}

for (const [enter, exit] of [["focusin", "focusout"], ["mouseover", "mouseout"]]) {
  document.addEventListener(enter, (event) => {
    /** @type {HTMLElement | null} */
    const pointed = /** @type {Element} */ (event.target).closest?.(`.answer [data-rows], ${ROW}`);
    if (!pointed) return;
    const [row] = point(pointed);
    if (enter === "focusin" && pointed.dataset.rows) row?.scrollIntoView({ block: "nearest", behavior: calm });
  });
  document.addEventListener(exit, () => point(null));
}

/** The row in focus is the one with the focus. */
function catchUp() {
  /** @type {HTMLElement | null | undefined} */
  const row = document.activeElement?.closest(ROW);
  if (row && row !== current()) focusRow(row, { scroll: false, focus: false });
}

// While the button of the mouse is down nothing may move: another trace that opens would carry what is pressed away from under it.
let isPressing = false;
document.addEventListener("pointerdown", () => (isPressing = true), true);
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    isPressing = false;
    setTimeout(catchUp);
  });
}
desk.addEventListener("focusin", () => isPressing || catchUp());
desk.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  /** @type {HTMLElement | null} */
  const row = target.closest(ROW);
  if (!row) return;
  if (target.closest('a[href^="#fn-"], a[href^="#ev-"]')) {
    event.preventDefault();
    focusRow(row, { focus: false });
    jumpToEvidence();
  } else if (!target.closest("a, button, input, summary")) {
    focusRow(row);
  }
});
document.querySelector(".turn")?.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const number = target.closest("[data-rows]")?.getAttribute("data-rows")?.split(" ")[0];
  const cited = number ? "" : target.closest("[data-cited]")?.getAttribute("data-cited")?.split(" ")[0];
  /** @type {HTMLElement | null} */
  const row = cited
    ? document.querySelector(`[data-citation][data-mark="${cited}"]`)
    : document.getElementById(number ? `row-${number}` : (target.closest("a")?.hash.slice(1) ?? ""));
  if (!row?.matches(ROW)) return;
  event.preventDefault();
  focusRow(row);
});

// ---- keys

/** @param {number} step */
function move(step) {
  const shown = rows();
  const at = shown.indexOf(/** @type {HTMLElement} */ (current()));
  const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
  if (next) focusRow(next);
}

/** The row in focus; the first one where none is yet. */
function chosen() {
  const row = current() ?? rows()[0];
  if (row && row !== current()) focusRow(row);
  return row;
}

/** What is said where a key is meant for a row and none is shown. */
const noRow = () => (fold ? "There is no row here. Press o to open the fields that were not found." : "There is no row here.");

/** @param {string} ofField @param {string} [ofCitation] */
function give(ofField, ofCitation) {
  const row = chosen();
  const verdict = row?.matches("tbody") ? ofField : ofCitation;
  /** @type {HTMLButtonElement | null | undefined} */
  const button = row?.querySelector(`button[value="${verdict}"]`);
  if (button) button.click();
  else if (!row) say(noRow());
  else say(verdict ? "You cannot label this item now." : "A citation supports or does not support what it stands for: 1, 2 or 0.");
}

/** Whether what is asked for lacks only because the review is blind. @param {string} id */
const isJudgedOneByOne = (id) => id === "all-correct" && document.getElementById("undo") !== null;

/** @param {string} id */
function popUp(id) {
  const popup = /** @type {HTMLDetailsElement | null} */ (document.getElementById(id));
  if (!popup) return say(isJudgedOneByOne(id) ? "In a blind review every row is judged on its own." : CANNOT);
  popup.open = true;
  /** @type {HTMLElement | null} */ (popup.querySelector("input:not([type=hidden]), form button"))?.focus();
}

function toggleUnfound() {
  if (!fold) return say("Every field was found.");
  if (fold.open) return closeUnfound();
  fold.open = true;
  fold.scrollIntoView({ block: "start", behavior: calm });
  return enterUnfound();
}

function closeUnfound() {
  const last = fold?.contains(current()) ? rows().findLast((row) => !fold.contains(row)) : current();
  if (!fold) return;
  if (last) focusRow(last);
  else fold.querySelector("summary")?.focus();
  fold.open = false;
}

/** Go to the first unfound row; where the rows still have to come, they are gone to when they do. */
function enterUnfound() {
  /** @type {HTMLElement | null | undefined} */
  const row = fold?.querySelector("tbody[data-row]");
  isEntering = !row;
  if (row) focusRow(row, { scroll: false });
}

function jumpToEvidence() {
  const shown = /** @type {HTMLElement | undefined} */ (place(current()));
  if (!shown) return say("This row has no place in the answer.");
  if (!shown.matches("a")) shown.tabIndex = -1;
  shown.focus({ preventScroll: true });
  return shown.scrollIntoView({ block: "center", behavior: calm });
}

/** @returns {HTMLInputElement | null | undefined} */
const noteOf = (/** @type {Element | null | undefined} */ row) => row?.querySelector("input[name=note]");

function writeNote() {
  const row = chosen();
  const note = noteOf(row);
  note?.focus();
  note?.setSelectionRange(note.value.length, note.value.length);
  if (!note) say(row ? "You cannot write a note on this item now." : noRow());
}

/** @param {string} id */
function send(id) {
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById(id));
  if (form) form.requestSubmit();
  else say(CANNOT);
}
/** Follow the link of a key. @param {string} key */
const follow = (key) => /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${key}"]`))?.click();
/** Follow it once everything is sent. @param {string} key */
const press = (key) => (isBusy ? waiting.push({ key }) : follow(key));

/** @type {Record<string, () => void>} */
const moves = {
  ArrowDown: () => move(1),
  j: () => move(1),
  ArrowUp: () => move(-1),
  k: () => move(-1),
};
/** @type {Record<string, () => void>} */
const keys = {
  1: () => give("correct", "supports"),
  2: () => give("wrong", "does_not_support"),
  3: () => give("misstated"),
  0: () => give("cannot_judge", "cannot_judge"),
  ArrowLeft: () => press("ArrowLeft"),
  ArrowRight: () => press("ArrowRight"),
  o: toggleUnfound,
  e: jumpToEvidence,
  n: writeNote,
  a: () => popUp("all-correct"),
  u: () => send("undo"),
  s: () => popUp("skip"),
  "/": () => press("/"),
  "?": () => {
    const help = /** @type {HTMLDetailsElement} */ (document.querySelector(".keys-popup"));
    help.open = !help.open;
  },
};

/** Whether keys belong to a field that is being typed in. @param {EventTarget | null} target */
const isTyping = (target) => target instanceof Element && target.closest("input:not([type=hidden]), textarea, select") !== null;

document.addEventListener("keydown", (event) => {
  lastUse = Date.now();
  if (event.key === "Escape") return leave();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return finish(event);
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return undefined;
  const act = moves[event.key] ?? keys[event.key];
  if (!act) return undefined;
  event.preventDefault();
  if (isEntering) return undefined;
  if (!isPressing) catchUp(); // a key may come sooner than the timer of the click before it
  return event.repeat && !(event.key in moves) ? undefined : act();
});

/** Ctrl+Enter sends what is open over the page, else the review. @param {KeyboardEvent} event */
function finish(event) {
  event.preventDefault();
  if (event.repeat) return;
  /** @type {HTMLFormElement | null} */
  const popup = /** @type {Element} */ (event.target).closest("details.popup form");
  if (popup) popup.requestSubmit();
  else send("submit");
}

/** Escape closes what is open and goes back to the row. */
function leave() {
  const row = current();
  (row ? line(row) : evidence).focus({ preventScroll: true });
  document.querySelectorAll("details.popup[open]").forEach((popup) => popup.removeAttribute("open"));
  document.querySelectorAll(".answer sup[data-source]:hover").forEach((note) => {
    note.setAttribute("data-dismissed", "");
    note.addEventListener("mouseleave", () => note.removeAttribute("data-dismissed"), { once: true });
  });
}

// ---- sending: one request at a time, so that what is typed fast is done in the order in which it was typed

/** @typedef {{ form?: HTMLFormElement | null, value?: string, key?: string }} Waiting what waits its turn: a form with the value of its button, or a key */
/** @type {Waiting[]} */
let waiting = [];
let isBusy = false;
let hasNewToken = false;

/** @returns {HTMLInputElement | undefined} a note that was typed and is not saved */
const unsavedNote = () =>
  /** @type {HTMLInputElement[]} */ ([...desk.querySelectorAll(".noting input[name=note]")]).find((note) => note.value !== note.defaultValue);

document.addEventListener(
  "submit",
  (event) => {
    lastUse = Date.now();
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (form.method !== "post") return;
    const note = form.id === "submit" ? unsavedNote() : undefined;
    if (!isBusy && !note) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (note) waiting.push({ form: note.form });
    waiting.push({ form, value: /** @type {HTMLButtonElement | null} */ (event.submitter)?.value });
    if (!isBusy) sendNext();
  },
  true,
);

function sendNext() {
  const next = waiting.shift();
  if (!next) return undefined;
  if (next.key) waiting = [];
  if (next.key) return follow(next.key);
  const form = renewed(next.form);
  const note = form?.matches(".noting") ? noteOf(form) : null;
  /** @type {HTMLButtonElement | null | undefined} */
  const button = form?.querySelector(`button[value="${next.value}"]`);
  if (!form || (note && note.value === note.defaultValue)) return sendNext();
  return button ? button.click() : form.requestSubmit();
}

/** The form as it stands on the page now: a row that was saved is drawn anew. @param {HTMLFormElement | null | undefined} form */
const renewed = (form) =>
  form?.isConnected ? form : /** @type {HTMLFormElement | null} */ (document.getElementById(form?.id || "no form"));

/** @param {string} name @param {(detail: any, event: CustomEvent) => void} act */
const on = (name, act) =>
  document.body.addEventListener(`htmx:${name}`, (event) => act(/** @type {CustomEvent} */ (event).detail, /** @type {CustomEvent} */ (event)));

/** Whether something is only looked at: that waits for nothing, and nothing waits for it. @param {Element} elt */
const isReading = (elt) => elt.matches("[hx-get]");
/** Asks by itself whether citations were found: nothing is lost where that fails. @param {Element} elt */
const isAsking = (elt) => elt.id === "citation-search";

on("beforeRequest", ({ requestConfig: { elt } }) => (isBusy ||= !isReading(elt)));
on("afterRequest", ({ xhr, requestConfig: { elt } }) => {
  if (elt === fold) isEntering = false;
  if (isReading(elt)) return;
  if (xhr.status === 200 && xhr.getResponseHeader("HX-Redirect") && !unsavedNote()) {
    waiting = [];
    return;
  }
  isBusy = false;
  hasNewToken &&= xhr.status !== 200;
  if (xhr.status === 0 || xhr.status >= 400) waiting = [];
  if (elt.id === "submit" && xhr.status === 409) toUnlabelled();
  sendNext();
});

on("afterSwap", ({ requestConfig: { elt } }) => {
  const line = document.getElementById("citation-search");
  if (isAsking(elt) && line?.dataset.state !== "pending") say(`Sources: ${line?.querySelector("dt")?.textContent?.toLowerCase()}.`);
});

function toUnlabelled() {
  const row = rows().find((each) => !isSettled(each));
  if (row) focusRow(row);
  else if (document.querySelector("[data-more-citations]")) location.assign(`${location.pathname}?citations=all`);
}

// A note is saved when it is left.
desk.addEventListener("change", (event) => {
  const note = /** @type {HTMLInputElement} */ (event.target);
  const form = note.form;
  if (note.name !== "note" || !form?.matches(".noting") || form.elements.namedItem("reason")) return;
  setTimeout(() => {
    const isOnItsWay = form.classList.contains("htmx-request") || waiting.some((each) => each.form === form);
    if (!isOnItsWay && note.isConnected && note.value !== note.defaultValue) form.requestSubmit();
  });
});
addEventListener("beforeunload", (event) => {
  if (document.documentElement.dataset.left === undefined && (unsavedNote() || waiting.length > 0)) event.preventDefault();
});

// ---- answers

/** What is being typed in a row while its label is saved. @type {{ name: string, value: string, at: number | null }[]} */
let typed = [];

on("beforeSwap", ({ target, requestConfig }) => {
  const fields = /** @type {HTMLInputElement[]} */ ([...target.querySelectorAll("input:not([type=hidden])")]);
  const sent = requestConfig.elt.matches(".noting") ? requestConfig.parameters : {};
  typed = fields
    .filter((field) => field.value !== sent[field.name] && (field.value !== field.defaultValue || field === document.activeElement))
    .map((field) => ({ name: field.name, value: field.value, at: field === document.activeElement ? field.selectionStart : null }));
});
on("afterSwap", ({ requestConfig: { elt } }, event) => {
  const part = /** @type {HTMLElement} */ (event.target);
  const row = part.matches("tbody[data-row], .judged") ? /** @type {HTMLElement | null} */ (part.closest(ROW)) : null;
  if (!row) return;
  const isUndone = elt.id === "undo";
  if (isUndone || !current()) focusRow(row, { scroll: isUndone, focus: isUndone });
  restore(row);
  if (document.activeElement === document.body) line(row).focus({ preventScroll: true });
  const leaf = row.querySelector(".field b")?.textContent ?? row.getAttribute("aria-label") ?? "row";
  const what = elt.matches(".noting") ? "note saved" : (row.querySelector(".said")?.textContent?.trim() ?? "no label");
  say(`${leaf}: ${what}. ${document.getElementById("to-go")?.textContent ?? ""}.`);
});
on("afterSettle", (_, event) => {
  if (isEntering && /** @type {Element} */ (event.target).id === "unfound-rows") enterUnfound();
});

/** Put back what was being typed. @param {Element} row */
function restore(row) {
  for (const { name, value, at } of typed) {
    const field = /** @type {HTMLInputElement | null} */ (row.querySelector(`input[name="${name}"]`));
    if (!field) continue;
    field.value = value;
    if (at !== null) field.focus({ preventScroll: true });
    if (at !== null) field.setSelectionRange(at, at);
  }
  typed = [];
}

on("beforeOnLoad", ({ xhr }, event) => {
  const away = xhr.getResponseHeader("HX-Redirect") ?? "";
  const target = xhr.getResponseHeader("HX-Retarget");
  if (away.startsWith("/accounts/") && unsavedNote()) {
    event.preventDefault();
    warn("Your session has ended, so that was not saved. What you typed is still here: ", signInLink(away), ", then try again.");
  } else if (target && !document.querySelector(target)) {
    event.preventDefault();
    const opened = target.startsWith("#judged-") ? `?citations=all#citation-${target.slice("#judged-".length)}` : `?unfound=1${target}`;
    location.assign(location.pathname + opened);
  }
});

/** @param {string} address */
function signInLink(address) {
  const link = document.createElement("a");
  link.href = address;
  link.target = "_blank";
  link.textContent = "sign in again in another tab";
  return link;
}

on("responseError", ({ xhr, requestConfig }) => {
  if (isAsking(requestConfig.elt)) return;
  if (xhr.status === 403 && !hasNewToken) {
    hasNewToken = true;
    renewToken({ form: requestConfig.elt, value: requestConfig.triggeringEvent?.submitter?.value }).catch(() => warn(AWAY));
  } else if (xhr.status === 403) {
    warn("That was refused and not saved. Reload the page to see what you may do now.");
  } else if (xhr.status === 404) {
    warn("That was not saved: this item is not there any more.");
  } else {
    warn("Something failed on our side, and that was not saved. What you typed is still here; try again.");
  }
});
for (const name of ["sendError", "timeout"]) {
  on(name, ({ requestConfig: { elt } }) => isAsking(elt) || warn(AWAY));
}

/** Whoever signed in again in another tab has new tokens: fetch one and send the form once more. @param {Waiting} again */
async function renewToken(again) {
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  /** @type {HTMLInputElement | null} */
  const token = page.querySelector("input[name=csrfmiddlewaretoken]");
  document.querySelectorAll("input[name=csrfmiddlewaretoken]").forEach((each) => each.setAttribute("value", token?.value ?? ""));
  document.getElementById("lease")?.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token?.value ?? "", Unattended: "1" }));
  waiting = [again];
  sendNext();
}

// ---- the item itself

// Keep hold of the item while somebody uses the page.
setInterval(() => {
  if (!isBusy && Date.now() - lastUse < RENEW_EVERY) document.getElementById("lease")?.dispatchEvent(new Event("renew"));
}, RENEW_EVERY);
document.addEventListener("pointerdown", () => (lastUse = Date.now()));

// A page that comes back out of the browser's memory may be long out of date.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Begin at the row the address names, else at the first one without a label.
const named = /^#(row|citation)-/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
const first = named ?? rows().find((row) => !isLabelled(row) && !(row.dataset.citation && isSettled(row))) ?? rows()[0];
if (first) focusRow(first, { scroll: Boolean(named) });
desk.dataset.ready = "";
