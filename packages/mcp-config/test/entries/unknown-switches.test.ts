import { describe, expect, test } from "vitest";
import { HOST_IDS } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

const KEYS: { readonly [host: string]: string } = {
  vscode: "servers",
  zed: "context_servers",
  codex: "mcp_servers",
  opencode: "mcp",
  crush: "mcp",
  goose: "extensions",
  amp: "amp.mcpServers",
};

const ENTRIES: { readonly [host: string]: object } = {
  opencode: { type: "local", command: ["x"] },
  goose: { type: "stdio", cmd: "x" },
  "sep-2633": { type: "stdio", command: "x" },
  "agent-plugins": { type: "stdio", command: "x" },
};

async function read(host: string, field: string, value: unknown) {
  const entry = { ...(ENTRIES[host] ?? { command: "x" }), [field]: value };
  const content = {
    [KEYS[host] ?? "mcpServers"]: host === "continue" ? [{ name: "s", ...entry }] : { s: entry },
  };
  const { servers, diagnostics } = await parse(content, { host, file: "/folder/own.json" });
  return { isEnabled: servers[0]?.written.enabled, diagnostics };
}

/** The switches that each host knows. Formats for a single server have none. */
const OWN: { readonly [host: string]: readonly string[] } = {
  jackfield: ["enabled", "disabled"],
  opencode: ["enabled", "disabled"],
  ...Object.fromEntries(["zed", "codex", "goose", "omp"].map((host) => [host, ["enabled"]])),
  ...Object.fromEntries(
    ["windsurf", "cline", "roo", "amp", "kiro", "crush"].map((host) => [host, ["disabled"]]),
  ),
};

const SWITCHES = HOST_IDS.filter((host) => host !== "mcpb" && host !== "registry").flatMap((host) =>
  ["enabled", "disabled"].map((field) => ({ host, field, isOwn: OWN[host]?.includes(field) ?? false })),
);

describe("a field that enables or disables the server", () => {
  test.each(SWITCHES.filter(({ isOwn }) => !isOwn))(
    "is obeyed and reported if its host does not know it: $host, $field",
    async ({ host, field }) => {
      const value = field === "disabled";
      const { isEnabled, diagnostics } = await read(host, field, value);
      expect(isEnabled).toBe(false);
      expect(diagnostics).toMatchObject([{ code: "unknown-field", severity: "warning", server: "s" }]);
      expect(diagnostics[0]?.message).toContain("only Jackfield switches the server off");
      expect(await read(host, field, !value)).toEqual({ isEnabled: true, diagnostics: [] });
    },
  );

  test.each(SWITCHES.filter(({ isOwn }) => isOwn))(
    "is obeyed without a report if its host knows it: $host, $field",
    async ({ host, field }) => {
      expect(await read(host, field, field === "disabled")).toEqual({ isEnabled: false, diagnostics: [] });
    },
  );

  test("is start_on_launch in Warp, without a report", async () => {
    expect(await read("warp", "start_on_launch", false)).toEqual({ isEnabled: false, diagnostics: [] });
  });

  test("disables the server if its value is invalid", async () => {
    const { isEnabled, diagnostics } = await read("claude-desktop", "disabled", "true");
    expect(isEnabled).toBe(false);
    expect(diagnostics).toMatchObject([{ code: "invalid-field", pointer: "/mcpServers/s/disabled" }]);
  });
});

describe("an unreadable field", () => {
  test.each<[string, string, unknown, string]>([
    ["roo", "disabled", "true", "true or false"],
    ["windsurf", "disabled", 1, "true or false"],
    ["gemini", "includeTools", "a", "a list of names"],
    ["gemini", "excludeTools", [1], "a list of names"],
  ])("that disables the server is reported with the fix: %s, %s", async (host, field, value, wanted) => {
    const { isEnabled, diagnostics } = await read(host, field, value);
    expect(isEnabled).toBe(false);
    expect(diagnostics).toMatchObject([{ code: "invalid-field", severity: "warning" }]);
    expect(diagnostics[0]?.message).toMatch(new RegExp(`So the server is switched off; write ${wanted}\\.$`));
  });

  test("that the server can do without is left out", async () => {
    const { isEnabled, diagnostics } = await read("gemini", "timeout", "long");
    expect([isEnabled, diagnostics[0]?.message.endsWith("It is left out.")]).toEqual([true, true]);
  });
});

test.each([
  ["jackfield", "isActive", false],
  ["cursor", "isActive", false],
  ["claude-code", "isDisabled", true],
])(
  "a switch under the name of a program that is not known here is obeyed, and told: %s, %s",
  async (host, field, value) => {
    const { isEnabled, diagnostics } = await read(host, field, value);
    expect(isEnabled).toBe(false);
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["unknown-field", "warning"]]);
  },
);
