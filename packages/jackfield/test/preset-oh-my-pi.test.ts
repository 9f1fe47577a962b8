import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ohMyPi, openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";
import { createProjectFixture } from "./project-fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();
afterEach(() => void vi.unstubAllEnvs());

const RESOURCES = [{ uri: "file:///readme", name: "readme" }];

describe("the ohMyPi preset", () => {
  it("opens without waiting for a slow server, whose tools come later or from the catalog", async () => {
    using folder = temporaryFolder();
    const slow = scriptedServer(folder, "slow");
    slow.behave({ answerLateMs: { initialize: 1_000 }, resources: RESOURCES });
    const options = {
      ...ohMyPi({}),
      discover: false,
      servers: {
        quick: stdioFaultServer(),
        slow: slow.definition,
        broken: { command: "jackfield-test-no-such-command" },
      },
      cache: { path: folder.file("cache") },
    } as const;
    const first = await openMcp({ ...options, startup: { ...options.startup, gateMs: 700 } });
    try {
      const late = Promise.withResolvers<void>();
      first.on("toolsChanged", ({ server }) => server === "slow" && late.resolve());
      expect(first.servers()).toMatchObject([{ name: "quick" }, { name: "slow", status: "connecting" }, {}]);
      expect(first.tools().map(({ name }) => name)).not.toContain("mcp__slow_echo");
      expect(first.report.failed).toMatchObject([
        { name: "broken", error: { code: "MCP_COMMAND_NOT_FOUND" } },
      ]);
      await late.promise;
      expect(first.tools().map(({ name }) => name)).toEqual(
        expect.arrayContaining(["mcp__quick_echo", "mcp__slow_echo"]),
      );
      expect(await first.resources("slow")).toMatchObject(RESOURCES);
    } finally {
      await first.close();
    }
    const second = await openMcp({ ...options, startup: { ...options.startup, staleAfterMs: 0, gateMs: 1 } });
    try {
      const deferred = second.tools().find(({ name }) => name === "mcp__slow_echo");
      expect(deferred).toMatchObject({ origin: "cache", originalName: "echo", server: "slow" });
      expect(await second.resources("slow")).toMatchObject(RESOURCES);
      const answer = await second.callTool("mcp__slow_echo", { message: "waited" });
      expect(JSON.stringify(answer.content)).toContain("waited");
      expect(second.servers().find(({ name }) => name === "slow")?.status).toBe("ready");
    } finally {
      await second.close();
    }
  });

  it("reconnects a crashed server without withdrawing its tools", async () => {
    using folder = temporaryFolder();
    const server = scriptedServer(folder, "s");
    const mcp = await openMcp({
      ...ohMyPi({}),
      startup: { uncached: "wait" },
      discover: false,
      servers: { s: server.definition },
      cache: false,
    });
    try {
      const started = () => server.record().filter(({ event }) => event === "started");
      const back = Promise.withResolvers<void>();
      const offered: number[] = [];
      mcp.on("statusChanged", ({ snapshot }) => {
        offered.push(mcp.tools().length);
        if (snapshot.status === "ready") back.resolve();
      });
      process.kill(started()[0]?.pid ?? 0, "SIGKILL");
      await back.promise;
      expect(started()).toHaveLength(2);
      expect(new Set(offered)).toEqual(new Set([mcp.tools().length]));
      await mcp.callTool("mcp__s_echo", {});
    } finally {
      await mcp.close();
    }
  });

  it("finds other hosts' servers, runs commands in values, and passes the environment on", async () => {
    using home = createProjectFixture();
    vi.stubEnv("PLANTED_FOR_CHILDREN", "seen");
    const { command, args, env } = stdioFaultServer({ echoEnvironment: true });
    const written = { ...env, TOKEN: "!printf minted", UNSET: "$" + "{JACKFIELD_TEST_NOT_SET}" };
    home.writeFile(".cursor/mcp.json", { mcpServers: { elsewhere: { command, args, env } } });
    home.writeFile(".omp/agent/mcp.json", { mcpServers: { found: { command, args, env: written } } });
    const { discover, ...preset } = ohMyPi({});
    const mcp = await openMcp({
      ...preset,
      startup: { uncached: "wait" },
      discover: { ...discover, cwd: home.project, home: home.home, env: {} },
      cache: false,
    });
    try {
      const hosts = mcp.servers().map(({ name, definedIn }) => `${name} of ${definedIn.host}`);
      expect(hosts.sort()).toEqual(["elsewhere of cursor", "found of omp"]);
      const { structuredContent } = await mcp.callTool({ server: "found", tool: "environment" });
      expect(structuredContent).toMatchObject({
        PLANTED_FOR_CHILDREN: "seen",
        TOKEN: "minted",
        UNSET: "$" + "{JACKFIELD_TEST_NOT_SET}",
      });
    } finally {
      await mcp.close();
    }
  });

  it.each([
    [{}, 30_000, 600_000],
    [{ OMP_MCP_TIMEOUT_MS: "1500" }, 1_500, 600_000],
    [{ OMP_MCP_TIMEOUT_MS: "3600000" }, 3_600_000, 3_600_000],
    [{ OMP_MCP_TIMEOUT_MS: "0" }, 0, 0],
    [{ OMP_MCP_TIMEOUT_MS: "" }, 30_000, 600_000],
    [{ OMP_MCP_TIMEOUT_MS: "soon" }, 30_000, 600_000],
    [{ OMP_MCP_TIMEOUT_MS: "-1" }, 30_000, 600_000],
  ])("takes its time limits from the environment: %j", (env, timeoutMs, maxTotalMs) => {
    const limits = {
      connectTimeoutMs: timeoutMs,
      callTimeoutMs: timeoutMs,
      maxTotalMs,
      closeTimeoutMs: 3_000,
    };
    expect(ohMyPi(env).limits).toEqual(limits);
  });
});
