// Says a minute before a session ends, and leaves the page when it has: what is on it is not for whoever comes by.
// The server knows how long it lasts; other tabs may have used it meanwhile.
// @ts-check

const box = document.getElementById("staying");
if (box) watch(box);

/** @param {HTMLElement} box */
function watch(box) {
  const words = /** @type {HTMLElement} */ (box.querySelector("[role=status]"));
  const form = /** @type {HTMLFormElement} */ (box.querySelector("form"));
  const warning = Number(box.dataset.warning) * 1000;
  let ends = Date.now() + Number(box.dataset.left) * 1000;
  let timer = 0;

  /** @param {number} wait */
  function askIn(wait) {
    clearTimeout(timer);
    timer = window.setTimeout(() => ask(), Math.min(Math.max(wait, 250), 2 ** 31 - 1));
  }

  /** Ask the server how it stands; a session that has ended answers with the way to the sign-in page. */
  async function ask(how = { method: "GET", headers: { Unattended: "1" } }, address = box.dataset.ask ?? "") {
    try {
      const answer = await fetch(address, { redirect: "manual", cache: "no-store", ...how });
      if (answer.ok) return tell(await answer.json());
      if (answer.type === "opaqueredirect" || answer.status === 403) return leave();
    } catch {
      if (Date.now() > ends) return leave(); // out of reach, and over by our own clock
    }
    return askIn(5000);
  }

  /** @param {{ left: number, extends: boolean }} state */
  function tell({ left, extends: canStay }) {
    ends = Date.now() + left * 1000;
    const isNear = left * 1000 <= warning;
    if (isNear && !box.hasAttribute("data-near")) document.dispatchEvent(new Event("session-ending"));
    box.toggleAttribute("data-near", isNear);
    form.hidden = !isNear || !canStay;
    const stays = canStay ? "What you were writing is kept." : "It has lasted as long as a session may. What you were writing is kept; you can sign in again at once.";
    const said = isNear ? `Your session ends in about ${span(left)}. ${stays}` : "";
    if (!said || !words.textContent) words.textContent = said;
    askIn(isNear ? left * 1000 + 300 : left * 1000 - warning + 300);
  }

  /** @param {number} seconds */
  const span = (seconds) => (seconds > 45 ? "a minute" : `${seconds} seconds`);

  function leave() {
    const row = document.querySelector("tbody[data-current]");
    const address = new URL(location.href);
    if (row) address.hash = row.id;
    if (row?.closest("#unfound-rows")) address.searchParams.set("unfound", "1");
    const back = encodeURIComponent(address.pathname + address.search + address.hash);
    document.documentElement.dataset.left = ""; // nothing asks whether to stay on the page
    location.replace(`${box.dataset.signIn}?next=${back}&ended=${Date.now() > ends - 2000 ? "idle" : ""}`);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.contains(document.activeElement)) /** @type {HTMLElement} */ (document.querySelector("main"))?.focus();
    ask({ method: "POST", headers: {}, body: new FormData(form) }, form.action);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "F8" && !form.hidden) form.requestSubmit();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && Date.now() > ends - warning) ask();
  });
  addEventListener("pageshow", (event) => event.persisted && ask());
  askIn(ends - Date.now() - warning + 300);
}
