// The keys of the review page.
// @ts-check

import { claimHere } from "./claiming.js";
import { toggleEarlier } from "./earlier.js";
import { flagHere } from "./flagging.js";
import { CANNOT, evidence, noteUse, say } from "./page.js";
import { moveOn } from "./moving_on.js";
import { catchUp, isPressing, jumpToEvidence } from "./pointing.js";
import { current, focusRow, isInView, line, rows } from "./rows.js";
import { noteOf, press } from "./sending.js";
import { isEntering, noRow, toggleUnfound } from "./unfound.js";

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

/** Bring a row into view that a key was meant for: a label is given only to what can be seen. @param {HTMLElement} row */
function showFirst(row) {
  focusRow(row);
  say("The row in focus was out of view. Here it is: press the key again to label it.");
}

/** @param {string} ofField @param {string} ofCitation */
function give(ofField, ofCitation) {
  const row = chosen();
  if (row && !isInView(row)) return showFirst(row);
  const verdict = row?.matches("tbody") ? ofField : ofCitation;
  /** @type {HTMLButtonElement | null | undefined} */
  const button = row?.querySelector(`button[value="${verdict}"]`);
  if (row && button) {
    button.click();
    moveOn(row);
  } else if (!row) say(noRow());
  else say("You cannot label this item now.");
}

/** Return true if an action is missing only because the review is blind. @param {string} id */
const isJudgedOneByOne = (id) => id === "all-correct" && document.getElementById("undo") !== null;

/** @param {string} id */
function popUp(id) {
  const popup = /** @type {HTMLDetailsElement | null} */ (document.getElementById(id));
  if (!popup) return say(isJudgedOneByOne(id) ? "In a blind review every row is judged on its own." : CANNOT);
  popup.open = true;
  /** @type {HTMLElement | null} */ (popup.querySelector("input:not([type=hidden]), textarea, form button"))?.focus();
}

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
  2: () => give("wrong", "does_not_say"),
  3: () => give("misstated", "contradicts"),
  0: () => give("cannot_judge", "cannot_judge"),
  ArrowLeft: () => press("ArrowLeft"),
  ArrowRight: () => press("ArrowRight"),
  c: toggleEarlier,
  o: toggleUnfound,
  e: jumpToEvidence,
  n: writeNote,
  g: flagHere,
  x: claimHere,
  m: () => popUp("comment"),
  a: () => popUp("all-correct"),
  u: () => send("undo"),
  s: () => popUp("skip"),
  "/": () => press("/"),
  "?": () => {
    const help = /** @type {HTMLDetailsElement} */ (document.querySelector(".keys-popup"));
    help.open = !help.open;
  },
};

/** Return true if keys belong to a field that is being typed in. @param {EventTarget | null} target */
const isTyping = (target) => target instanceof Element && target.closest("input:not([type=hidden], [type=checkbox]), textarea, select") !== null;

document.addEventListener("keydown", (event) => {
  noteUse();
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

/** Ctrl+Enter sends the form that is open over the page or written in, else the review. @param {KeyboardEvent} event */
function finish(event) {
  event.preventDefault();
  if (event.repeat) return;
  /** @type {HTMLFormElement | null} */
  const popup = /** @type {Element} */ (event.target).closest("details.popup form, form[data-sends]");
  if (popup) popup.requestSubmit();
  else send("submit");
}

/** Escape closes what is open and goes back to the row. */
function leave() {
  const row = current();
  (row ? line(row) : evidence).focus({ preventScroll: true });
  document.querySelectorAll("details.popup[open]").forEach((popup) => popup.removeAttribute("open"));
  document.querySelectorAll(".answer sup[data-source]:hover, .term:hover").forEach((note) => {
    note.setAttribute("data-dismissed", "");
    note.addEventListener("mouseleave", () => note.removeAttribute("data-dismissed"), { once: true });
  });
}
