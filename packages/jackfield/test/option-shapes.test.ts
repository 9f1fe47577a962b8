import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";
import { checkOpenOptions } from "../src/option-shapes.ts";

useLeakCheck();

const rejection = (options: unknown) =>
  openMcp(options as OpenMcpOptions).then(
    async (mcp) => {
      await mcp.close();
      return "opened";
    },
    (error: unknown) => error,
  );

describe("options from untyped code", () => {
  it.each([
    [{ cwd: 5 }, 'Option "cwd" must be a string, not 5.'],
    [
      { principal: "" },
      'Option "principal" must be a string that is not empty: no principal stands for the owner, not this string.',
    ],
    [{ cache: null }, 'Option "cache" must be an object such as { path }, a ToolCache or false, not null.'],
    [
      { cache: true },
      'Option "cache" must be an object such as { path }, a ToolCache or false, not this boolean.',
    ],
    [{ cache: { path: 5 } }, 'Option "cache.path" must be a string that is not empty, not 5.'],
    [{ cache: { path: "" } }, 'Option "cache.path" must be a string that is not empty, not this string.'],
    [
      { cache: { busyTimeoutMs: -1 } },
      'Option "cache.busyTimeoutMs" must be a finite number of at least 0, not -1.',
    ],
    [{ limits: null }, 'Option "limits" must be an object, not null.'],
    [{ startup: null }, 'Option "startup" must be an object, not null.'],
    [
      { startup: { uncached: "never" } },
      'Option "startup.uncached" must be "wait" or "later", not this string.',
    ],
    [
      { startup: { failures: "explode" } },
      'Option "startup.failures" must be "keep", "drop" or "throw", not this string.',
    ],
    [{ filters: null }, 'Option "filters" must be an object, not null.'],
    [
      { filters: { deny: "x" } },
      'Option "filters.deny" must be a list of { name }, { url } or { argv: [...] }, not this string.',
    ],
    [{ filters: { more: [{}] } }, 'Option "filters.more" must be a list of { name, block }, not this list.'],
    [
      { filters: { more: [{ name: "a", block: "x" }] } },
      'Option "filters.more" must be a list of { name, block }, not this list.',
    ],
    [{ use: null }, 'Option "use" must be a list of functions, or { middleware, policy }, not null.'],
    [{ use: [{}] }, 'Option "use" must be a list of functions, or { middleware, policy }, not this list.'],
    [{ retry: null }, 'Option "retry" must be an object, not null.'],
    [{ signal: {} }, 'Option "signal" must be an AbortSignal, not this object.'],
    [{ approval: { folders: true } }, 'Option "approval.folders" must be a function, not this boolean.'],
    [{ discover: { order: "x" } }, 'Option "discover.order" must be a list of strings, not this string.'],
    [{ guards: { pins: 5 } }, 'Option "guards.pins" must be a string or ToolPins, not 5.'],
    [
      { guards: { limits: { store: "x" } } },
      'Option "guards.limits.store" must be a ResultStore, not this string.',
    ],
    [{ guards: { pins: {} } }, 'Option "guards.pins" must be a string or ToolPins, not this object.'],
    [{ auth: { headers: {} } }, 'Option "auth" must be an AuthPort, not this object.'],
    [
      { connect: { clientInfo: {} } },
      'Option "connect.clientInfo" must be an object with a name and a version, not this object.',
    ],
    [{ approval: { calls: "sometimes" } }, expect.stringContaining('"sometimes"')],
    [null, "The options must be an object, not null."],
    ["x", "The options must be an object, not this string."],
  ])("%j are refused", async (options, message) => {
    const cannotBeRight =
      options === null || typeof options === "string" ? options : { cache: false, ...options };
    expect(await rejection(cannotBeRight)).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message,
      phase: "config",
    });
  });

  it.each([
    { nmae: "d" },
    {},
    { argv: "x" },
    { argv: [5] },
    { url: 5 },
    { name: "d", argv: ["x"] },
    "d",
    null,
  ])("%j as a filter pattern is refused", async (pattern) => {
    for (const list of ["allow", "deny"])
      expect(await rejection({ cache: false, filters: { [list]: [{ name: "a" }, pattern] } })).toMatchObject({
        code: "MCP_CONFIG_INVALID",
        message: `Option "filters.${list}" must be a list of { name }, { url } or { argv: [...] }, not this list.`,
      });
  });

  it.each([null, { d: null }, [], "x"])("%j as limits by server is refused", async (servers) => {
    expect(await rejection({ cache: false, guards: { limits: { servers } } })).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining('"guards.limits.servers" must be an object of limits by server, not '),
    });
  });

  it("are not repeated in the error", async () => {
    const error = await rejection({
      cache: false,
      log: "sk-planted",
      approval: { store: { token: "sk-planted" } },
    });
    expect(JSON.stringify(error)).not.toContain("sk-planted");
  });

  it("may contain undefined values and class instances", () => {
    class Store {
      get() {}
      set() {}
      delete() {}
      keys() {}
    }
    class Filter {
      name = "none";
      block() {}
    }
    const { signal } = new AbortController();
    expect(() =>
      checkOpenOptions({
        cwd: undefined,
        startup: { uncached: undefined },
        approval: { store: new Store() },
        filters: {
          deny: [{ name: "a*" }, { url: "https://a/*" }, { argv: ["a", "b"] }],
          allow: [],
          more: [new Filter()],
        },
        guards: { limits: { servers: { a: { maxResultChars: 5 } }, store: { save: async () => undefined } } },
        signal,
      }),
    ).not.toThrow();
  });

  it.each([
    [{ mcpServers: {} }, 'Option "mcpServers" does not exist; did you mean "servers"?'],
    [{ server: {} }, 'did you mean "servers"?'],
    [{ configFile: "a" }, 'did you mean "configFiles"?'],
    [{ hosts: "all" }, 'did you mean "discover.hosts"?'],
    [{ maxResultChars: 5 }, 'did you mean "guards.limits.maxResultChars"?'],
    [{ guards: { limit: {} } }, 'Option "guards.limit" does not exist; did you mean "guards.limits"?'],
    [{ guards: { limits: { maxChars: 5 } } }, 'did you mean "guards.limits.maxResultChars"?'],
    [{ limits: { maxResultChars: 5 } }, 'Option "limits.maxResultChars" does not exist; '],
    [{ retry: { maxAttempts: 5 } }, 'Option "retry.maxAttempts" does not exist; '],
    [{ startup: { gate: 5 } }, 'did you mean "startup.gateMs"?'],
    [{ discover: { host: "all" } }, 'did you mean "discover.hosts"?'],
    [{ cache: { dir: "x" } }, 'Option "cache.dir" does not exist; there are busyTimeoutMs, maxBytes, path.'],
    [{ http: { tls: { certificate: "x" } } }, 'did you mean "http.tls.cert"?'],
    [{ handlers: { elicitation: () => {} } }, 'did you mean "handlers.elicit"?'],
    [{ approval: { server: () => true } }, 'did you mean "approval.servers"?'],
    [{ approval: { calls: { servers: {}, rest: true } } }, '"rest"'],
    [{ timeouts: 5 }, 'Option "timeouts" does not exist; there are approval, auth, cache, '],
  ])("an unknown one is refused, with the one that was meant: %j", async (options, said) => {
    const given = { cache: false, discover: false, ...options };
    expect(await rejection(given)).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining(said),
    });
  });

  it.each([
    [{ approve: () => true }, 'Option "approve" does not exist; use "approval.servers".'],
    [{ approvals: {} }, 'use "approval.store".'],
    [{ trust: () => true }, 'use "approval.folders".'],
    [{ projectVariables: [] }, 'use "approval.projectVariables".'],
    [{ requiresApproval: true }, 'use "approval.calls".'],
    [{ approval: { rule: "always" } }, 'Option "approval.rule" does not exist; use "approval.calls".'],
    [{ guards: { lock: "mcp.lock" } }, 'use "guards.pins".'],
    [{ guards: { trace: true } }, 'use "telemetry".'],
    [{ toolPolicies: [] }, 'use "use", with { policy } in its list.'],
    [{ clientInfo: {} }, 'use "connect.clientInfo".'],
    [{ missingVariable: "empty" }, 'use "resolve.missingVariable".'],
    [{ inputs: {} }, 'use "resolve.inputs".'],
    [{ runCommands: true }, 'use "resolve.runCommands".'],
    [{ idleTimeoutMs: 1 }, 'use "limits.idleTimeoutMs".'],
    [{ toolPollIntervalMs: 1 }, 'use "limits.toolPollIntervalMs".'],
    [{ resourceUpdateQuietMs: 1 }, 'use "limits.resourceUpdateQuietMs".'],
    [{ closeTimeoutMs: 1 }, 'use "limits.closeTimeoutMs".'],
    [{ heartbeat: {} }, 'use "retry.heartbeat".'],
  ])("one of an earlier version is refused, with its name now: %j", async (options, said) => {
    expect(await rejection({ cache: false, ...options })).toMatchObject({
      message: expect.stringContaining(said),
    });
  });

  it("a missing lock file has its own error code", async () => {
    const error = await rejection({ cache: false, discover: false, guards: { pins: "/nowhere/mcp.lock" } });
    expect(error).toMatchObject({ code: "MCP_CONFIG_NOT_FOUND" });
  });
});
