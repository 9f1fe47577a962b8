import { describe, expect, test } from "vitest";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import { meantField } from "../../src/lint/remarks.ts";
import { parse } from "../discovery/parsing.ts";

function meant(host: string, field: string): string | undefined {
  const dialect = dialectOf(host)?.entry;
  if (!dialect) throw new Error(`${host} is not known`);
  return meantField(field, dialect);
}

describe("the suggested field", () => {
  test.each([
    ["windsurf", "serverURL", "serverUrl"],
    ["cursor", "serverURL", "url"],
    ["crush", "disabledTools", "disabled_tools"],
    ["codex", "disabledTools", "disabled_tools"],
    ["gemini", "exclude_tools", "excludeTools"],
    ["kiro", "disabled_tools", "disabledTools"],
    ["kiro", "disabled-tools", "disabledTools"],
    ["goose", "availableTools", "available_tools"],
    ["warp", "startOnLaunch", "start_on_launch"],
    ["codex", "headers", "http_headers"],
    ["codex", "bearer_token_env", "bearer_token_env_var"],
    ["codex", "bearerTokenEnvVar", "bearer_token_env_var"],
    ["goose", "command", "cmd"],
    ["goose", "url", "uri"],
    ["goose", "env", "envs"],
    ["goose", "environment", "envs"],
    ["opencode", "env", "environment"],
    ["opencode", "cmd", "command"],
    ["jackfield", "env_file", "envFile"],
    ["jackfield", "timeoutMs", "callTimeoutMs"],
    ["cursor", "working_directory", "cwd"],
  ])("in %s for %s is %s", (host, field, wanted) => {
    expect(meant(host, field)).toBe(wanted);
  });

  test.each([
    ["cursor", "_args"],
    ["cursor", "__disabled"],
    ["cursor", "$url"],
    ["cursor", "colour"],
    ["goose", "cmd"],
    ["cursor", "toString"],
  ])("in %s is none for %s", (host, field) => {
    expect(meant(host, field)).toBeUndefined();
  });

  test("appears in a near-miss-field warning", async () => {
    const entry = { command: "x", "Disabled-Tools": ["delete"] };
    const { diagnostics } = await parse({ mcp: { s: entry } }, { host: "crush" });
    expect(diagnostics).toMatchObject([
      { code: "near-miss-field", severity: "warning", suggestion: "disabled_tools" },
    ]);
  });
});
