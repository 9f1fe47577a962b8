import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The exports of the examples of a package's README and reference. Disposing of it removes the files that they were loaded from. */
export interface ReadmeExamples<Exports> extends Disposable {
  readonly exports: Exports;
}

/**
 * Loads every TypeScript block of a package's README and `docs/reference.md` as a module, in order, with the package's own
 * source in place of its build, so that a test can run these examples.
 *
 * @param folder The package's folder.
 * @returns the merged exports of all blocks. Disposing of it removes the files.
 * @throws what a block throws while it is loaded
 */
export async function loadReadmeExamples<Exports extends object>(
  folder: string,
): Promise<ReadmeExamples<Exports>> {
  const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name: string };
  const pages = ["README.md", "docs/reference.md"].map((page) => readFileSync(join(folder, page), "utf8"));
  const place = mkdtempSync(join(folder, "test", "readme-"));
  const dispose = () => rmSync(place, { recursive: true, force: true });
  const exports = {};
  try {
    for (const [index, [, code = ""]] of [...pages.join("\n").matchAll(/```ts\n([\s\S]*?)```/g)].entries()) {
      const file = join(place, `example-${index}.ts`);
      const ownSource = code
        .replaceAll(JSON.stringify(name), '"../../src/index.ts"')
        .replaceAll(`"${name}/`, '"../../src/')
        .replace(/"(\.\.\/\.\.\/src\/[\w-]+)"/g, '"$1.ts"');
      writeFileSync(file, ownSource);
      Object.assign(exports, await import(/* @vite-ignore */ file));
    }
  } catch (error) {
    dispose();
    throw error;
  }
  return { exports: exports as Exports, [Symbol.dispose]: dispose };
}
