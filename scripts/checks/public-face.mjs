// The public face of every package is kept in docs/api, one file for each entry, so that a review shows when it changes. This compares
// what was built with what is kept; `pnpm accept:face` keeps what was built.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rollUp } from "../public-face/roll-up.mjs";
import { conclude } from "../tracked-files.mjs";
import { root, run } from "../workspace.mjs";
import { publishedEntries } from "../workspace-packages.mjs";

const KEPT = join("docs", "api");

if (process.argv.includes("--accept")) {
  await writeFaces(join(root, KEPT));
  conclude([]);
}
conclude(await compare());

async function compare() {
  const built = mkdtempSync(join(tmpdir(), "jackfield-face-"));
  try {
    await writeFaces(built);
    const { code, output } = await run("git", ["diff", "--no-index", "--no-color", KEPT, built]);
    if (code === 0) return [];
    return [
      `This is not the public face in ${KEPT}. If it is meant, "pnpm accept:face" accepts it:\n${output}`,
    ];
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

async function writeFaces(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await Promise.all(
    publishedEntries().map(async ({ name, types }) =>
      writeFileSync(join(folder, fileOf(name)), await rollUp(join(root, types))),
    ),
  );
}

/** `@jackfield/mcp-guard/defaults` is kept in `mcp-guard.defaults.d.ts`. */
function fileOf(entry) {
  return `${entry.replace("@jackfield/", "").replaceAll("/", ".")}.d.ts`;
}
