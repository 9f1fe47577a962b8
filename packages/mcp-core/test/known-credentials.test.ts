import { expect, it } from "vitest";
import { KnownCredentials } from "../src/index.ts";

it("remembers the last credentials of each place, however often those of another are renewed", () => {
  const known = new KnownCredentials();
  known.record(undefined, ["files", "connected"], ["planted-key"]);
  for (let reading = 0; reading < 6; reading += 1)
    known.record(undefined, ["files"], [`planted-secret-${reading}`]);
  expect(known.hide("the planted-key, planted-secret-5")).toBe("the [redacted], [redacted]");
  // Values that are never forgotten would accumulate.
  expect(known.hide("planted-secret-0")).toBe("planted-secret-0");
});

it("an error thrown by the logger is ignored", () => {
  const log = new KnownCredentials().logger(() => {
    throw new Error("disk full");
  });
  expect(() => log("warn", "something")).not.toThrow();
});
