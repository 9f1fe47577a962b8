import { expect, it } from "vitest";
import * as face from "../src/index.ts";

it("offers the port, two vaults and a way into the browser", () => {
  expect(Object.keys(face).sort()).toEqual([
    "createFileVault",
    "createMemoryVault",
    "createOAuth",
    "openInBrowser",
  ]);
});
