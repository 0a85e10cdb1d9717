// The review page by keyboard, and the link between a row, its spans and its footnote.
// Without this script every button is a form and every footnote an anchor; nothing here does what a form cannot.
// @ts-check

const evidence = /** @type {HTMLElement} */ (document.querySelector(".evidence"));
const status = /** @type {HTMLElement} */ (document.getElementById("status"));
const desk = /** @type {HTMLElement} */ (document.querySelector(".desk"));

let lastUse = Date.now();
const RENEW_EVERY = 4 * 60_000;
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";

/** @returns {HTMLElement[]} the rows that are shown, in order */
const rows = () => [...evidence.querySelectorAll("tbody[data-row]")].filter((row) => row.getClientRects().length > 0);
/** @param {Element} row */
const line = (row) => /** @type {HTMLElement} */ (row.querySelector("tr"));
/** @returns {HTMLElement | null} the row in focus */
const current = () => evidence.querySelector("tbody[data-current]");

/** Bring a row into focus: its trace opens, its spans light up and come into view. @param {Element} row */
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
  light([row.dataset.row]);
  if (focus && !row.contains(document.activeElement)) line(row).focus({ preventScroll: true });
  if (scroll) {
    row.scrollIntoView({ block: "nearest", behavior: calm });
    document.querySelector(`mark[data-rows~="${row.dataset.row}"]`)?.scrollIntoView({ block: "nearest", behavior: calm });
  }
}

/** Light up everything in the answer that belongs to some rows. @param {(string | undefined)[]} numbers */
function light(numbers) {
  document.querySelectorAll(".answer [data-focus]").forEach((each) => each.removeAttribute("data-focus"));
  numbers.forEach((number) =>
    document.querySelectorAll(`.answer [data-rows~="${number}"]`).forEach((each) =>
      each.setAttribute("data-focus", each.matches(`[data-matched~="${number}"]`) ? "matched" : "cited"),
    ),
  );
}

/** Light up the rows that a footnote or a span belongs to. @param {Element | null} place */
function lightRows(place) {
  evidence.querySelectorAll("[data-lit]").forEach((row) => row.removeAttribute("data-lit"));
  const numbers = (place?.getAttribute("data-rows") ?? "").split(" ").filter(Boolean);
  numbers.forEach((number) => document.getElementById(`row-${number}`)?.setAttribute("data-lit", ""));
  return numbers;
}

/** @param {number} step */
function move(step) {
  const shown = rows();
  const at = shown.indexOf(/** @type {HTMLElement} */ (current()));
  const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
  if (next) focusRow(next);
}

/** @param {string} words */
function say(words) {
  status.textContent = words;
}

/** @param {string} verdict */
function give(verdict) {
  const row = current() ?? rows()[0];
  if (!row) return;
  if (row !== current()) focusRow(row);
  /** @type {HTMLButtonElement | null} */ (row.querySelector(`button[value="${verdict}"]`))?.click();
}

/** @param {string} id */
function popUp(id) {
  const popup = /** @type {HTMLDetailsElement | null} */ (document.getElementById(id));
  if (!popup) return;
  popup.open = true;
  /** @type {HTMLElement | null} */ (popup.querySelector("input:not([type=hidden]), form button"))?.focus();
}

function toggleUnfound() {
  const fold = /** @type {HTMLDetailsElement | null} */ (document.getElementById("unfound"));
  if (!fold) return;
  fold.open = !fold.open;
  fold.scrollIntoView({ block: fold.open ? "start" : "nearest", behavior: calm });
}

function jumpToEvidence() {
  const number = current()?.dataset.row;
  const mark = /** @type {HTMLElement | null} */ (document.querySelector(`.answer mark[data-rows~="${number}"]`));
  if (!mark) return say("This row has no place in the answer.");
  mark.tabIndex = -1;
  mark.focus({ preventScroll: true });
  mark.scrollIntoView({ block: "center", behavior: calm });
}

function writeNote() {
  const note = /** @type {HTMLInputElement | null} */ ((current() ?? rows()[0])?.querySelector("input[name=note]"));
  if (current() === null && rows()[0]) focusRow(rows()[0]);
  note?.focus();
}

/** @param {string} id */
const send = (id) => /** @type {HTMLFormElement | null} */ (document.getElementById(id))?.requestSubmit();

