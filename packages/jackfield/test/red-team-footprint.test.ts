import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";
import { hostileServer } from "./red-team-runtime.ts";

const COMMAND = fileURLToPath(new URL("../bin/jackfield.js", import.meta.url));
const REACHED = new URL("./fixtures/reached-addresses.mjs", import.meta.url).href;

describe("network and file access of the command line", () => {
  /** A remote server that refuses every request; the local one works. */
  const refusing = createServer((_request, response) => response.writeHead(404).end());
  let folder: TemporaryFolder;
  let address: string;

  beforeAll(async () => {
    folder = temporaryFolder();
    await once(refusing.listen(0, "127.0.0.1"), "listening");
    address = `127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    const answers = { read: { result: { content: [{ type: "text", text: "read it" }] } } };
    const tools = [{ name: "read", inputSchema: { type: "object" as const } }];
    const local = hostileServer(folder, "hostile", { tools, answers }).entry;
    const mcpServers = { local, remote: { url: `http://${address}/mcp` } };
    writeFileSync(folder.file("servers.json"), JSON.stringify({ mcpServers }));
    // Fills the catalog.
    expect((await run(["status"])).reached).toEqual([address]);
  });
  afterAll(() => {
    refusing.close();
    folder[Symbol.dispose]();
  });

  /** Runs with a home in which nothing can be created. */
  async function run(words: readonly string[]) {
    const reached = folder.file("reached");
    writeFileSync(reached, "");
    const env = {
      PATH: process.env.PATH,
      HOME: "/dev/null/home",
      JACKFIELD_HOME: folder.file("kept"),
      REACHED: reached,
    };
    const argv = [
      "--import",
      REACHED,
      COMMAND,
      ...words,
      "--config",
      folder.file("servers.json"),
      "--no-discover",
    ];
    const child = execFile(process.execPath, argv, { cwd: folder.path, env });
    const chunks: string[] = [];
    child.stdout?.on("data", (chunk: string) => chunks.push(chunk));
    const [exitCode] = await once(child, "close");
    const addresses = readFileSync(reached, "utf8").split("\n").filter(Boolean);
    return { exitCode, printed: chunks.join(""), reached: [...new Set(addresses)] };
  }

  test.each([
    [["status"], 1, "local"],
    [["tools"], 0, "local.read()"],
    [["call", "mcp__local__read"], 0, "read it"],
    [["doctor"], 1, "remote"],
    [["config", "list"], 0, "local"],
    [["cache", "list"], 0, "local"],
  ])(
    "[T94][T95] `jackfield %j` contacts only its servers, and writes only into its own folder",
    async (...given) => {
      const [words, exitCode, printed] = given;
      const { reached, ...rest } = await run(words);
      expect(rest).toEqual({ exitCode, printed: expect.stringContaining(printed) });
      expect(reached.filter((other) => other !== address)).toEqual([]);
      expect(readdirSync(folder.path).sort()).toEqual(
        ["hostile.json", "hostile.record", "kept", "reached", "servers.json"].sort(),
      );
      expect(readdirSync(folder.file("kept"), { recursive: true })).toContain("cache/catalog.sqlite");
    },
  );
});

describe("the published packages", () => {
  const packages = new URL("../../", import.meta.url);
  const manifests = readdirSync(packages).map((name) =>
    JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), "utf8")),
  );

  test("[T93] no package has install or publish scripts", () => {
    expect(manifests.length).toBeGreaterThan(10);
    const scripts = manifests.flatMap(({ scripts }) => Object.keys(scripts));
    expect(scripts.filter((name) => /install|prepare|publish|pack/.test(name))).toEqual([]);
  });

  test("[T93] no package has more than five foreign dependencies", () => {
    const foreign = manifests.map(({ name, dependencies = {} }) => ({
      name,
      dependencies: Object.keys(dependencies).filter((name) => !name.startsWith("@jackfield/")),
    }));
    expect(foreign.filter(({ dependencies }) => dependencies.length > 5)).toEqual([]);
    expect(foreign.flatMap(({ dependencies }) => dependencies)).toContain("keyv");
  });

  test("[T93] the lockfile pins every foreign package with its digest", () => {
    const lock = readFileSync(new URL("../pnpm-lock.yaml", packages), "utf8");
    const resolutions = lock.match(/^ {4}resolution: .*/gm) ?? [];
    expect(resolutions.length).toBeGreaterThan(100);
    expect(resolutions.filter((line) => !/\{integrity: sha512-[A-Za-z0-9+/=]+\}$/.test(line))).toEqual([]);
  });
});
