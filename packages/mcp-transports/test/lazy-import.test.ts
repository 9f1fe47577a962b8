import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scriptedServer } from "./scripted-server.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/imports.mjs", import.meta.url));

test("importing the package and making a connector load nothing of the SDK; the first connection does, and undici waits for a remote server", async () => {
  const args = ["--no-warnings", FIXTURE, JSON.stringify(scriptedServer())];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({ before: false, after: true, undici: false });
});
