import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { fixedRoots } from "../src/index.ts";

it("fixedRoots gives each folder as an absolute file URL with its base name", async () => {
  const context = { server: "files", signal: new AbortController().signal };
  expect(await fixedRoots(["/srv/docs", "."])(context)).toEqual([
    { uri: "file:///srv/docs", name: "docs" },
    { uri: pathToFileURL(resolve(".")).href, name: basename(resolve(".")) },
  ]);
});
