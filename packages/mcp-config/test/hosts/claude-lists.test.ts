import type { DefinedIn } from "@jackfield/mcp-core";
import { beforeEach, describe, expect, test } from "vitest";
import type { ConfigDiagnostic } from "../../src/diagnostic-codes.ts";
import { readClaudeLists } from "../../src/hosts/claude-lists.ts";
import type { FindingContext, HostDocument } from "../../src/hosts/host-dialect.ts";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { SPELLINGS } from "../url-spellings.ts";

const homeWith = useHomeFolder();
const CONTEXT: FindingContext = {
  folders: ["/p"],
  isStandaloneFile: false,
  platform: "linux",
  env: { KNOWN: "known", HOST: "Evil.com", PATHS: "/a/b" },
  remark: () => {},
};

describe("Claude Code's lists of allowed and denied servers", () => {
  const managed = dialectOf("claude-code")?.files.find(({ kind }) => kind === "managed");

  test("the administrator's MCP file has the exclusive scope", () => {
    expect(managed?.scope).toBe("managed");
    expect(dialectOf("claude-code")?.exclusiveScope).toBe("managed");
  });

  const reports: ConfigDiagnostic[] = [];
  beforeEach(() => void reports.splice(0));

  function verdicts(
    settings: object,
    subjects: { [name: string]: object },
    scope: HostDocument["scope"] = "managed",
    definedIn: DefinedIn = { scope: "user" },
    context = CONTEXT,
  ) {
    const document: HostDocument = { kind: "managed-settings", scope, content: { ...settings } };
    const verdictOf = readClaudeLists([document], context, (told) => reports.push(told));
    return Object.entries(subjects).map(([name, written]) => {
      const server = {
        enabled: true,
        transport: "url" in written ? ("http" as const) : ("stdio" as const),
        ...written,
      };
      return verdictOf({ name, kind: "user", definedIn, written: server })?.disabledBy;
    });
  }

  const npx = { command: "npx", args: ["-y", "a"] };
  const hub = { url: "https://API.example.com/mcp" };
  const DENIED = "deniedMcpServers";
  const ALLOWED = "allowedMcpServers";

  test.each<[string, object, (string | undefined)[]]>([
    ["no list", {}, [undefined, undefined]],
    ["an empty allowlist", { allowedMcpServers: [] }, [ALLOWED, ALLOWED]],
    ["an allowed name", { allowedMcpServers: [{ serverName: "npx" }] }, [undefined, ALLOWED]],
    [
      "an allowed command line",
      { allowedMcpServers: [{ serverCommand: ["npx", "-y", "a"] }] },
      [undefined, ALLOWED],
    ],
    [
      "an allowed command line that differs, beside allowed names",
      { allowedMcpServers: [{ serverCommand: ["npx", "-y"] }, { serverName: "npx" }, { serverName: "hub" }] },
      [ALLOWED, undefined],
    ],
    [
      "an allowed url with stars",
      { allowedMcpServers: [{ serverUrl: "https://*.EXAMPLE.com/*" }] },
      [ALLOWED, undefined],
    ],
    [
      "an allowed url with another path",
      { allowedMcpServers: [{ serverUrl: "https://api.example.com/MCP" }] },
      [ALLOWED, ALLOWED],
    ],
    ["a denied name", { deniedMcpServers: [{ serverName: "npx" }] }, [DENIED, undefined]],
    [
      "a denied url beside allowed names",
      {
        deniedMcpServers: [{ serverUrl: "*" }],
        allowedMcpServers: [{ serverName: "hub" }, { serverName: "npx" }],
      },
      [undefined, DENIED],
    ],
    [
      "lines that cannot be read beside one that can",
      {
        deniedMcpServers: [
          null,
          {},
          { serverName: "hub", serverUrl: "*" },
          { serverName: 1 },
          { serverCommand: ["a", 1] },
          { serverCommand: [] },
          { serverName: "npx" },
        ],
      },
      [DENIED, undefined],
    ],
  ])("are applied: %s", (_what, settings, expected) => {
    expect(verdicts(settings, { npx, hub })).toEqual(expected);
    expect(reports).toHaveLength(_what.startsWith("lines that cannot be read") ? 6 : 0);
  });

  test.each(SPELLINGS)("deny every spelling of a url, and allow only the listed one: %j", (url) => {
    const lines = [{ serverUrl: "https://evil.example/mcp" }];
    expect(verdicts({ [DENIED]: lines }, { server: { url } })).toEqual([DENIED]);
    const isAsListed = url.toLowerCase() === "https://evil.example/mcp";
    expect(verdicts({ [ALLOWED]: lines }, { server: { url } })).toEqual([isAsListed ? undefined : ALLOWED]);
  });

  test("from a project can deny but not allow", () => {
    const settings = { allowedMcpServers: [], deniedMcpServers: [{ serverName: "hub" }] };
    expect(verdicts(settings, { npx, hub }, "project")).toEqual([undefined, DENIED]);
  });

  const evil = (url: string) => ({ [DENIED]: [{ serverUrl: url }] });
  const bad = { [DENIED]: [{ serverCommand: ["npx", "bad"] }] };
  const npxOf = (text: string) => ({ command: "npx", args: [text] });

  test.each<[string, object, object, boolean]>([
    ["a default", evil("https://evil.com/*"), { url: "${U:-https://evil.com}/mcp" }, true],
    ["a harmless default", evil("https://evil.com/*"), { url: "${U:-https://ok.com}/mcp" }, false],
    ["a variable", evil("https://evil.com/*"), { url: "https://${HOST}/mcp" }, true],
    [
      "a variable after an upper-case scheme",
      evil("https://evil.com/*"),
      { url: "HTTPS://${HOST}/mcp" },
      true,
    ],
    ["a harmless variable", evil("https://evil.com/*"), { url: "https://${KNOWN}/mcp" }, false],
    ["an unset variable", evil("https://evil.com/*"), { url: "https://${UNSET}/mcp" }, true],
    [
      "an unset variable directly behind another host",
      evil("https://evil.com/*"),
      { url: "https://ok${UNSET}" },
      true,
    ],
    [
      "an unset variable in the path of another host",
      evil("https://evil.com/*"),
      { url: "https://ok/${UNSET}" },
      false,
    ],
    [
      "an unset variable before a part that may become a fragment",
      evil("*/evil"),
      { url: "https://${UNSET}/ok" },
      true,
    ],
    [
      "an unset variable in the query of another path",
      evil("https://evil.com/x*"),
      { url: "https://evil.com/y?${U}" },
      false,
    ],
    ["another spelling of a known host", evil("https://evil.com/*"), { url: "https://u@${HOST}:443" }, true],
    [
      "another spelling before a variable",
      evil("https://evil.com/*"),
      { url: "https://evil.com.\\${U}" },
      true,
    ],
    [
      "an unset variable at the start of a url",
      evil("https://evil.com/x"),
      { url: "${UNSET}EVIL.com/x" },
      true,
    ],
    ["an unset variable before another path", evil("https://evil.com/x"), { url: "${UNSET}/y" }, true],
    [
      "a variable of its own env",
      evil("https://evil.com/*"),
      { url: "${U}/", env: { U: "https://evil.com" } },
      true,
    ],
    [
      "a variable of its own env that refers to another",
      evil("https://evil.com/*"),
      { url: "${U}/", env: { U: "${V}" } },
      true,
    ],
    [
      "a harmless variable of its own env",
      evil("https://evil.com/*"),
      { url: "${U}/", env: { U: "https://ok" } },
      false,
    ],
    [
      "a credential's variable, which is empty",
      evil("https://evil.com/*"),
      { url: "https://evil${NPM_TOKEN}.com/" },
      true,
    ],
    ["a default in an argument", bad, npxOf("${PKG:-bad}"), true],
    ["a variable in an argument", bad, npxOf("${KNOWN}"), false],
    ["an unset variable in an argument", bad, npxOf("b${UNSET}"), true],
    ["an unset variable in another argument", bad, npxOf("good${UNSET}"), false],
    ["a dollar name, which is no reference", bad, npxOf("$UNSET"), false],
    ["an unset variable in the command", bad, { command: "${UNSET}", args: ["bad"] }, true],
    ["an unset variable beside another argument", bad, { command: "${UNSET}", args: ["good"] }, false],
    [
      "a list line that contains the reference",
      { [DENIED]: [{ serverCommand: ["npx", "${KNOWN}"] }] },
      npxOf("${KNOWN}"),
      true,
    ],
  ])("deny a server if its references may lead to a denied one: %s", (_what, settings, server, isOff) => {
    expect(verdicts(settings, { server })).toEqual([isOff ? DENIED : undefined]);
  });

  test.each<[string, object, boolean]>([
    ["a default", { url: "${U:-https://ok.com}/mcp" }, true],
    ["a variable", { url: "https://ok.com${PATHS}" }, true],
    ["another default", { url: "${U:-https://evil.com}/mcp" }, false],
    ["an unset variable under a star", { url: "https://OK.com/${UNSET}/mcp" }, true],
    ["an unset variable in the host", { url: "https://${UNSET}ok.com/mcp" }, false],
    ["an unset variable at the end of the host", { url: "https://ok.com${UNSET}/mcp" }, false],
    ["an unset variable in place of a required part", { url: "https://end.com/${UNSET}" }, false],
    ["an unset variable before a required part", { url: "https://end.com/${UNSET}/end" }, true],
    ["a default in an argument", npxOf("${PKG:-good}"), true],
    ["an unset variable in an argument", npxOf("${UNSET}"), false],
    ["a reference that a list line contains", npxOf("${KNOWN}"), false],
  ])("allow a server only if its references surely lead to an allowed one: %s", (_what, server, isOn) => {
    const lines = [
      { serverUrl: "https://ok.com/*" },
      { serverUrl: "https://end.com/*/end" },
      { serverCommand: ["npx", "good"] },
      { serverCommand: ["npx", "${KNOWN}"] },
    ];
    expect(verdicts({ [ALLOWED]: lines }, { server })).toEqual([isOn ? undefined : ALLOWED]);
  });

  test("treat a project's variable as possibly unset, so its default counts too", () => {
    const subjects = { set: { url: "${KNOWN:-https://evil.com}/" }, unset: { url: "${U:-https://ok.com}/" } };
    const definedIn = { scope: "project" } as const;
    expect(verdicts(evil("https://evil.com/*"), subjects, "managed", definedIn)).toEqual([DENIED, undefined]);
  });

  test("treat every variable as unknown if there is no environment", () => {
    const context = { ...CONTEXT, env: undefined };
    const subjects = { server: { url: "${U:-https://ok.com}/" } };
    const definedIn = { scope: "user" } as const;
    expect(verdicts(evil("https://evil.com/*"), subjects, "managed", definedIn, context)).toEqual([DENIED]);
  });

  test("fill in the plugin root, and let one input stand for several arguments", () => {
    const definedIn = { scope: "extension", root: "/plugins/p" } as const;
    const server = { command: "${CLAUDE_PLUGIN_ROOT}/run", args: ["${user_config.key}"] };
    const settings = (program: string) => ({ [DENIED]: [{ serverCommand: [program, "a", "b"] }] });
    expect(verdicts(settings("/plugins/p/run"), { server }, "managed", definedIn)).toEqual([DENIED]);
    expect(verdicts(settings("/plugins/q/run"), { server }, "managed", definedIn)).toEqual([undefined]);
    const asked = { command: "${user_config.all}" };
    expect(verdicts(settings("/plugins/p/run"), { server: asked }, "managed", definedIn)).toEqual([
      undefined,
    ]);
  });
});

test("Claude Code disables a user's server whose reference leads to a denied one", async () => {
  const { discover, write } = await homeWith({
    ".claude/settings.json": {
      deniedMcpServers: [{ serverUrl: "https://evil.com/*" }, { serverCommand: ["npx", "bad"] }],
    },
  });
  const url = "${U:-https://evil.com}/mcp";
  const user = { url: { type: "http", url }, command: { command: "npx", args: ["${PKG}"] } };
  await write(".claude.json", { mcpServers: user });
  const offIn = async (env: { [name: string]: string }) => {
    const { servers: found } = await discover({ hosts: ["claude-code"], env });
    return found.filter(({ disabledBy }) => disabledBy === "deniedMcpServers").map(({ name }) => name);
  };
  expect(await offIn({})).toEqual(["url", "command"]);
  expect(await offIn({ U: "https://ok.com", PKG: "good" })).toEqual([]);
  expect(await offIn({ U: "https://ok.com", PKG: "bad" })).toEqual(["command"]);
});
