// The queue by keyboard: Enter takes the next item, / goes to the search. Filters apply at once, which draws the list anew.
// @ts-check

const filters = () => /** @type {HTMLDetailsElement | null} */ (document.querySelector("[data-narrow-closed]"));

const shown = filters();
if (shown && matchMedia("(max-width: 64rem)").matches) shown.open = false;
if (location.hash === "#words") goToSearch();

function goToSearch() {
  const search = /** @type {HTMLInputElement | null} */ (document.getElementById("words"));
  const folded = filters();
  if (folded) folded.open = true;
  search?.focus();
  search?.select();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/** @type {Element} */ (event.target).closest("input:not([type=checkbox]), select, textarea, button, a, summary")) return;
  const isBox = /** @type {Element} */ (event.target).matches("input");
  if (event.key === "/") {
    event.preventDefault();
    goToSearch();
  } else if (event.key === "Enter" && !isBox) {
    /** @type {HTMLFormElement | null} */ (document.getElementById("take-next"))?.requestSubmit();
  }
});
