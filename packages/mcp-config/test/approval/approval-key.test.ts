import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { memoryStateStore } from "@jackfield/test-kit";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApprovalLedger } from "../../src/approval/approval-ledger.ts";
import { fileStateStore } from "../../src/approval/file-state-store.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";

const folder = useTemporaryFolder();
const KEY_NAME = "server-approval-key";

function server(command: string): ServerDefinition {
  return { name: command, transport: "stdio", command, definedIn: { scope: "project" } };
}

/** Starts a process that approves one server when it gets a message. */
function startApproving(directory: string, command: string) {
  const file = fileURLToPath(new URL("../fixtures/approving-process.ts", import.meta.url));
  const child = fork(file, [directory, command], { execArgv: [] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, exited };
}

async function keyFile(directory: string): Promise<string> {
  const names = await readdir(directory);
  for (const name of names) {
    const { key } = JSON.parse(await readFile(join(directory, name), "utf8"));
    if (key === KEY_NAME) return join(directory, name);
  }
  throw new Error("no key was made");
}

describe("the first approvals in a new store", () => {
  const commands = Array.from({ length: 8 }, (_, index) => `server-${index}`);

  async function missing(directory: string): Promise<readonly string[]> {
    const ledger = createApprovalLedger(fileStateStore({ directory }));
    const areApproved = await Promise.all(commands.map((command) => ledger.isApproved(server(command))));
    return commands.filter((_command, index) => !areApproved[index]);
  }

  test("all hold when several processes approve at once", async () => {
    const directory = await folder();
    const processes = commands.map((command) => startApproving(directory, command));
    await Promise.all(processes.map(({ child }) => once(child, "message")));
    for (const { child } of processes) child.send("go");
    const exits = await Promise.all(processes.map(({ exited }) => exited));
    expect(exits.map(([code]) => code)).toEqual(commands.map(() => 0));
    expect(await missing(directory)).toEqual([]);
    expect(await readdir(directory)).toHaveLength(commands.length + 1);
  });

  test("hold in a store without setIfMissing although another key is written in between", async () => {
    const store = memoryStateStore();
    const set: typeof store.set = async (key, value) => {
      await store.set(key, value);
      if (key !== KEY_NAME && (await store.get(KEY_NAME)) !== "b3RoZXI=")
        await store.set(KEY_NAME, "b3RoZXI=");
    };
    await createApprovalLedger({ ...store, set }).approve(server("a"));
    expect(await createApprovalLedger(store).isApproved(server("a"))).toBe(true);
    expect(await store.keys("server-approval:")).toHaveLength(1);
  });

  test("fail when the store does not keep the key", async () => {
    const store = memoryStateStore();
    const set: typeof store.set = async (key, value) => {
      if (key !== KEY_NAME) await store.set(key, value);
    };
    await expect(createApprovalLedger({ ...store, set }).approve(server("a"))).rejects.toMatchObject({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringContaining(KEY_NAME),
    });
    expect(await store.keys("")).toEqual([]);
  });
});

describe("an untrusted key file", () => {
  async function approvedIn(directory: string) {
    const store = fileStateStore({ directory });
    await createApprovalLedger(store).approve(server("a"));
    return { store, key: await keyFile(directory) };
  }

  test("is not replaced, and its approvals hold again once its permissions are fixed", async () => {
    const { store, key } = await approvedIn(await folder());
    await chmod(key, 0o666);
    const ledger = createApprovalLedger(store);
    expect(await ledger.isApproved(server("a"))).toBe(false);
    await expect(ledger.approve(server("b"))).rejects.toMatchObject({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringMatching(
        / is not used: other users can write to it, .*\(chmod 600\).*approve the servers again/,
      ),
      location: { file: key },
    });
    await chmod(key, 0o600);
    expect(await ledger.isApproved(server("a"))).toBe(true);
    await ledger.approve(server("b"));
    expect(await ledger.isApproved(server("b"))).toBe(true);
  });

  test.each(["", '{"key":"server-app', '{"key":"another","value":"x"}'])(
    "with the content %j makes approval fail and is left unchanged",
    async (content) => {
      const directory = await folder();
      const { store, key } = await approvedIn(directory);
      await writeFile(key, content);
      await expect(createApprovalLedger(store).approve(server("b"))).rejects.toThrow(
        `${key} is not used: it is damaged,`,
      );
      expect(await readFile(key, "utf8")).toBe(content);
      expect(await readdir(directory)).toHaveLength(2);
    },
  );
});
