import { createInProcessFaultServer, stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { claudeCode, openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";
import { createProjectFixture } from "./project-fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();
afterEach(() => void vi.unstubAllEnvs());

const FAST = { initialDelayMs: 1, maxDelayMs: 30 };

describe("the claudeCode preset", () => {
  it("prefers passed servers to the project's and those to the user's, and expands $NAME", async () => {
    using home = createProjectFixture();
    vi.stubEnv("JACKFIELD_TEST_PLACE", "filled-in");
    const { command, args, env } = stdioFaultServer({ echoEnvironment: true });
    const from = (source: string) => ({ command, args, env: { ...env, SOURCE: source } });
    home.writeFile(".claude.json", {
      mcpServers: { a: from("user"), b: from("user"), c: from("user $JACKFIELD_TEST_PLACE") },
    });
    home.write({ a: from("project"), b: from("project") });
    const preset = claudeCode({});
    const mcp = await openMcp({
      ...preset,
      discover: { ...preset.discover, cwd: home.project, home: home.home, env: {} },
      approval: { folders: () => true },
      servers: { a: from("code") },
      cache: false,
    });
    try {
      const sourceOf = async (server: string) => {
        const { structuredContent } = await mcp.callTool({ server, tool: "environment" });
        return (structuredContent as { readonly SOURCE?: string } | undefined)?.SOURCE;
      };
      const sources = await Promise.all(["a", "b", "c"].map(sourceOf));
      expect(sources).toEqual(["code", "project", "user filled-in"]);
      const { structuredContent } = await mcp.callTool("mcp__a__environment");
      expect(structuredContent).toHaveProperty("JACKFIELD_TEST_PLACE"); // Children see the whole environment.
      expect(mcp.servers().find(({ name }) => name === "b")?.definedIn.scope).toBe("project");
    } finally {
      await mcp.close();
    }
  });

  it("restarts a crashed server, and gives up after at most five retries until reconnect()", async () => {
    using folder = temporaryFolder();
    const server = scriptedServer(folder, "s");
    const preset = claudeCode({});
    expect(preset.retry).toMatchObject({
      initialDelayMs: 1_000,
      factor: 2,
      maxDelayMs: 30_000,
      maxRetries: 5,
    });
    const mcp = await openMcp({
      ...preset,
      retry: { ...preset.retry, ...FAST },
      discover: false,
      servers: { s: server.definition },
      cache: false,
    });
    try {
      const pids = () => server.record().flatMap((one) => (one.event === "started" ? [one.pid] : []));
      const seen: string[] = [];
      mcp.on("statusChanged", ({ snapshot }) => seen.push(snapshot.status));
      process.kill(pids()[0] ?? 0, "SIGKILL");
      await vi.waitFor(() => expect(seen).toEqual(["backoff", "connecting", "ready"]));
      await mcp.callTool({ server: "s", tool: "echo" }, {});
      server.behave({ exitOn: "start" });
      process.kill(pids().at(-1) ?? 0, "SIGKILL");
      await vi.waitFor(() => expect(mcp.servers()).toMatchObject([{ status: "failed" }]));
      expect(pids().length).toBeLessThanOrEqual(2 + 5);
      server.behave({});
      await mcp.reconnect("s");
      expect(mcp.servers()).toMatchObject([{ status: "ready" }]);
    } finally {
      await mcp.close();
    }
  });

  it("[S5] detects a stopped server by its heartbeat and restarts it", async () => {
    using folder = temporaryFolder();
    const server = scriptedServer(folder, "s");
    const preset = claudeCode({});
    const mcp = await openMcp({
      ...preset,
      retry: { ...preset.retry, ...FAST, heartbeat: { intervalMs: 50, timeoutMs: 100 } },
      discover: false,
      servers: { s: server.definition },
      cache: false,
      limits: { closeTimeoutMs: 2_000 },
    });
    try {
      const events: string[] = [];
      mcp.on("unhealthy", ({ server: name }) => events.push(`${name} unhealthy`));
      mcp.on("statusChanged", ({ snapshot }) => events.push(`${snapshot.name} ${snapshot.status}`));
      const [started] = server.record();
      process.kill(started?.pid ?? 0, "SIGSTOP");
      await vi.waitFor(() => expect(events).toContain("s ready"));
      expect(events).toEqual(["s unhealthy", "s backoff", "s connecting", "s ready"]);
    } finally {
      await mcp.close();
    }
  });

  it("[S3] rejects pending calls on close, and does not retry an unsupported protocol version", async () => {
    using folder = temporaryFolder();
    const [server, old] = [scriptedServer(folder, "s"), scriptedServer(folder, "old")];
    server.behave({ silentOn: ["tools/call"] });
    old.behave({ protocolVersion: "1999-01-01" });
    const preset = claudeCode({});
    const mcp = await openMcp({
      ...preset,
      retry: { ...preset.retry, ...FAST },
      discover: false,
      servers: {
        s: server.definition,
        old: old.definition,
        inside: { server: () => createInProcessFaultServer() as never },
      },
      cache: false,
    });
    expect(mcp.servers()).toMatchObject([
      { name: "s", status: "ready" },
      { name: "old", status: "failed", error: { code: "MCP_PROTOCOL_UNSUPPORTED" } },
      { name: "inside", status: "ready", transport: "in-process" },
    ]);
    const received = () => server.record().flatMap((one) => (one.event === "received" ? [one.method] : []));
    const pending = mcp.callTool("mcp__s__echo", {});
    const ended: string[] = [];
    const refused = pending.catch((error) => {
      ended.push(error.code);
      expect(server.record().some(({ event }) => event === "ended")).toBe(false);
    });
    await vi.waitFor(() => expect(received()).toContain("tools/call"));
    await mcp.close();
    await refused;
    expect(ended).toEqual(["MCP_CLOSED"]);
    expect(old.record().filter(({ event }) => event === "started").length).toBeLessThanOrEqual(2);
  });

  it.each([
    [{}, 30_000, undefined, undefined],
    [{ MCP_TIMEOUT: "90000", MCP_TOOL_TIMEOUT: "5000" }, 90_000, 5_000, 600_000],
    [{ MCP_TOOL_TIMEOUT: "3600000" }, 30_000, 3_600_000, 3_600_000],
    [{ MCP_TIMEOUT: "0", MCP_TOOL_TIMEOUT: "" }, 30_000, undefined, undefined],
  ])("takes its time limits from the environment: %j", (env, connectTimeoutMs, callTimeoutMs, maxTotalMs) => {
    expect(claudeCode(env).limits).toEqual({ connectTimeoutMs, callTimeoutMs, maxTotalMs });
  });
});
