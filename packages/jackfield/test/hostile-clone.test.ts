import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import { langchainTools } from "@jackfield/mcp-langchain";
import { memoryStateStore, useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

  const open = (options: OpenMcpOptions = {}) =>
    openMcp({
      discover: { cwd: clone.project, home: clone.home, env: {}, hosts: "all" },
      cwd: clone.project,
      approvals: memoryStateStore(),
      cache: false,
      retry: { maxRetries: 0 },
      ...options,
    });

  it("has files for at least ten hosts, each with two servers", () => {
    expect(clone.files.length).toBeGreaterThanOrEqual(10);
    expect(clone.files.every(({ servers }) => servers.length === 2)).toBe(true);
  });

  it.each([
    ["no approver", {}],
    ["an approver that never answers", { approve: () => new Promise<never>(() => {}) }],
    ["an approver that answers anything but true", { approve: async () => "yes" as unknown as boolean }],
    ["an approver that rejects", { approve: () => Promise.reject(new Error("no terminal")) }],
  ] as const)(
    "[threat T01] [threat T04] [threat T05] starts and contacts nothing with %s, and reports each entry as blocked",
    async (_who, options) => {
      const mcp = await open(options);
      try {
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
    expect(keys.length).toBeGreaterThan(clone.files.length);
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
    expect(stderr.match(/npx jackfield approve/g)).toHaveLength(1);
    expect([clone.made(), clone.connections()]).toEqual([[], 0]);
  });

  it("starts and contacts everything if the caller trusts its folder", async () => {
    const mcp = await open({ trust: (folder) => folder === clone.project });
    await mcp.close();
    const local = clone.files.flatMap(({ servers: [name = ""] }) => name.replace("run-", ""));
    expect(clone.made()).toEqual(local.toSorted());
    expect(clone.connections()).toBeGreaterThanOrEqual(clone.files.length);
  });
});
