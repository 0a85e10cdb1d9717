// The earlier turns of the conversation, above the answer.
// @ts-check

import { calm, say } from "./page.js";
import { current, line } from "./rows.js";

/** Open the earlier turns and go to them; where all are open, fold them and go back to the row. */
export function toggleEarlier() {
  const section = document.getElementById("earlier");
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const turns = document.querySelectorAll("#earlier details");
  if (!section || !turns.length) return say("There are no earlier turns of this conversation here.");
  const opens = [...turns].some((turn) => !turn.open);
  turns.forEach((turn) => (turn.open = opens));
  if (opens) {
    section.scrollIntoView({ block: "start", behavior: calm });
    return turns[0].querySelector("summary")?.focus({ preventScroll: true });
  }
  const row = current();
  return row ? line(row).focus({ preventScroll: true }) : turns[0].querySelector("summary")?.focus();
}
