// The rows of fields and citations of documents, and what in the answer belongs to them. "Row" means either here.
// @ts-check

import { calm, desk, evidence } from "./page.js";

export const ROW = "tbody[data-row], [data-citation]";

/** @returns {HTMLElement[]} the rows that are shown, in order, behind them the citations */
export const rows = () =>
  /** @type {HTMLElement[]} */ ([...evidence.querySelectorAll("tbody[data-row]"), ...document.querySelectorAll("[data-citation]")]).filter(
    (row) => row.checkVisibility(),
  );
/** @param {Element} row */
export const line = (row) => /** @type {HTMLElement} */ (row.matches("tbody") ? row.querySelector("tr") : row);
/** @returns {HTMLElement | null} the row in focus */
export const current = () => desk.querySelector("tbody[data-current], [data-citation][data-current]");
/** Return true if a review needs a label of this row. @param {HTMLElement} row */
export const isWanted = (row) => "used" in row.dataset || "due" in row.dataset;
/** Return true if a review can be submitted without a further label of this row. @param {HTMLElement} row */
export const isSettled = (row) => !isWanted(row) || isLabelled(row);
/** @param {HTMLElement} row */
export const isLabelled = (row) => Boolean(row.dataset.verdict ?? row.querySelector("[data-verdict]"));
/** Marks and footnotes of a field's row. @param {string | undefined} number */
const placesOfField = (number) => [...document.querySelectorAll(`.answer [data-rows~="${number}"]`)];
/** Marks and footnotes of a row, in the order of the answer; of a citation the marks of its words first. @param {HTMLElement | null} row */
const places = (row) =>
  row?.matches("tbody")
    ? placesOfField(row.dataset.row)
    : [...document.querySelectorAll(`.answer [data-cited~="${row?.dataset.mark}"], .answer [id="${row?.dataset.place}"] > a`)];
/** The place to look at first: a mark, else a footnote behind no words. @param {HTMLElement | null} row */
export const place = (row) => places(row).find((each) => each.matches("mark")) ?? places(row)[0];

/** Return true if answer and rows stand side by side, each with a scroll of its own. */
export const areBeside = () => getComputedStyle(/** @type {HTMLElement} */ (evidence.parentElement)).display === "grid";

/** Return the upper and lower edge of what is to be seen of the rows, without the table's head and the page's foot. */
function edges() {
  const pane = areBeside() ? evidence.getBoundingClientRect() : { top: 0, bottom: innerHeight };
  const head = areBeside() ? (evidence.querySelector("thead")?.offsetHeight ?? 0) : 0;
  const foot = /** @type {HTMLElement} */ (document.querySelector(".foot")).getBoundingClientRect();
  return [Math.max(pane.top, 0) + head, Math.min(pane.bottom, foot.top, innerHeight)];
}

/** Return true if a row can be read: all of it, of a tall one as much as half of what is to be seen. @param {HTMLElement} row */
export function isInView(row) {
  const [upper, lower] = edges();
  const { top, bottom, height } = line(row).getBoundingClientRect();
  return Math.min(bottom, lower) - Math.max(top, upper) + 1 >= Math.min(height, (lower - upper) / 2);
}

/** Show a row at once: whoever types fast has labelled the next one before a smooth movement ends. @param {HTMLElement} row */
function show(row) {
  row.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (!isInView(row)) line(row).scrollIntoView({ block: "center", behavior: "instant" });
}

/**
 * Bring a row into focus: its trace opens, its spans light up, and it comes into view.
 * Its place in the answer comes into view as well where answer and rows stand side by side; else that would carry the row away.
 * @param {HTMLElement} row
 */
export function focusRow(row, { scroll = true, focus = true, withPlace = scroll } = {}) {
  const before = current();
  if (before && before !== row) {
    delete before.dataset.current;
    line(before).tabIndex = -1;
    line(before).removeAttribute("aria-current");
  }
  row.dataset.current = "";
  line(row).tabIndex = 0;
  line(row).setAttribute("aria-current", "true");
  light(row);
  if (focus && !row.contains(document.activeElement)) line(row).focus({ preventScroll: true });
  if (scroll) show(row);
  if (withPlace && areBeside()) place(row)?.scrollIntoView({ block: "nearest", behavior: calm });
}

/** Light up everything in the answer that belongs to the row in focus. @param {HTMLElement} row */
function light(row) {
  document.querySelectorAll(".answer [data-focus]").forEach((each) => {
    each.removeAttribute("data-focus");
    each.removeAttribute("aria-current");
  });
  places(row).forEach((each) => {
    each.setAttribute("data-focus", each.matches(`[data-matched~="${row.dataset.row}"]`) ? "matched" : "cited");
    if (each.matches("a")) each.setAttribute("aria-current", "true");
  });
}

/** Light up what belongs together with a row, a span or a footnote that is pointed at. @param {HTMLElement | null} pointed */
function point(pointed) {
  document.querySelectorAll("[data-lit]").forEach((each) => each.removeAttribute("data-lit"));
  const numbers = pointed?.dataset.row?.split(" ") ?? pointed?.dataset.rows?.split(" ") ?? [];
  const lit = pointed?.matches("[data-citation]")
    ? [pointed, ...places(pointed)]
    : numbers.flatMap((number) => [document.getElementById(`row-${number}`), ...placesOfField(number)]);
  lit.forEach((each) => each?.setAttribute("data-lit", ""));
  return lit;
}

for (const [enter, exit] of [["focusin", "focusout"], ["mouseover", "mouseout"]]) {
  document.addEventListener(enter, (event) => {
    /** @type {HTMLElement | null} */
    const pointed = /** @type {Element} */ (event.target).closest?.(`.answer [data-rows], ${ROW}`);
    if (!pointed) return;
    const [row] = point(pointed);
    if (enter === "focusin" && pointed.dataset.rows) row?.scrollIntoView({ block: "nearest", behavior: calm });
  });
  document.addEventListener(exit, () => point(null));
}
