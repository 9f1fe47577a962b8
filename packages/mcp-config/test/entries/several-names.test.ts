import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

async function read(host: string, entry: object, key = "mcpServers") {
  const { servers, diagnostics } = await parse({ [key]: { s: entry } }, { host, file: "/home/u/own.json" });
  const told = diagnostics.filter(({ code }) => code === "unused-field");
  return {
    written: servers[0]?.written,
    told: told.map(({ message, pointer, severity }) => [message, pointer, severity]),
  };
}

const ignored = (field: string, winner: string) => [
  `Server "s": "${field}" is ignored; "${winner}" wins.`,
  `/mcpServers/s/${field}`,
  "warning",
];

const ONE = "https://one.example";
const TWO = "https://two.example";

describe("of several names for one field in one entry", () => {
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
  ])("the first of %s counts, and the rest is told of and kept: %j", async (host, entry, wanted, losers) => {
    const { written, told } = await read(host, entry);
    expect(written).toMatchObject(wanted);
    expect(told).toEqual(losers.map(([field, winner]) => ignored(field, winner)));
    const kept = losers.map(([field]) => [field, (entry as { [field: string]: unknown })[field]]);
    expect(written?.extra).toEqual(Object.fromEntries(kept));
  });

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
  ])("the first counts for a login as well: %j", async (fields, oauth, losers) => {
    const { written, told } = await read("mcporter", { url: ONE, ...fields });
    expect(written?.oauth).toMatchObject(oauth);
    expect(told.map(([message]) => message).sort()).toEqual(
      losers.map(([field, winner]) => ignored(field, winner)[0]).sort(),
    );
    const kept = losers.map(([field]) => [field, (fields as { [field: string]: unknown })[field]]);
    expect(written?.extra ?? {}).toEqual(Object.fromEntries(kept));
  });

  test("a field for a login beats the same setting in an object", async () => {
    const entry = { type: "http", url: ONE, oauth: { clientId: "old" }, oauthClientId: "new" };
    expect((await read("copilot-cli", entry)).written?.oauth).toEqual({ clientId: "new" });
  });

  test.each<[string, object]>([
    ["windsurf", { url: ONE, serverUrl: ONE }],
    ["mcporter", { command: "x", allowedTools: ["a"], allowed_tools: ["a"] }],
    ["warp", { command: "x", enabled: true, start_on_launch: true }],
  ])("nothing is told that says the same: %s, %j", async (host, entry) => {
    const { written, told } = await read(host, entry);
    expect(told).toEqual([]);
    expect(written?.extra).toBeUndefined();
  });

  test("one that cannot be used wins over none", async () => {
    const entry = { command: "x", timeout: 500, request_timeout_ms: 9000 };
    const { written, told } = await read("claude-code", entry);
    expect(written).toMatchObject({ timeoutMs: 9000 });
    expect([told, written?.extra]).toEqual([[], undefined]);
  });

  test("times are compared by how long they are", async () => {
    const text = (ms: number) =>
      `[mcp_servers.s]\ncommand = "x"\nstartup_timeout_sec = 3\nstartup_timeout_ms = ${ms}\n`;
    const options = { host: "codex", file: "/home/u/config.toml" };
    const codes = async (ms: number) => (await parse(text(ms), options)).diagnostics.map(({ code }) => code);
    expect([await codes(3000), await codes(7000)]).toEqual([[], ["unused-field"]]);
  });

  test("what other programs read in Jackfield's own files is theirs", async () => {
    const { written, told } = await read("jackfield", { command: "x", timeout: 30, callTimeoutMs: 40 });
    expect([written?.timeoutMs, told]).toEqual([40, []]);
  });
});
