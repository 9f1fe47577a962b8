import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";
import { checkOptions } from "../src/option-shapes.ts";

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
    [{ cwd: 5 }, 'Option "cwd" must be a string, not this number.'],
    [{ principal: "" }, 'Option "principal" must be a string that is not empty, not this string.'],
    [{ cache: null }, 'Option "cache" must be an object such as { path }, a ToolCache or false, not null.'],
    [
      { cache: true },
      'Option "cache" must be an object such as { path }, a ToolCache or false, not this boolean.',
    ],
    [{ cache: { path: 5 } }, 'Option "cache.path" must be a string that is not empty, not this number.'],
    [{ cache: { path: "" } }, 'Option "cache.path" must be a string that is not empty, not this string.'],
    [
      { cache: { busyTimeoutMs: -1 } },
      'Option "cache.busyTimeoutMs" must be a finite number of at least 0, not this number.',
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
    [{ use: null }, 'Option "use" must be a list of functions, not null.'],
    [{ toolPolicies: [{}] }, 'Option "toolPolicies" must be a list of functions, not this list.'],
    [{ retry: null }, 'Option "retry" must be an object, not null.'],
    [{ signal: {} }, 'Option "signal" must be an AbortSignal, not this object.'],
    [{ trust: true }, 'Option "trust" must be a function, not this boolean.'],
    [{ discover: { order: "x" } }, 'Option "discover.order" must be a list of strings, not this string.'],
    [{ guards: { lock: 5 } }, 'Option "guards.lock" must be a string, not this number.'],
    [
      { guards: { limits: { store: "x" } } },
      'Option "guards.limits.store" must be a ResultStore, not this string.',
    ],
    [{ guards: { pins: {} } }, 'Option "guards.pins" must be ToolPins, not this object.'],
    [{ auth: { headers: {} } }, 'Option "auth" must be an AuthPort, not this object.'],
    [{ clientInfo: {} }, 'Option "clientInfo" must be an object with a name and a version, not this object.'],
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
    const error = await rejection({ cache: false, log: "sk-planted", approvals: { token: "sk-planted" } });
    expect(JSON.stringify(error)).not.toContain("sk-planted");
  });

  it("may contain undefined values, class instances and unknown names", () => {
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
      checkOptions({
        cwd: undefined,
        startup: { uncached: undefined },
        approvals: new Store(),
        filters: {
          deny: [{ name: "a*" }, { url: "https://a/*" }, { argv: ["a", "b"] }],
          allow: [],
          more: [new Filter()],
        },
        guards: { limits: { servers: { a: { maxResultChars: 5 } }, store: { save: async () => undefined } } },
        signal,
        more: 1,
      }),
    ).not.toThrow();
  });

  it("a missing lock file has its own error code", async () => {
    const error = await rejection({ cache: false, discover: false, guards: { lock: "/nowhere/mcp.lock" } });
    expect(error).toMatchObject({ code: "MCP_CONFIG_NOT_FOUND" });
  });
});
