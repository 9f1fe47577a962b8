import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { namesServers } from "../src/demo-command-line.ts";

const COMMAND = fileURLToPath(new URL("../bin/jackfield.js", import.meta.url));

describe("the command line in this repository", () => {
  let cache: string;
  // All commands share one catalog, so that only the first of them waits for every server.
  beforeAll(async () => {
    cache = await mkdtemp(join(tmpdir(), "jackfield-cache-"));
  });
  afterAll(() => rm(cache, { recursive: true, force: true }));

  async function run(...argv: string[]) {
    const child = spawn(process.execPath, [COMMAND, ...argv, "--json", "--cache", cache], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exitCode = new Promise((resolve) => child.once("close", resolve));
    return { json: JSON.parse(await text(child.stdout)), exitCode: await exitCode };
  }

  it("shows the demo servers as ready", async () => {
    const { json, exitCode } = await run("status");
    expect(json.servers).toMatchObject([
      { name: "everything", status: "ready" },
      { name: "filesystem", status: "ready" },
      { name: "memory", status: "ready" },
    ]);
    expect(exitCode).toBe(0);
  });

  it("lists the tools of the demo servers", async () => {
    expect((await run("tools")).json.tools.length).toBeGreaterThan(30);
  });

  it("calls a tool of a demo server", async () => {
    expect(await run("call", "echo", '{"message":"hi"}')).toEqual({
      json: { content: [{ type: "text", text: "Echo: hi" }], isError: false },
      exitCode: 0,
    });
  });

  it("omits the demo servers if the command line names servers", async () => {
    expect(
      (await run("status", "--mcp-server", `other={"command":"jackfield-test-no-such-command"}`)).json
        .servers,
    ).toMatchObject([{ name: "other", status: "failed" }]);
  });

  it.each([
    [["status"], false],
    [["tools", "--json", "--cache", "x"], false],
    [["--config", "a.json"], true],
    [["--config=a.json"], true],
    [["call", "t", "--mcp-server", "a={}"], true],
  ])("%j names servers: %s", (argv, expected) => {
    expect(namesServers(argv)).toBe(expected);
  });
});
