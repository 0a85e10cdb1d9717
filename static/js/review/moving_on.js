// After a label, on to the next row without one, unless the reviewer has turned that off.
// @ts-check

import { desk, on } from "./page.js";
import { ROW, focusRow, isSettled, isWanted, rows } from "./rows.js";

const setting = /** @type {HTMLInputElement | null} */ (document.getElementById("moves-on"));

/** Return true if a label of this row is on its way. @param {Element} row */
const isOnItsWay = (row) => row.querySelector("form.verdict[data-sent]") !== null;

/**
 * Note that a label of the row is being sent, and move on. Optional rows, and changes that need a reason, keep the focus.
 * @param {HTMLElement} row
 */
export function moveOn(row) {
  row.querySelector("form.verdict")?.setAttribute("data-sent", "");
  if (!setting?.checked || !isWanted(row) || row.querySelector("[data-reason]")) return;
  const shown = rows();
  const at = shown.indexOf(row);
  const next = [...shown.slice(at + 1), ...shown.slice(0, at)].find((each) => !isSettled(each) && !isOnItsWay(each));
  if (next) focusRow(next);
}

// A button that was pressed by hand; keys and the queue of what waits press buttons by script. It is sent first: htmx forgets which
// button it was as soon as the focus leaves the form.
desk.addEventListener("click", (event) => {
  const button = /** @type {Element} */ (event.target).closest("form.verdict button");
  /** @type {HTMLElement | null | undefined} */
  const row = button?.closest(ROW);
  if (row && event.isTrusted) setTimeout(() => moveOn(row));
});

// What was not saved gets the focus back: the rows behind it were not sent either.
on("afterRequest", ({ xhr, requestConfig: { elt } }) => {
  if (!elt.matches("form.verdict") || xhr.status === 200) return;
  document.querySelectorAll("form[data-sent]").forEach((form) => form.removeAttribute("data-sent"));
  /** @type {HTMLElement | null} */
  const row = elt.closest(ROW);
  if (row) focusRow(row);
});
