import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measuredEnvironment, openWorkplace } from "../src/workplace.ts";

test("disposing the workplace removes its files", async () => {
  const workplace = await openWorkplace();
  writeFileSync(join(workplace.directory, "file"), "");
  await workplace[Symbol.asyncDispose]();
  expect(existsSync(workplace.directory)).toBe(false);
});

test("measured processes do not inherit NODE_OPTIONS or JACKFIELD_ variables", () => {
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
