// Flags by keyboard: of the words that are selected in the answer, else of the row in focus. The form is there without this script.
// @ts-check

import { CANNOT, say } from "./page.js";
import { current } from "./rows.js";
import { takeSelected } from "./selection.js";

/** Name a place in the form, which lists only the rows that are drawn at first. @param {HTMLSelectElement} list @param {string} place */
function choose(list, place) {
  if (![...list.options].some((option) => option.value === place)) list.add(new Option("The row in focus", place));
  list.value = place;
}

export function flagHere() {
  const form = /** @type {HTMLDetailsElement | null} */ (document.getElementById("flag"));
  if (!form) return say(CANNOT);
  const list = /** @type {HTMLSelectElement} */ (document.getElementById("flag-place"));
  const words = /** @type {HTMLInputElement} */ (document.getElementById("flag-words"));
  words.value = takeSelected().words;
  const row = current();
  const place = row?.dataset.citation ? `citation-${row.dataset.citation}` : row ? `row-${row.dataset.row}` : "";
  choose(list, words.value ? "" : place);
  form.open = true;
  form.querySelector("textarea")?.focus();
  form.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest("a[data-flag]")) : null;
  if (!link || !document.getElementById("flag") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  flagHere();
  choose(/** @type {HTMLSelectElement} */ (document.getElementById("flag-place")), link.dataset.flag ?? "");
});
