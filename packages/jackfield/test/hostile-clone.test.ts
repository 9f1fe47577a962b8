import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { langchainTools } from "@jackfield/mcp-langchain";
import { memoryStateStore, useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";
import { createHostileClone, type HostileClone } from "./hostile-clone.ts";

const COMMAND = fileURLToPath(new URL("../bin/jackfield.js", import.meta.url));

useLeakCheck();

describe("a repository that tries everything to run code when it is opened", () => {
  let clone: HostileClone;
  beforeAll(async () => {
    clone = await createHostileClone();
  });
  afterAll(async () => {
    await clone.close();
    clone[Symbol.dispose]();
  });

  const open = (approval: OpenMcpOptions["approval"] = {}, log?: OpenMcpOptions["log"]) =>
    openMcp({
      discover: { cwd: clone.project, home: clone.home, env: {}, hosts: "all" },
      cwd: clone.project,
      approval: { store: memoryStateStore(), ...approval },
      cache: false,
      retry: { maxRetries: 0 },
      log,
    });

  it("has files for at least ten hosts, each with two servers", () => {
    expect(clone.files.length).toBeGreaterThanOrEqual(10);
    expect(clone.files.every(({ servers }) => servers.length === 2)).toBe(true);
  });

  it.each([
    ["no approver", {}, undefined],
    ["an approver that never answers", { servers: () => new Promise<never>(() => {}) }, undefined],
    [
      "an approver that answers anything but true",
      { servers: async () => "yes" as unknown as boolean },
      "The approver refused the server.",
    ],
    [
      "an approver that rejects",
      { servers: () => Promise.reject(new Error("no terminal")) },
      "The approver failed, so the server is not started.",
    ],
  ] as const)(
    "[threat T01] [threat T04] [threat T05] starts and contacts nothing with %s, and reports each entry as blocked",
    async (_who, options, answered) => {
      const logged: string[] = [];
      const mcp = await open(options, (_level, message) => logged.push(message));
      try {
        // What an answer starts, it starts in the background.
        const answers = () => logged.filter((message) => message === answered).length;
        if (answered !== undefined) await vi.waitFor(() => expect(answers()).toBe(mcp.report.blocked.length));
        expect(Object.keys(aiSdkTools(mcp))).toEqual([]);
        expect(langchainTools(mcp)).toEqual([]);
        const blockedByName = new Map(mcp.report.blocked.map((blocked) => [blocked.name, blocked]));
        for (const name of clone.files.flatMap(({ servers }) => servers)) {
          expect(blockedByName.get(name)).toMatchObject({
            by: "approval",
            reason: expect.stringContaining("jackfield approve"),
          });
        }
        expect(mcp.report.blocked.length).toBe(blockedByName.size);
        expect(mcp.report).toMatchObject({ ready: [], cached: [], waiting: [], failed: [] });
        expect([...blockedByName.keys()]).not.toContain("moved");
        expect(mcp.servers().every(({ error }) => error?.code === "MCP_APPROVAL_REQUIRED")).toBe(true);
      } finally {
        await mcp.close();
      }
      expect([clone.made(), clone.connections()]).toEqual([[], 0]);
    },
  );

  it("[threat T04] reports every key with which it tries to approve itself", async () => {
    const mcp = await open();
    await mcp.close();
    const keys = mcp.report.diagnostics.filter(({ code }) => code === "self-approval");
    const loud = clone.files.filter(({ approvals }) => approvals.length > 0);
    expect(loud.length).toBeGreaterThanOrEqual(10);
    for (const { file } of loud) {
      const told = keys.filter((key) => key.file === file).map(({ message }) => message);
      for (const key of ["trust", "autoApprove", "alwaysAllow", "enableAllProjectMcpServers"])
        expect(told, file).toContainEqual(expect.stringContaining(`"${key}" is ignored`));
    }
  });

  it("[threat T05] cannot move the home with its .env when the command line runs in it", async () => {
    const env = { PATH: process.env.PATH, HOME: clone.home };
    const argv = [COMMAND, "status", "--json", "--hosts", "all"];
    const run = promisify(execFile)(process.execPath, argv, { cwd: clone.project, env });
    const { code, stdout, stderr } = await run.then(
      (output) => ({ code: 0, ...output }),
      (failure: { code: number; stdout: string; stderr: string }) => failure,
    );
    expect(code).toBe(1);
    const names = JSON.parse(stdout).servers.map(({ name }: { name: string }) => name);
    expect(names).toHaveLength(clone.files.length * 2);
    expect(names).not.toContain("moved");
    // A script reads of approval beside each server; here are only the keys by which files would approve themselves.
    expect(stderr).not.toContain("npx jackfield approve");
    expect([clone.made(), clone.connections()]).toEqual([[], 0]);
  });

  it("starts and contacts everything if the caller trusts its folder", async () => {
    const mcp = await open({ folders: (folder) => folder === clone.project });
    await mcp.close();
    const local = clone.files.flatMap(({ servers: [name = ""] }) => name.replace("run-", ""));
    expect(clone.made()).toEqual(local.toSorted());
    expect(clone.connections()).toBeGreaterThanOrEqual(clone.files.length);
  });
});
