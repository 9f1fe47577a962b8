import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measuredEnvironment, openWorkplace } from "../src/workplace.ts";

test("what was written into the workplace is gone with it", async () => {
  const workplace = await openWorkplace();
  writeFileSync(join(workplace.directory, "file"), "");
  await workplace[Symbol.asyncDispose]();
  expect(existsSync(workplace.directory)).toBe(false);
});

test("measured processes do not inherit what changes how Node or Jackfield behaves", () => {
  const inherited = {
    PATH: "/bin",
    NODE_OPTIONS: "--inspect",
    JACKFIELD_TIMEOUT_MS: "1",
    JACKFIELD_HOME: "/home",
  };
  expect(measuredEnvironment(inherited, { directory: "/tmp/bench" })).toEqual({
    PATH: "/bin",
    JACKFIELD_HOME: join("/tmp/bench", "home"),
  });
});
