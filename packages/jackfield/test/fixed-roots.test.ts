import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { fixedRoots } from "../src/index.ts";

it("fixed roots are folders as absolute addresses, each with its own name", async () => {
  const context = { server: "files", signal: new AbortController().signal };
  expect(await fixedRoots(["/srv/docs", "."])(context)).toEqual([
    { uri: "file:///srv/docs", name: "docs" },
    { uri: pathToFileURL(resolve(".")).href, name: basename(resolve(".")) },
  ]);
});