/** @type {Record<string, () => void>} */
const keys = {
  1: () => give("correct"),
  2: () => give("wrong"),
  3: () => give("misstated"),
  0: () => give("cannot_judge"),
  ArrowDown: () => move(1),
  j: () => move(1),
  ArrowUp: () => move(-1),
  k: () => move(-1),
  ArrowLeft: () => /** @type {HTMLElement} */ (document.querySelector('[data-key="ArrowLeft"]')).click(),
  ArrowRight: () => /** @type {HTMLElement} */ (document.querySelector('[data-key="ArrowRight"]')).click(),
  o: toggleUnfound,
  e: jumpToEvidence,
  n: writeNote,
  a: () => popUp("all-correct"),
  u: () => send("undo"),
  s: () => popUp("skip"),
  "/": () => location.assign("/queue/#words"),
  "?": () => {
    const help = /** @type {HTMLDetailsElement} */ (document.querySelector(".keys-popup"));
    help.open = !help.open;
  },
};

/** Whether keys belong to a field that is being typed in. @param {EventTarget | null} target */
const isTyping = (target) => target instanceof Element && target.closest("input:not([type=hidden]), textarea, select") !== null;

document.addEventListener("keydown", (event) => {
  lastUse = Date.now();
  if (event.key === "Escape") return leave(event);
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    return send("submit");
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return undefined;
  const act = keys[event.key];
  if (!act) return undefined;
  event.preventDefault();
  return act();
});

/** Escape closes what is open and goes back to the row. @param {KeyboardEvent} event */
function leave(event) {
  document.querySelectorAll("details.popup[open]").forEach((popup) => popup.removeAttribute("open"));
  if (isTyping(event.target)) {
    const row = current();
    if (row) line(row).focus({ preventScroll: true });
    else /** @type {HTMLElement} */ (event.target).blur();
  }
}

evidence.addEventListener("focusin", (event) => {
  const row = /** @type {Element} */ (event.target).closest("tbody[data-row]");
  if (row && row !== current()) focusRow(row, { scroll: false, focus: false });
});
evidence.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const row = target.closest("tbody[data-row]");
  if (row && !target.closest("a, button, input, summary")) focusRow(row);
});

for (const [enter, exit] of [["focusin", "focusout"], ["mouseover", "mouseout"]]) {
  document.addEventListener(enter, (event) => {
    const place = /** @type {Element} */ (event.target).closest?.(".answer [data-rows]");
    if (place) lightRows(place);
  });
  document.addEventListener(exit, (event) => {
    if (/** @type {Element} */ (event.target).closest?.(".answer [data-rows]")) lightRows(null);
  });
}
document.querySelector(".answer")?.addEventListener("click", (event) => {
  const place = /** @type {Element} */ (event.target).closest("[data-rows]");
  const number = place?.getAttribute("data-rows")?.split(" ")[0];
  const row = number && document.getElementById(`row-${number}`);
  if (row) {
    event.preventDefault();
    focusRow(row);
  }
});
evidence.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest('a[href^="#fn-"], a[href^="#ev-"]');
  if (link?.closest("tbody[data-row]")) {
    event.preventDefault();
    focusRow(/** @type {Element} */ (link.closest("tbody[data-row]")), { focus: false });
    jumpToEvidence();
  }
});

document.addEventListener("submit", () => (lastUse = Date.now()));

// After a swap the row is another element: put the focus back where it was.
document.body.addEventListener("htmx:afterSwap", (event) => {
  const target = /** @type {CustomEvent} */ (event).detail.target;
  const row = target?.id?.startsWith("row-") ? document.getElementById(target.id) : null;
  if (row) {
    focusRow(row, { scroll: false });
    const leaf = row.querySelector(".field b")?.textContent ?? "row";
    say(`${leaf}: ${row.querySelector(".said")?.textContent?.trim() || "no label"}`);
  }
});
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (/** @type {CustomEvent} */ (event).detail.target?.id !== "unfound-rows") return;
  const firstUnfound = document.querySelector("#unfound-rows tbody[data-row]");
  if (firstUnfound) focusRow(firstUnfound, { scroll: false });
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  const { elt, xhr } = /** @type {CustomEvent} */ (event).detail;
  if (elt.id !== "submit" || xhr.status !== 409) return;
  const unlabelled = rows().find((row) => "used" in row.dataset && !row.dataset.verdict);
  if (unlabelled) focusRow(unlabelled);
});
document.body.addEventListener("htmx:responseError", () => say("That was not saved. Reload the page and try again."));
document.body.addEventListener("htmx:sendError", () => say("The site cannot be reached. Nothing was saved."));

// Keep hold of the item while somebody uses the page.
setInterval(() => {
  if (Date.now() - lastUse < RENEW_EVERY) document.getElementById("lease")?.dispatchEvent(new Event("renew"));
}, RENEW_EVERY);
document.addEventListener("pointerdown", () => (lastUse = Date.now()));

// Begin at the row the address names, else at the first one without a label.
const named = location.hash.startsWith("#row-") ? document.getElementById(location.hash.slice(1)) : null;
const first = named ?? rows().find((row) => !row.dataset.verdict) ?? rows()[0];
if (first) focusRow(first, { scroll: Boolean(named) });
desk.dataset.ready = "";
