// What the site answers: rows drawn anew, and refusals.
// @ts-check

import { AWAY, on, say, warn } from "./page.js";
import { ROW, current, focusRow, isLabelled, line } from "./rows.js";
import { isAsking, sendWithNewToken, unsavedNote } from "./sending.js";
import { enterUnfound, isEntering } from "./unfound.js";

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
  document.querySelector(`.first a[href$="#${row.id}"]`)?.toggleAttribute("data-done", isLabelled(row));
  const label = row.querySelector(".field b")?.textContent ?? row.getAttribute("aria-label") ?? "row";
  const what = elt.matches(".noting") ? "note saved" : (row.querySelector(".said")?.textContent?.trim() ?? "no label");
  say(`${label}: ${what}. ${document.getElementById("to-go")?.textContent ?? ""}.`);
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
  if (xhr.status === 403) {
    const again = { form: requestConfig.elt, value: requestConfig.triggeringEvent?.submitter?.value };
    if (sendWithNewToken(again, () => warn(AWAY))) return;
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
