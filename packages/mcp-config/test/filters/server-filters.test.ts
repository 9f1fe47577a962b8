import type { ServerDefinition } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { blockOf, type ServerFilterOptions, serverFilters } from "../../src/find/server-filters.ts";
import { createServerAdmission, exaApiKey } from "../../src/index.ts";
import { http, stdio } from "../resolution.ts";

const named = (name: string, definition: ServerDefinition = stdio()): ServerDefinition => ({
  ...definition,
  name,
});
const NODE = named("files", stdio({ command: "node", args: ["server.js", "--root", "/"] }));
const DOCS = named("docs", http({ url: "https://Docs.example:8443/mcp/v1?x=1" }));

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockClear();
  process.on("unhandledRejection", unhandled);
});
afterEach(() => void process.off("unhandledRejection", unhandled));

function rejectedPromise(): Promise<never> {
  return Promise.reject(new Error("later"));
}

/** Node reports unhandled rejections after the microtasks, before the next immediate. */
function afterUnhandledRejections(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The name of the filter that blocks a server, if one does. */
function blockedBy(options: ServerFilterOptions, definition: ServerDefinition): string | undefined {
  return blockOf(serverFilters(options), definition)?.by;
}

describe("a server filter list", () => {
  test.each<[string, ServerFilterOptions, ServerDefinition, string | undefined]>([
    ["no list", {}, NODE, undefined],
    ["disabledServers", { disabledServers: ["files"] }, NODE, "disabledServers"],
    [
      "disabledServers beats enabledServers",
      { disabledServers: ["files"], enabledServers: ["files"] },
      NODE,
      "disabledServers",
    ],
    ["disabledServers with another name", { disabledServers: ["file"] }, NODE, undefined],
    ["enabled: false in the file", {}, { ...NODE, enabled: false }, "disabled"],
    [
      "enabledServers beats enabled: false in the file",
      { enabledServers: ["files"] },
      { ...NODE, enabled: false },
      undefined,
    ],
    ["deny by name", { deny: [{ name: "fil*" }] }, NODE, "deny"],
    ["deny by exact command line", { deny: [{ argv: ["node", "server.js", "--root", "/"] }] }, NODE, "deny"],
    ["deny by only a part of a command line", { deny: [{ argv: ["node", "server.js"] }] }, NODE, undefined],
    [
      "deny by URL, whatever the case of its host",
      { deny: [{ url: "https://docs.EXAMPLE:8443/mcp/*" }] },
      DOCS,
      "deny",
    ],
    [
      "deny by a URL with another path",
      { deny: [{ url: "https://docs.example:8443/MCP/*" }] },
      DOCS,
      undefined,
    ],
    [
      "deny by a URL without a star, which is the whole URL",
      { deny: [{ url: "https://docs.example:8443/mcp" }] },
      DOCS,
      undefined,
    ],
    ["allow by name", { allow: [{ name: "files" }] }, NODE, undefined],
    ["allow of another server", { allow: [{ name: "docs" }] }, NODE, "allow"],
    ["an empty allow", { allow: [] }, NODE, "allow"],
    ["deny beats allow", { allow: [{ name: "files" }], deny: [{ name: "files" }] }, NODE, "deny"],
    [
      "allow by name does not suffice once command lines are listed",
      { allow: [{ name: "files" }, { argv: ["x"] }] },
      NODE,
      "allow",
    ],
    ["allow by command line", { allow: [{ argv: ["node", "server.js", "--root", "/"] }] }, NODE, undefined],
    [
      "allow by URL does not restrict stdio servers",
      { allow: [{ name: "files" }, { url: "https://x/*" }] },
      NODE,
      undefined,
    ],
    ["allow by URL", { allow: [{ url: "https://docs.example:8443/*" }] }, DOCS, undefined],
    ["allow by a URL with another port", { allow: [{ url: "https://docs.example/*" }] }, DOCS, "allow"],
  ])("%s", (_what, options, definition, by) => {
    expect(blockedBy(options, definition)).toBe(by);
  });

  test("names the host's list that switched a server off", () => {
    const definition = { ...NODE, enabled: false, disabledBy: "mcp.excluded" };
    expect(blockOf(serverFilters(), definition)?.reason).toContain('"mcp.excluded"');
  });

  test("does not allow a URL whose host is a reference", () => {
    const hidden = named("s", http({ url: "https://${HOST}/mcp" }));
    expect(blockedBy({ allow: [{ url: "https://good.example/*" }] }, hidden)).toBe("allow");
  });
});

describe("a custom filter", () => {
  const more = [
    {
      name: "no-shells",
      block: (server: ServerDefinition) => (server.name === "sh" ? "it is a shell" : undefined),
    },
  ];

  test("is named as the blocker, with its reason", () => {
    expect(blockOf(serverFilters({ more }), named("sh"))).toEqual({
      by: "no-shells",
      reason: "it is a shell",
    });
    expect(blockOf(serverFilters({ more }), named("x"))).toBeUndefined();
  });

  test("that throws blocks the server", () => {
    const broken = [{ name: "broken", block: () => JSON.parse("{") }];
    expect(blockOf(serverFilters({ more: broken }), NODE)).toMatchObject({ by: "broken" });
  });

  test("that returns a promise blocks the server and leaves no unhandled rejection", async () => {
    const rejected = rejectedPromise();
    const late = [{ name: "late", block: () => rejected as unknown as undefined }];
    expect(blockOf(serverFilters({ more: late }), NODE)).toEqual({
      by: "late",
      reason: "the filter failed, so the server is not used",
    });
    await afterUnhandledRejections();
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("Exa search servers", () => {
  test.each<[string, ServerDefinition, boolean]>([
    ["by name", named("EXA"), true],
    ["by url", http({ url: "https://mcp.exa.ai/mcp" }), true],
    ["by argument", stdio({ args: ["-y", "mcp-remote", "https://mcp.exa.ai/mcp?exaApiKey=k"] }), true],
    ["with only the search tool", http({ url: "https://mcp.exa.ai/mcp?tools=WEB_search_exa" }), true],
    [
      "not with another tool in the url",
      http({ url: "https://mcp.exa.ai/mcp?tools=web_search_exa,crawling_exa" }),
      false,
    ],
    ["not with another tool as an option", named("exa", stdio({ args: ["--tools", "crawling_exa"] })), false],
    [
      "not with another tool within an option",
      named("exa", stdio({ args: ["--tools=crawling_exa"] })),
      false,
    ],
    ["not by a longer name", named("exact"), false],
  ])("are blocked if the host replaces them: %s", (_what, definition, isReplaced) => {
    expect(blockedBy({ exa: true }, definition)).toBe(isReplaced ? "exa" : undefined);
    expect(blockedBy({}, definition)).toBeUndefined();
  });

  test.each<[string, ServerDefinition, string | undefined]>([
    ["the url", http({ url: "https://mcp.exa.ai/mcp?exaApiKey=k%2D1&tools=x" }), "k-1"],
    ["an argument", stdio({ args: ["https://mcp.exa.ai/mcp?exaApiKey=k-2"] }), "k-2"],
    ["env", named("exa", stdio({ env: { EXA_API_KEY: "k-3" } })), "k-3"],
    [
      "the url before env",
      http({ url: "https://mcp.exa.ai/?exaApiKey=k-4", env: { EXA_API_KEY: "k-3" } }),
      "k-4",
    ],
    ["nowhere if there is none", named("exa"), undefined],
    ["nowhere if it is empty", named("exa", stdio({ env: { EXA_API_KEY: "" } })), undefined],
  ])("give their API key from %s", (_where, definition, key) => {
    expect(exaApiKey(definition)).toBe(key);
  });
});

describe("browser servers", () => {
  test.each<[string, ServerDefinition, boolean]>([
    ["by name", named("Playwright"), true],
    ["by url", http({ url: "https://mcp.BrowserBase.com/sse" }), true],
    ["by package", stdio({ args: ["-y", "@playwright/mcp@latest"] }), true],
    ["by command", stdio({ command: "/usr/bin/browser-use-mcp" }), true],
    ["not by a longer name", named("browsers"), false],
  ])("are blocked if the host has a browser: %s", (_what, definition, isBrowser) => {
    expect(blockedBy({ browser: true }, definition)).toBe(isBrowser ? "browser" : undefined);
  });

  test("are blocked if the browser option returns a promise, without an unhandled rejection", async () => {
    const browser = () => rejectedPromise() as unknown as boolean;
    expect(blockedBy({ browser }, named("browser"))).toBe("browser");
    expect(blockedBy({ browser }, NODE)).toBeUndefined();
    await afterUnhandledRejections();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("are admitted once the host has no browser of its own", async () => {
    let hasBrowser = true;
    const { admit } = createServerAdmission({ filters: { browser: () => hasBrowser } });
    expect(await admit(named("browser"))).toMatchObject({ block: { by: "browser" }, ownsName: true });
    hasBrowser = false;
    expect(await admit(named("browser"))).toMatchObject({ definition: { name: "browser" } });
  });
});
