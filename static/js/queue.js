// The queue by keyboard: Enter takes the next item, / goes to the search.
// @ts-check

const search = /** @type {HTMLInputElement} */ (document.getElementById("words"));
const filters = /** @type {HTMLDetailsElement | null} */ (document.querySelector("[data-narrow-closed]"));

if (filters && matchMedia("(max-width: 64rem)").matches) filters.open = false;
if (location.hash === "#words") goToSearch();

function goToSearch() {
  if (filters) filters.open = true;
  search.focus();
  search.select();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/** @type {Element} */ (event.target).closest("input, select, textarea, button, a, summary")) return;
  if (event.key === "/") {
    event.preventDefault();
    goToSearch();
  } else if (event.key === "Enter") {
    /** @type {HTMLFormElement | null} */ (document.getElementById("take-next"))?.requestSubmit();
  }
});
