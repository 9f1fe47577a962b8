// `pnpm cases`: which of the numbered cases that five earlier runtimes taught are shown by a test here. A test names the case it
// shows in its title, as in "[R9] quiet probes bring a lost server back"; docs/coverage.md says which are shown under a title
// without their name, and which do not apply, and why. What it says "waits" for something is missing.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { trackedFiles } from "./tracked-files.mjs";
import { root } from "./workspace.mjs";

/** The areas of the catalogue, and how many cases each has. */
const AREAS = {
  C: ["connecting, start-up, teardown", 33],
  R: ["reconnecting and backoff", 47],
  T: ["calls, retries, cancellation", 50],
  L: ["tool lists, catalog, filters, names", 37],
  N: ["resources, prompts, notifications, server requests", 22],
  X: ["transports", 20],
  A: ["configuration, environment, trust, OAuth", 25],
  H: ["regressions of a small runtime", 18],
  S: ["the life of a server", 13],
};

/** Two more catalogues, of faults and of threats, also call theirs R and T. These tests mean those. */
const MEANS_OTHERS = {
  R: /^packages\/mcp-transports\/|\/test\/faults\//,
  T: /^packages\/(mcp-transports|mcp-config|mcp-auth)\//,
};

const shown = new Set();
for (const file of trackedFiles("packages/**/*.ts", "apps/**/*.ts")) {
  if (!file.includes("/test/")) continue;
  const text = readFileSync(join(root, file), "utf8");
  for (const [, tags] of text.matchAll(/["'`]((?:\[[A-Z]\d+\] ?)+)/g)) {
    for (const [, area, number] of tags.matchAll(/\[([A-Z])(\d+)\]/g)) {
      if (MEANS_OTHERS[area]?.test(file) !== true && Number(number) <= (AREAS[area]?.[1] ?? 0))
        shown.add(`${area}${Number(number)}`);
    }
  }
}
const coverage = readFileSync(join(root, "docs/coverage.md"), "utf8");
const notApplicable = new Set();
/** Rows that name a test which is not there, or no longer. */
const broken = [];
for (const [, fault, id, file, title] of coverage.matchAll(
  /^\| (fault )?([A-Z]\d+) \|(?! waits)(?: `([^`]+\.test\.ts)` \| (.+) \|$)?/gm,
)) {
  if (file === undefined) {
    if (fault === undefined) notApplicable.add(id);
  } else if (!hasTest(file, title))
    broken.push(`${fault ?? ""}${id} is said to be shown by "${title}" of ${file}, which has no such test.`);
  else if (fault === undefined) shown.add(id);
}

function hasTest(file, title) {
  const path = join(root, "packages", file);
  return existsSync(path) && readFileSync(path, "utf8").includes(title);
}

const missing = [];
let total = 0;
for (const [area, [title, count]] of Object.entries(AREAS)) {
  const ids = Array.from({ length: count }, (_, index) => `${area}${index + 1}`);
  const open = ids.filter((id) => !shown.has(id) && !notApplicable.has(id));
  total += count;
  missing.push(...open);
  console.log(
    `${area}  ${String(count - open.length).padStart(3)} of ${count}  ${title}${open.length > 0 ? `; missing: ${open.join(" ")}` : ""}`,
  );
}
for (const row of broken) console.error(row);
if (broken.length > 0) process.exitCode = 1;
for (const id of notApplicable)
  if (shown.has(id)) console.log(`${id} is said not to apply, but a test shows it.`);
const unshown = [...notApplicable].filter((id) => !shown.has(id)).length;
const covered = total - missing.length - unshown;
console.log(`covered ${covered}, not applicable ${unshown}, missing ${missing.length} of ${total}`);
