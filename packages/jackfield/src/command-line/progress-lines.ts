import type { Activities, Activity } from "./activities.ts";
import { printableLine, printableName } from "./lines.ts";
import { canRedraw, type Output } from "./terminal.ts";

/** Shorter activities are not shown. */
const SILENT_FOR_MS = 1_000;
const REDRAWN_EVERY_MS = 250;
const MOST_LINES = 10;
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

/**
 * Shows on a terminal, in lines that are redrawn, each activity of more than a second and how long it has been running. Disposal removes
 * the lines. Nothing is written where lines cannot be redrawn.
 */
export function showProgress(stderr: Output, activities: Activities): Disposable {
  if (!canRedraw(stderr)) return { [Symbol.dispose]() {} };
  let drawn: readonly string[] = [];
  const draw = (lines: readonly string[]) => {
    if (lines.join("\n") === drawn.join("\n")) return;
    const back = drawn.length === 0 ? "" : `\u001b[${drawn.length}A\u001b[J`;
    stderr.write(back + lines.map((line) => `${line}\n`).join(""));
    drawn = lines;
  };
  const timer = setInterval(() => draw(linesOf(activities.all(), stderr)), REDRAWN_EVERY_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      draw([]);
    },
  };
}

function linesOf(activities: readonly Activity[], { columns, rows }: Output): readonly string[] {
  const now = Date.now();
  const slow = activities.filter(
    ({ beganAt, endedAt }) => endedAt === undefined && now - beganAt >= SILENT_FOR_MS,
  );
  // Lines that scrolled away could not be erased.
  const most = Math.max(1, Math.min(MOST_LINES, (rows || USUAL_ROWS) - 2));
  const shown = slow.slice(0, slow.length > most ? most - 1 : most);
  const lines = shown.map(
    ({ name, what, beganAt }) =>
      `${printableName(name, 40)}: ${what}, ${Math.floor((now - beganAt) / 1_000)} s`,
  );
  if (slow.length > shown.length) lines.push(`and ${slow.length - shown.length} more`);
  return lines.map((line) => printableLine(line, (columns || USUAL_COLUMNS) - 1));
}
