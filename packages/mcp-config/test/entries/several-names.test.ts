import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

async function read(host: string, entry: object, key = "mcpServers") {
  const { servers, diagnostics } = await parse({ [key]: { s: entry } }, { host, file: "/home/u/own.json" });
  const warnings = diagnostics.filter(({ code }) => code === "unused-field");
  return {
    written: servers[0]?.written,
    warnings: warnings.map(({ message, pointer, severity }) => [message, pointer, severity]),
  };
}

const ignored = (field: string, winner: string) => [
  `Server "s": "${field}" is ignored; "${winner}" wins.`,
  `/mcpServers/s/${field}`,
  "warning",
];

const ONE = "https://one.example";
const TWO = "https://two.example";

describe("several names for one field", () => {
  test.each<[string, object, object, [field: string, winner: string][]]>([
    ["windsurf", { url: TWO, serverUrl: ONE }, { url: ONE }, [["url", "serverUrl"]]],
    ["gemini", { httpUrl: ONE, url: TWO }, { url: ONE }, [["url", "httpUrl"]]],
    [
      "mcporter",
      { baseUrl: ONE, url: TWO, serverUrl: "https://three.example" },
      { url: ONE },
      [
        ["url", "baseUrl"],
        ["serverUrl", "baseUrl"],
      ],
    ],
    [
      "mcporter",
      { command: "x", allowedTools: ["a"], allowed_tools: ["b"] },
      { tools: { include: ["a"] } },
      [["allowed_tools", "allowedTools"]],
    ],
    [
      "mcporter",
      { url: ONE, bearerTokenEnv: "A", bearer_token_env: "B" },
      { bearerTokenEnv: "A" },
      [["bearer_token_env", "bearerTokenEnv"]],
    ],
    [
      "claude-code",
      { command: "x", timeout: 30_000, request_timeout_ms: 9000 },
      { timeoutMs: 30_000 },
      [["request_timeout_ms", "timeout"]],
    ],
    [
      "warp",
      { command: "x", working_directory: "/a", cwd: "/b" },
      { cwd: "/a" },
      [["cwd", "working_directory"]],
    ],
  ])(
    "the first name in %s wins, and the others are reported and kept: %j",
    async (host, entry, wanted, losers) => {
      const { written, warnings } = await read(host, entry);
      expect(written).toMatchObject(wanted);
      expect(warnings).toEqual(losers.map(([field, winner]) => ignored(field, winner)));
      const kept = losers.map(([field]) => [field, (entry as { [field: string]: unknown })[field]]);
      expect(written?.extra).toEqual(Object.fromEntries(kept));
    },
  );

  test.each<[object, object, [field: string, winner: string][]]>([
    [
      { oauth_scope: "b", oauthScope: "a a2", oauth_client_id: "y", oauthClientId: "x" },
      { clientId: "x", scopes: ["a", "a2"] },
      [
        ["oauth_scope", "oauthScope"],
        ["oauth_client_id", "oauthClientId"],
      ],
    ],
    [
      { oauth_client_secret_env: "B", oauthClientSecretEnv: "A", oauthClientSecret: "${C}" },
      { clientSecret: "${A}" },
      [
        ["oauth_client_secret_env", "oauthClientSecretEnv"],
        ["oauthClientSecret", "oauthClientSecretEnv"],
      ],
    ],
    [
      { oauth_client_secret: "${D}", oauthClientSecret: "${C}" },
      { clientSecret: "${C}" },
      [["oauth_client_secret", "oauthClientSecret"]],
    ],
    [{ oauthRedirectUrl: ONE, oauth_redirect_url: ONE, oauth_client_id: "y" }, { clientId: "y" }, []],
    [{ oauthClientSecretEnv: "A", oauth_client_secret_env: "A" }, { clientSecret: "${A}" }, []],
    [{ oauthClientSecretEnv: 5, oauth_client_secret_env: "B" }, { clientSecret: "${B}" }, []],
    [{ oauthClientId: 5, oauth_client_id: "y" }, { clientId: "y" }, []],
  ])(
    "the first valid name wins in login fields, and the others are reported: %j",
    async (fields, oauth, losers) => {
      const { written, warnings } = await read("mcporter", { url: ONE, ...fields });
      expect(written?.oauth).toMatchObject(oauth);
      expect(warnings.map(([message]) => message).sort()).toEqual(
        losers.map(([field, winner]) => ignored(field, winner)[0]).sort(),
      );
      const kept = losers.map(([field]) => [field, (fields as { [field: string]: unknown })[field]]);
      expect(written?.extra ?? {}).toEqual(Object.fromEntries(kept));
    },
  );

  test("a login field beats the same setting in the oauth object", async () => {
    const entry = { type: "http", url: ONE, oauth: { clientId: "old" }, oauthClientId: "new" };
    expect((await read("copilot-cli", entry)).written?.oauth).toEqual({ clientId: "new" });
  });

  test.each<[string, object]>([
    ["windsurf", { url: ONE, serverUrl: ONE }],
    ["mcporter", { command: "x", allowedTools: ["a"], allowed_tools: ["a"] }],
    ["warp", { command: "x", enabled: true, start_on_launch: true }],
  ])("names with equal values are not reported: %s, %j", async (host, entry) => {
    const { written, warnings } = await read(host, entry);
    expect(warnings).toEqual([]);
    expect(written?.extra).toBeUndefined();
  });

  test("an unusable value does not beat a valid one", async () => {
    const entry = { command: "x", timeout: 500, request_timeout_ms: 9000 };
    const { written, warnings } = await read("claude-code", entry);
    expect(written).toMatchObject({ timeoutMs: 9000 });
    expect([warnings, written?.extra]).toEqual([[], undefined]);
  });

  test("timeouts in different units are compared by duration", async () => {
    const text = (ms: number) =>
      `[mcp_servers.s]\ncommand = "x"\nstartup_timeout_sec = 3\nstartup_timeout_ms = ${ms}\n`;
    const options = { host: "codex", file: "/home/u/config.toml" };
    const codes = async (ms: number) => (await parse(text(ms), options)).diagnostics.map(({ code }) => code);
    expect([await codes(3000), await codes(7000)]).toEqual([[], ["unused-field"]]);
  });

  test("in Jackfield's files callTimeoutMs beats timeout without a report", async () => {
    const { written, warnings } = await read("jackfield", { command: "x", timeout: 30, callTimeoutMs: 40 });
    expect([written?.timeoutMs, warnings]).toEqual([40, []]);
  });
});
