// Keeps what is being written on the server when typing pauses, and puts it back when the page is opened again.
// Nothing of it is kept in the browser.
// @ts-check

const PAUSE = 1000;
const place = /** @type {HTMLElement | null} */ (document.getElementById("staying"));
/** @type {Map<Field, number>} */
const waiting = new Map();

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/** @returns {Field[]} */
const fields = () => [...document.querySelectorAll("[data-draft]")].map((field) => /** @type {Field} */ (field));

/** A name for a field that stays the same when its form is drawn anew. @param {Field} field */
function nameOf(field) {
  const form = /** @type {HTMLFormElement} */ (field.form);
  const about = ["finding", "attribution"].map((name) => /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name))?.value ?? "");
  return [field.dataset.draft, form.id, ...about].join(" ");
}

/** @param {Field} field */
function keep(field, text = field.value === field.defaultValue ? "" : field.value) {
  clearTimeout(waiting.get(field));
  waiting.delete(field);
  const token = /** @type {HTMLInputElement | null} */ (place?.querySelector("[name=csrfmiddlewaretoken]"))?.value ?? "";
  const body = new URLSearchParams({ page: location.pathname, field: nameOf(field), text, csrfmiddlewaretoken: token });
  return fetch(place?.dataset.keep ?? "", { method: "POST", body, keepalive: true, redirect: "manual" }).catch(() => undefined);
}

function keepAll() {
  [...waiting.keys()].forEach((field) => keep(field));
}

async function putBack() {
  const address = `${place?.dataset.read}?${new URLSearchParams({ page: location.pathname })}`;
  const answer = await fetch(address, { headers: { Unattended: "1" }, redirect: "manual", cache: "no-store" });
  if (!answer.ok) return;
  /** @type {Record<string, string>} */
  const kept = await answer.json();
  const found = fields().filter((field) => kept[nameOf(field)] && field.value === field.defaultValue && kept[nameOf(field)] !== field.value);
  found.forEach((field) => (field.value = kept[nameOf(field)]));
  const status = document.getElementById("status");
  if (found.length && status) status.textContent = "What you had begun to write is back, not saved yet.";
}

document.addEventListener("input", (event) => {
  const field = /** @type {Field} */ (event.target);
  if (!field.matches("[data-draft]")) return;
  clearTimeout(waiting.get(field));
  waiting.set(field, window.setTimeout(() => keep(field), PAUSE));
});
document.addEventListener("session-ending", keepAll);
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && keepAll());

// What was saved where it belongs is no draft any more.
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  for (const field of fields()) if (field.form === form && field.value !== "") keep(field, "");
});

if (place && fields().length > 0) putBack().catch(() => undefined);
