// The review page by keyboard, and the link between a row, its spans and its footnote.
// Without this script every button is a form and every footnote an anchor; nothing here does what a form cannot.
// @ts-check

import "./review/keyboard.js";
import "./review/answers.js";
import { desk, idle, noteUse } from "./review/page.js";
import { areBeside, focusRow, isLabelled, isSettled, rows } from "./review/rows.js";
import { isBusy } from "./review/sending.js";

const RENEW_EVERY = 4 * 60_000;

// Keep hold of the item while somebody uses the page.
setInterval(() => {
  if (!isBusy && idle() < RENEW_EVERY) document.getElementById("lease")?.dispatchEvent(new Event("renew"));
}, RENEW_EVERY);
document.addEventListener("pointerdown", noteUse);

// A page that comes back out of the browser's memory may be long out of date.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Begin at the row the address names, else at the first one without a label.
const named = /^#(row|citation)-/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
const first = named ?? rows().find((row) => !isLabelled(row) && !(row.dataset.citation && isSettled(row))) ?? rows()[0];
// A narrow page is read from its top: its rows are below the answer.
if (first) focusRow(first, { scroll: Boolean(named) || areBeside(), withPlace: Boolean(named) });
// Whoever comes from the inbox resolves the flag that it asks for.
/** @type {HTMLElement | null} */ (document.querySelector(".resolving[open] textarea"))?.focus();
desk.dataset.ready = "";
