// Sending: one request at a time, so that what is typed fast is done in the order in which it was typed.
// @ts-check

import { desk, noteUse, on, say } from "./page.js";
import { focusRow, isSettled, rows } from "./rows.js";
import { fold, stopEntering } from "./unfound.js";

/** @typedef {{ form?: HTMLFormElement | null, value?: string, key?: string }} Waiting what waits its turn: a form with the value of its button, or a key */
/** @type {Waiting[]} */
let waiting = [];
/** True while a request is under way whose answer what follows has to wait for. */
export let isBusy = false;
let hasNewToken = false;

/** @returns {HTMLInputElement | undefined} a note that was typed and is not saved */
export const unsavedNote = () =>
  /** @type {HTMLInputElement[]} */ ([...desk.querySelectorAll(".noting input[name=note]")]).find((note) => note.value !== note.defaultValue);

document.addEventListener(
  "submit",
  (event) => {
    noteUse();
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

/** Follow the link of a key. @param {string} key */
const follow = (key) => /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${key}"]`))?.click();
/** Follow it once everything is sent. @param {string} key */
export const press = (key) => (isBusy ? waiting.push({ key }) : follow(key));

/** @returns {HTMLInputElement | null | undefined} */
export const noteOf = (/** @type {Element | null | undefined} */ row) => row?.querySelector("input[name=note]");

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

/** Return true if something is only looked at: that waits for nothing, and nothing waits for it. @param {Element} elt */
const isReading = (elt) => elt.matches("[hx-get]");
/** Asks by itself whether citations were found: nothing is lost where that fails. @param {Element} elt */
export const isAsking = (elt) => elt.id === "citation-search";

on("beforeRequest", ({ requestConfig: { elt } }) => (isBusy ||= !isReading(elt)));
on("afterRequest", ({ xhr, requestConfig: { elt } }) => {
  if (elt === fold) stopEntering();
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

/**
 * Send a form once more with a new token, if it was refused and this was not tried yet. Return false where it was.
 * @param {Waiting} again @param {() => void} onFailure
 */
export function sendWithNewToken(again, onFailure) {
  if (hasNewToken) return false;
  hasNewToken = true;
  renewToken(again).catch(onFailure);
  return true;
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
