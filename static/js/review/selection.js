// The words that are selected in the answer. They are remembered, because a click into a form takes the selection away.
// @ts-check

/** @typedef {{ words: string, occurrence: number }} Marked */

/** @type {Marked} */
let last = { words: "", occurrence: 1 };

/** The text of a range with single spaces, without the numbers of footnotes. @param {Range} range */
function textOf(range) {
  const copy = range.cloneContents();
  for (const number of copy.querySelectorAll("sup, .fn, .peek")) number.remove();
  for (const block of copy.querySelectorAll("p, h3")) block.append(" ");
  return (copy.textContent ?? "").replace(/\s+/g, " ");
}

/** @param {string} text @param {string} words */
function countIn(text, words) {
  let count = 0;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) count += 1;
  return count;
}

/** The words that are selected now; none if they are not in the answer. @returns {Marked} */
function selected() {
  const selection = getSelection();
  const range = selection?.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : null;
  const within = range?.commonAncestorContainer;
  const place = within instanceof Element ? within : within?.parentElement;
  const answer = place?.closest(".answer");
  const words = range && answer ? textOf(range).trim() : "";
  if (!range || !answer || !words) return { words: "", occurrence: 1 };
  const before = document.createRange();
  before.setStart(answer, 0);
  before.setEnd(range.endContainer, range.endOffset);
  return { words, occurrence: Math.max(1, countIn(textOf(before), words)) };
}

document.addEventListener("selectionchange", () => {
  const now = selected();
  if (now.words) last = now;
});

/** The words that are selected in the answer, or were before the focus went into a form; each is returned once. */
export function takeSelected() {
  const now = selected();
  const marked = now.words ? now : last;
  last = { words: "", occurrence: 1 };
  return marked;
}
