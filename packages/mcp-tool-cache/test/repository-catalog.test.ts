import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleEntry, type sampleId, sampleServer, temporaryDirectory } from "./catalog-samples.ts";
import { openCache } from "./open-cache.ts";

/** The clone of a repository that contains a catalog. */
async function clonedCatalog(): Promise<{ directory: string; id: ReturnType<typeof sampleId> }> {
  const origin = temporaryDirectory();
  const { cache } = openCache(join(origin, "cache"));
  const { id } = await cache.identify(sampleServer());
  await cache.set(id, sampleEntry());
  await cache.close();
  const git = (...args: string[]) =>
    execFileSync(
      "sh",
      ["-c", 'umask 022; exec git -c user.name=n -c user.email=e@e.example "$@"', "git", ...args],
      {
        cwd: origin,
      },
    );
  git("init", "--quiet");
  git("add", "--force", ".");
  git("commit", "--quiet", "--no-gpg-sign", "--message", "A gift");
  const clone = join(temporaryDirectory(), "clone");
  git("clone", "--quiet", origin, clone);
  return { directory: join(clone, "cache"), id };
}

test.runIf(process.platform !== "win32")(
  "[T73] a catalog cloned with its key from a repository is ignored and replaced",
  async () => {
    const { directory, id: planted } = await clonedCatalog();
    expect(existsSync(join(directory, "catalog.sqlite"))).toBe(true);
    const { cache } = openCache(directory);
    const { id } = await cache.identify(sampleServer());
    expect(id).not.toBe(planted);
    expect(await cache.getMany([planted, id])).toEqual(new Map());
    expect(await cache.list()).toEqual([]);
    await cache.set(id, sampleEntry({ server: "mine" }));
    await cache.close();
    expect((await openCache(directory).cache.list()).map(({ server }) => server)).toEqual(["mine"]);
  },
);
