import { expect, it } from "vitest";
import * as face from "../src/index.ts";

it("the package exports createOAuth, two vaults and openInBrowser", () => {
  expect(Object.keys(face).sort()).toEqual([
    "createFileVault",
    "createMemoryVault",
    "createOAuth",
    "openInBrowser",
  ]);
});
