// The public face of every package is kept in docs/api, one file for each entry, so that a review shows when it changes. This compares
// what was built with what is kept; `pnpm accept:face` keeps what was built. No declaration may import what is not installed with it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rollUp } from "../public-face/roll-up.mjs";
import { conclude } from "../tracked-files.mjs";
import { root, run } from "../workspace.mjs";
import { publishedEntries } from "../workspace-packages.mjs";

const KEPT = join("docs", "api");

if (process.argv.includes("--accept")) {
  conclude(await writeFaces(join(root, KEPT)));
}
conclude(await compare());

async function compare() {
  const built = mkdtempSync(join(tmpdir(), "jackfield-face-"));
  try {
    const missing = await writeFaces(built);
    if (missing.length > 0) return missing;
    const { code, output } = await run("git", ["diff", "--no-index", "--no-color", KEPT, built]);
    if (code === 0) return [];
    return [
      `This is not the public face in ${KEPT}. If it is meant, "pnpm accept:face" accepts it:\n${output}`,
    ];
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

/** Writes the faces, and gives what their declarations import without bringing it. */
async function writeFaces(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const missing = await Promise.all(
    publishedEntries().map(async ({ name, types, owner }) => {
      const { face, imported } = await rollUp(join(root, types));
      writeFileSync(join(folder, fileOf(name)), face);
      return [...imported]
        .filter((id) => !isBroughtBy(owner.manifest, id))
        .map(
          (id) => `${types} leads to a declaration that imports "${id}", which ${owner.name} does not bring.`,
        );
    }),
  );
  return missing.flat();
}

function isBroughtBy({ name, dependencies, peerDependencies }, id) {
  const brought = Object.keys({ [name]: "", ...dependencies, ...peerDependencies });
  return isBuiltin(id) || brought.some((one) => id === one || id.startsWith(`${one}/`));
}

/** `@jackfield/mcp-guard/defaults` is kept in `mcp-guard.defaults.d.ts`. */
function fileOf(entry) {
  return `${entry.replace("@jackfield/", "").replaceAll("/", ".")}.d.ts`;
}
