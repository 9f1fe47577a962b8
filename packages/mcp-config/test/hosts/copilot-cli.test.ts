import { expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const entry = { type: "http", url: "https://host.example", oauth: { clientId: "c", callbackPort: 1234 } };

test("Copilot CLI reads old oauth settings and reports what replaces them", async () => {
  const { servers, diagnostics } = await parse({ mcpServers: { s: entry } }, { host: "copilot-cli" });
  expect(servers[0]?.definition).toMatchObject({ oauth: { clientId: "c", callbackPort: 1234 } });
  expect(diagnostics).toMatchObject([{ code: "legacy-field", pointer: "/mcpServers/s/oauth" }]);
  expect(diagnostics[0]?.message).toContain('write "oauthClientId", and "auth": { "redirectPort"');
});

test.each([".mcp.json", ".github/mcp.json"])(
  "oauth settings in a file that Copilot CLI shares are not reported as old: %s",
  async (name) => {
    const options = { host: "copilot-cli", file: `/project/${name}` };
    const { servers, told } = await parse({ mcpServers: { s: entry } }, options);
    expect(servers[0]?.definition).toMatchObject({ oauth: { clientId: "c", callbackPort: 1234 } });
    expect(told).toEqual([]);
  },
);

test.each(["stdio", "local"])(
  "oauth settings of a stdio server are not reported as old: %s",
  async (type) => {
    const { told } = await parse(
      { mcpServers: { s: { ...entry, type, command: "x" } } },
      { host: "copilot-cli" },
    );
    expect(told).not.toContain("legacy-field: s");
  },
);

test("oauth settings beside a command are reported as unused", async () => {
  const server = { command: "x", oauth: { clientId: "c" } };
  const { told } = await parse({ mcpServers: { s: server } }, { host: "copilot-cli" });
  expect(told).toEqual(["unused-field: s"]);
});

test.each([
  ["oauthPublicClient", "yes"],
  ["oauthGrantType", 5],
])("an oauth setting of the wrong type is left out: %s", async (field, value) => {
  const { oauth: _, ...remote } = entry;
  const server = { ...remote, oauthClientId: "c", [field]: value };
  const { servers, diagnostics } = await parse({ mcpServers: { s: server } }, { host: "copilot-cli" });
  expect(servers[0]?.definition).toMatchObject({ oauth: { clientId: "c" } });
  expect(JSON.stringify(servers[0]?.definition)).not.toContain(JSON.stringify(value));
  expect(diagnostics).toMatchObject([{ code: "invalid-field", pointer: `/mcpServers/s/${field}` }]);
});
