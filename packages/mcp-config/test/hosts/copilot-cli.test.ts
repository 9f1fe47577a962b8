import { expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const entry = { type: "http", url: "https://host.example", oauth: { clientId: "c", callbackPort: 1234 } };

test("the old settings for logins are read, and what replaces them is told", async () => {
  const { servers, diagnostics } = await parse({ mcpServers: { s: entry } }, { host: "copilot-cli" });
  expect(servers[0]?.definition).toMatchObject({ oauth: { clientId: "c", callbackPort: 1234 } });
  expect(diagnostics).toMatchObject([{ code: "legacy-field", pointer: "/mcpServers/s/oauth" }]);
  expect(diagnostics[0]?.message).toContain('write "oauthClientId", and "auth": { "redirectPort"');
});

test.each([".mcp.json", ".github/mcp.json"])(
  "in a file that other hosts read as well they are not old: %s",
  async (name) => {
    const options = { host: "copilot-cli", file: `/project/${name}` };
    const { servers, told } = await parse({ mcpServers: { s: entry } }, options);
    expect(servers[0]?.definition).toMatchObject({ oauth: { clientId: "c", callbackPort: 1234 } });
    expect(told).toEqual([]);
  },
);

test.each(["stdio", "local"])(
  "of a child process they are not old, whatever its URL says: %s",
  async (type) => {
    const { told } = await parse(
      { mcpServers: { s: { ...entry, type, command: "x" } } },
      { host: "copilot-cli" },
    );
    expect(told).not.toContain("legacy-field: s");
  },
);

test("beside a command they mean nothing", async () => {
  const server = { command: "x", oauth: { clientId: "c" } };
  const { told } = await parse({ mcpServers: { s: server } }, { host: "copilot-cli" });
  expect(told).toEqual(["unused-field: s"]);
});
