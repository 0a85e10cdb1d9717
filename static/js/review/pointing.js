// The row in focus follows the focus of the browser and the mouse.
// @ts-check

import { calm, desk, say } from "./page.js";
import { ROW, current, focusRow, place } from "./rows.js";

/** Make the row with the browser's focus the row in focus. */
export function catchUp() {
  /** @type {HTMLElement | null | undefined} */
  const row = document.activeElement?.closest(ROW);
  if (row && row !== current()) focusRow(row, { scroll: false, focus: false });
}

// While the button of the mouse is down nothing may move: another trace that opens would carry what is pressed away from under it.
export let isPressing = false;
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
/** Go to the row that a mark, a footnote or a link leads to. @param {Event} event */
function goToRow(event) {
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
}
for (const part of [".turn", ".first"]) document.querySelector(part)?.addEventListener("click", goToRow);

/** Show where the answer uses the row in focus. */
export function jumpToEvidence() {
  const shown = /** @type {HTMLElement | undefined} */ (place(current()));
  if (!shown) return say("This row has no place in the answer.");
  if (!shown.matches("a")) shown.tabIndex = -1;
  shown.focus({ preventScroll: true });
  return shown.scrollIntoView({ block: "center", behavior: calm });
}
