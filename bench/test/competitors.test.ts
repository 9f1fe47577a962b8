import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { COMPETITORS } from "../src/clients/names.ts";
import { competitorFolder, installedModules, pinnedManifest } from "../src/competitors.ts";
import { installCompetitor } from "../src/install-competitor.ts";

const TIMEOUT_MS = 120_000;

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A folder that pins a library in the folder beside it, so that no network is needed. */
function pinnedFolder(source: string): string {
  const place = mkdtempSync(join(tmpdir(), "bench-competitor-"));
  cleanUps.push(() => rmSync(place, { recursive: true, force: true }));
  const folder = join(place, "competitor");
  for (const path of [folder, join(place, "library")]) mkdirSync(path);
  const library = { name: "library", version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(place, "library", "package.json"), JSON.stringify(library));
  writeFileSync(join(place, "library", "index.js"), source);
  pin(folder, "one");
  return folder;
}

function pin(folder: string, description: string): void {
  const manifest = { private: true, description, dependencies: { library: "file:../library" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}

describe("the installation of a competitor", () => {
  test(
    "happens once, and again when the pinned manifest changes",
    async () => {
      const folder = pinnedFolder("export const answer = 42;");
      expect(installedModules(folder)).toBeUndefined();
      expect(installCompetitor(folder, ["library"])).toBe("installed");
      const modules = installedModules(folder);
      expect(await import(modules?.library ?? "")).toMatchObject({ answer: 42 });
      expect(installCompetitor(folder, ["library"])).toBe("there already");
      pin(folder, "two");
      expect(installedModules(folder)).toBeUndefined();
      expect(installCompetitor(folder, ["library"])).toBe("installed");
      expect(existsSync(join(folder, "package-lock.json"))).toBe(false);
    },
    TIMEOUT_MS,
  );

  test(
    "fails with the reason if its module cannot be imported",
    () => {
      const folder = pinnedFolder('throw new Error("this library is broken");');
      expect(() => installCompetitor(folder, ["library"])).toThrow("this library is broken");
      expect(installedModules(folder)).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test(
    "fails with npm's exit if the package does not exist",
    () => {
      const folder = pinnedFolder("");
      const dependencies = { library: "file:../missing.tgz" };
      writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
      expect(() => installCompetitor(folder, ["library"])).toThrow(/npm ended with/);
    },
    TIMEOUT_MS,
  );
});

test.each(COMPETITORS)("%s is pinned to exact versions", (name) => {
  const { dependencies } = JSON.parse(pinnedManifest(competitorFolder(name)));
  expect(Object.values(dependencies)).not.toHaveLength(0);
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
