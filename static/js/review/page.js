// The parts of the review page, and how it speaks to whoever uses it.
// @ts-check

export const evidence = /** @type {HTMLElement} */ (document.querySelector(".evidence"));
export const desk = /** @type {HTMLElement} */ (document.querySelector(".desk"));
const status = /** @type {HTMLElement} */ (document.getElementById("status"));

export const calm = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
export const CANNOT = "That cannot be done on this item now.";
export const AWAY = "The site cannot be reached, so that was not saved. What you typed is still here; try again.";

/** Say something to screen readers, and in the line at the foot. @param {string} words */
export function say(words) {
  status.textContent = words;
}

/** Say what went wrong, where everybody sees it. @param {(string | Node)[]} words */
export function warn(...words) {
  const notice = /** @type {HTMLElement} */ (document.getElementById("notice"));
  notice.hidden = false;
  notice.replaceChildren(...words);
}

/** Call `act` at an event of htmx. @param {string} name @param {(detail: any, event: CustomEvent) => void} act */
export function on(name, act) {
  document.body.addEventListener(`htmx:${name}`, (event) => {
    const custom = /** @type {CustomEvent} */ (event);
    act(custom.detail, custom);
  });
}

let lastUse = Date.now();

/** Note that somebody uses the page. */
export function noteUse() {
  lastUse = Date.now();
}

/** Return the milliseconds since the page was last used. */
export const idle = () => Date.now() - lastUse;
