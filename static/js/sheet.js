// A sheet is printed, and its link copied, by a button. Without script the browser's own menu does both.
// @ts-check

const address = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-address]"));
const told = document.querySelector("[data-told]");
const copy = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-copy]"));
const print = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-print]"));

if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}

if (address && copy) {
  copy.hidden = false;
  address.addEventListener("focus", () => address.select());
  copy.addEventListener("click", async () => {
    address.select();
    try {
      await navigator.clipboard.writeText(address.value);
      if (told) told.textContent = "Copied";
    } catch {
      if (told) told.textContent = "Selected: copy it with Ctrl+C";
    }
  });
}
