import { expect, it } from "vitest";
import * as face from "../src/index.ts";

it("holds ports only: nothing that pretends to be more", () => {
  expect(Object.keys(face)).toEqual([]);
});
