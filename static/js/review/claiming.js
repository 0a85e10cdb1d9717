// "Not in the record": of the words that are selected in the answer. The form is there without this script.
// @ts-check

import { CANNOT, say } from "./page.js";
import { takeSelected } from "./selection.js";

const field = (/** @type {string} */ id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id));

/** Put the selected words into the form. Return true if there are any. */
function fill() {
  const { words, occurrence } = takeSelected();
  const [place, which] = [field("claim-words"), field("claim-occurrence")];
  if (!words || !place || !which) return false;
  place.value = words;
  which.value = String(occurrence);
  return true;
}

export function claimHere() {
  const form = /** @type {HTMLDetailsElement | null} */ (document.getElementById("claim"));
  if (!form) return say(CANNOT);
  const isFilled = fill();
  form.open = true;
  field(isFilled ? "claim-note" : "claim-words")?.focus();
  form.scrollIntoView({ block: "nearest" });
}

document.getElementById("claim")?.querySelector("summary")?.addEventListener("click", () => fill());
