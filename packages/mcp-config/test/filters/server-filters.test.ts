import type { ServerDefinition } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { blockOf, type ServerFilterOptions, serverFilters } from "../../src/filters/server-filters.ts";
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

/** Node tells of them when it is done with the microtasks, before anything else runs. */
function unhandledRejectionsTold(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Which filter keeps a server out, if one does. */
function keptOutBy(options: ServerFilterOptions, definition: ServerDefinition): string | undefined {
  return blockOf(serverFilters(options), definition)?.by;
}

describe("a list", () => {
  test.each<[string, ServerFilterOptions, ServerDefinition, string | undefined]>([
    ["nothing", {}, NODE, undefined],
    ["disabledServers", { disabledServers: ["files"] }, NODE, "disabledServers"],
    [
      "disabledServers against enabledServers",
      { disabledServers: ["files"], enabledServers: ["files"] },
      NODE,
      "disabledServers",
    ],
    ["another name", { disabledServers: ["file"] }, NODE, undefined],
    ["a switch in the file", {}, { ...NODE, enabled: false }, "disabled"],
    [
      "enabledServers against the switch",
      { enabledServers: ["files"] },
      { ...NODE, enabled: false },
      undefined,
    ],
    ["deny by name", { deny: [{ name: "fil*" }] }, NODE, "deny"],
    ["deny by exact command line", { deny: [{ argv: ["node", "server.js", "--root", "/"] }] }, NODE, "deny"],
    ["deny by part of a command line", { deny: [{ argv: ["node", "server.js"] }] }, NODE, undefined],
    [
      "deny by URL, whatever the case of its host",
      { deny: [{ url: "https://docs.EXAMPLE:8443/mcp/*" }] },
      DOCS,
      "deny",
    ],
    ["deny by URL of another path", { deny: [{ url: "https://docs.example:8443/MCP/*" }] }, DOCS, undefined],
    [
      "a URL without a star is the whole URL",
      { deny: [{ url: "https://docs.example:8443/mcp" }] },
      DOCS,
      undefined,
    ],
    ["allow", { allow: [{ name: "files" }] }, NODE, undefined],
    ["allow of others", { allow: [{ name: "docs" }] }, NODE, "allow"],
    ["an empty allow", { allow: [] }, NODE, "allow"],
    ["deny beats allow", { allow: [{ name: "files" }], deny: [{ name: "files" }] }, NODE, "deny"],
    [
      "allow by name does not do once command lines are listed",
      { allow: [{ name: "files" }, { argv: ["x"] }] },
      NODE,
      "allow",
    ],
    ["allow by command line", { allow: [{ argv: ["node", "server.js", "--root", "/"] }] }, NODE, undefined],
    [
      "allow by URL says nothing of processes",
      { allow: [{ name: "files" }, { url: "https://x/*" }] },
      NODE,
      undefined,
    ],
    ["allow by URL", { allow: [{ url: "https://docs.example:8443/*" }] }, DOCS, undefined],
    ["a URL that begins alike", { allow: [{ url: "https://docs.example/*" }] }, DOCS, "allow"],
  ])("%s", (_what, options, definition, by) => {
    expect(keptOutBy(options, definition)).toBe(by);
  });

  test("names the list of the host that switched a server off", () => {
    const definition = { ...NODE, enabled: false, disabledBy: "mcp.excluded" };
    expect(blockOf(serverFilters(), definition)?.reason).toContain('"mcp.excluded"');
  });

  test("cannot be fooled by a variable: what is compared is what is written", () => {
    const hidden = named("s", http({ url: "https://${HOST}/mcp" }));
    expect(keptOutBy({ allow: [{ url: "https://good.example/*" }] }, hidden)).toBe("allow");
  });
});

describe("a filter of the caller's own", () => {
  const more = [
    {
      name: "no-shells",
      block: (server: ServerDefinition) => (server.name === "sh" ? "it is a shell" : undefined),
    },
  ];

  test("is named in the report, with its reason", () => {
    expect(blockOf(serverFilters({ more }), named("sh"))).toEqual({
      by: "no-shells",
      reason: "it is a shell",
    });
    expect(blockOf(serverFilters({ more }), named("x"))).toBeUndefined();
  });

  test("that fails keeps the server out", () => {
    const broken = [{ name: "broken", block: () => JSON.parse("{") }];
    expect(blockOf(serverFilters({ more: broken }), NODE)).toMatchObject({ by: "broken" });
  });

  test("that is asynchronous keeps the server out, whatever comes of it, and does not end the process", async () => {
    const rejected = rejectedPromise();
    const late = [{ name: "late", block: () => rejected as unknown as undefined }];
    expect(blockOf(serverFilters({ more: late }), NODE)).toEqual({
      by: "late",
      reason: "the filter failed, so the server is not used",
    });
    await unhandledRejectionsTold();
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("search servers that the host replaces", () => {
  test.each<[string, ServerDefinition, boolean]>([
    ["the name", named("EXA"), true],
    ["the url", http({ url: "https://mcp.exa.ai/mcp" }), true],
    ["an argument", stdio({ args: ["-y", "mcp-remote", "https://mcp.exa.ai/mcp?exaApiKey=k"] }), true],
    ["its own tool", http({ url: "https://mcp.exa.ai/mcp?tools=WEB_search_exa" }), true],
    [
      "another tool in the url",
      http({ url: "https://mcp.exa.ai/mcp?tools=web_search_exa,crawling_exa" }),
      false,
    ],
    ["another tool as an option", named("exa", stdio({ args: ["--tools", "crawling_exa"] })), false],
    ["another tool in an option", named("exa", stdio({ args: ["--tools=crawling_exa"] })), false],
    ["another server", named("exact"), false],
  ])("are known by %s", (_what, definition, isReplaced) => {
    expect(keptOutBy({ exa: true }, definition)).toBe(isReplaced ? "exa" : undefined);
    expect(keptOutBy({}, definition)).toBeUndefined();
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
    ["nowhere", named("exa"), undefined],
    ["an empty one", named("exa", stdio({ env: { EXA_API_KEY: "" } })), undefined],
  ])("give their key from %s", (_where, definition, key) => {
    expect(exaApiKey(definition)).toBe(key);
  });
});

describe("browser servers", () => {
  test.each<[string, ServerDefinition, boolean]>([
    ["a name", named("Playwright"), true],
    ["a url", http({ url: "https://mcp.BrowserBase.com/sse" }), true],
    ["a package", stdio({ args: ["-y", "@playwright/mcp@latest"] }), true],
    ["a command", stdio({ command: "/usr/bin/browser-use-mcp" }), true],
    ["nothing of a browser", named("browsers"), false],
  ])("are known by %s", (_what, definition, isBrowser) => {
    expect(keptOutBy({ browser: true }, definition)).toBe(isBrowser ? "browser" : undefined);
  });

  test("are kept out by a function that answers a promise, which may reject without ending the process", async () => {
    const browser = () => rejectedPromise() as unknown as boolean;
    expect(keptOutBy({ browser }, named("browser"))).toBe("browser");
    expect(keptOutBy({ browser }, NODE)).toBeUndefined();
    await unhandledRejectionsTold();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("come back when the host switches its own browser off", async () => {
    let hasBrowser = true;
    const { admit } = createServerAdmission({ filters: { browser: () => hasBrowser } });
    expect(await admit(named("browser"))).toMatchObject({ block: { by: "browser" }, ownsName: true });
    hasBrowser = false;
    expect(await admit(named("browser"))).toMatchObject({ definition: { name: "browser" } });
  });
});
