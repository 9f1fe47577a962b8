// A promise of SECURITY.md that no test proves is a wish: each of its rows names a test file and a title, and both must be there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { conclude } from "../tracked-files.mjs";
import { root } from "../workspace.mjs";

const text = readFileSync(join(root, "SECURITY.md"), "utf8");
const start = text.indexOf("## Promises");
const end = text.indexOf("\n## ", start);
const rows = text
  .slice(start, end)
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| promise "));
const problems = rows.length < 20 ? [`SECURITY.md has only ${rows.length} promises; were they moved?`] : [];

for (const row of rows) {
  const [, promise, file, title] = /^\| (.+) \| `([^`]+\.test\.ts)` \| (.+) \|$/.exec(row) ?? [];
  if (promise === undefined) problems.push(`SECURITY.md: this row names no test: ${row}`);
  else if (!hasTest(file, title)) {
    problems.push(`SECURITY.md: "${promise}" rests on "${title}" of ${file}, and there is no such test.`);
  }
}
conclude(problems);

/** Whether a test of the file has the title, which may begin with tags in brackets, and is not skipped or still to be written. */
function hasTest(file, title) {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, "utf8");
  const at = source.indexOf(title);
  const before = source.slice(Math.max(0, source.lastIndexOf("\n", at - 200)), at);
  return at !== -1 && !/\b(it|test)\.(skip|todo)\b/.test(before);
}
