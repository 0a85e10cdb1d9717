// The fold of fields that were not found. Its rows come from the site when it is opened for the first time.
// @ts-check

import { calm, say } from "./page.js";
import { current, focusRow, rows } from "./rows.js";

export const fold = /** @type {HTMLDetailsElement | null} */ (document.getElementById("unfound"));

/** True while the rows of the fold are awaited: a key pressed meanwhile is meant for them. */
export let isEntering = false;

/** Stop waiting for the rows. */
export function stopEntering() {
  isEntering = false;
}

/** Return what to say where a key is meant for a row and none is shown. */
export const noRow = () => (fold ? "There is no row here. Press o to open the fields that were not found." : "There is no row here.");

export function toggleUnfound() {
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
export function enterUnfound() {
  /** @type {HTMLElement | null | undefined} */
  const row = fold?.querySelector("tbody[data-row]");
  isEntering = !row;
  if (row) focusRow(row, { scroll: false });
}
