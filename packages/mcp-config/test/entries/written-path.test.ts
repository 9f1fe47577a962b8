import { describe, expect, test } from "vitest";
import { parseHostFile } from "../../src/index.ts";

/** The diagnostics of a file: code, place and message. */
async function reportsOn(host: string, file: string, text: string) {
  const { diagnostics } = await parseHostFile({ host, file, text, platform: "linux" });
  return diagnostics.map(({ code, line, pointer, message }) => ({ code, line, pointer, message }));
}

describe("a problem is reported with the host's own field name and place", () => {
  test("for the values of a goose extension", async () => {
    const text = [
      "extensions:",
      "  local:",
      "    type: stdio",
      "    enabled: true",
      "    cmd: npx -y foo",
      "    envs:",
      "      API_KEY: sk-123456789012345678901234567890",
      "  remote:",
      "    type: streamable_http",
      "    enabled: true",
      "    uri: https://user:secret@host.example/",
    ].join("\n");
    const problems = await reportsOn("goose", "/home/u/config.yaml", text);
    expect(problems).toEqual([
      expect.objectContaining({
        code: "command-has-spaces",
        line: 5,
        pointer: "/extensions/local/cmd",
        message: expect.stringContaining(
          '"cmd" is one executable and is never split; put arguments in "args"',
        ),
      }),
      expect.objectContaining({
        code: "literal-secret",
        line: 7,
        pointer: "/extensions/local/envs/API_KEY",
        message: expect.stringContaining('"envs.API_KEY" holds a credential'),
      }),
      expect.objectContaining({
        code: "literal-secret",
        line: 11,
        pointer: "/extensions/remote/uri",
        message: expect.stringContaining('"uri" holds a credential'),
      }),
    ]);
  });

  test.each([
    ["cursor", "mcpServers", { url: "https://h", auth: { CLIENT_SECRET: "planted" } }, "auth.CLIENT_SECRET"],
    [
      "zed",
      "context_servers",
      { url: "https://h", oauth: { client_secret: "planted" } },
      "oauth.client_secret",
    ],
    [
      "jackfield",
      "mcpServers",
      { url: "https://h", oauth: { clientSecret: "planted" } },
      "oauth.clientSecret",
    ],
    [
      "mcporter",
      "mcpServers",
      { baseUrl: "https://h", oauth_client_secret: "planted" },
      "oauth_client_secret",
    ],
    [
      "crush",
      "mcp",
      { type: "http", url: "https://h", oauth_client_secret: "planted" },
      "oauth_client_secret",
    ],
  ])("for a literal client secret of %s", async (host, root, entry, field) => {
    const text = (secret: string) => JSON.stringify({ [root]: { a: entry } }).replace("planted", secret);
    const problems = await reportsOn(host, "/home/u/x.json", text("planted"));
    expect(problems).toEqual([
      expect.objectContaining({
        code: "literal-secret",
        pointer: `/${root}/a/${field.replace(".", "/")}`,
        message: expect.stringContaining(`"${field}" holds a credential`),
      }),
    ]);
    expect(problems[0]?.message).not.toContain("planted");
    const isReference = host !== "zed" && host !== "cursor";
    expect(await reportsOn(host, "/home/u/x.json", text("${S}"))).toHaveLength(isReference ? 0 : 1);
  });

  test("for a folder and a variable that a project may not set", async () => {
    const text = `{ "mcpServers": {
      "a": { "command": "x",
        "working_directory": "/opt/tool" },
      "b": { "command": "x", "env": {
        "LD_PRELOAD": "/tmp/x.so" } } } }`;
    const problems = await reportsOn("warp", "/repo/.warp/.mcp.json", text);
    expect(problems).toEqual([
      expect.objectContaining({
        line: 3,
        pointer: "/mcpServers/a/working_directory",
        message: expect.stringContaining('"working_directory" leads out of'),
      }),
      expect.objectContaining({
        line: 5,
        pointer: "/mcpServers/b/env/LD_PRELOAD",
        message: expect.stringContaining('"LD_PRELOAD" in "env" '),
      }),
    ]);
  });
});
