import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const SECRET = "sk-abcdef0123456789";

/** The value at a pointer, if the file has it. */
function valueAt(root: unknown, pointer: string): unknown {
  const steps = pointer.split("/").slice(1);
  return steps.reduce<unknown>(
    (value, step) => (value as { [key: string]: unknown } | undefined)?.[step],
    root,
  );
}

/** Each fault is the number 5 where a string belongs. */
const FAULTS: readonly [host: string, content: object, pointer: string][] = [
  [
    "cline",
    { mcpServers: { a: { transport: { type: "stdio", command: "x", args: ["a", 5] } } } },
    "/mcpServers/a/transport/args/1",
  ],
  ["cline", { mcpServers: { a: { transportType: 5, url: "https://h" } } }, "/mcpServers/a/transportType"],
  [
    "zed",
    { context_servers: { a: { command: { path: "x", args: ["a", 5] } } } },
    "/context_servers/a/command/args/1",
  ],
  ["zed", { context_servers: { a: { command: { path: 5 } } } }, "/context_servers/a/command/path"],
  ["zed", { context_servers: { a: { command: { path: "x" }, args: [5] } } }, "/context_servers/a/args/0"],
  ["opencode", { mcp: { a: { type: "local", command: ["x", "a", 5] } } }, "/mcp/a/command/2"],
  ["opencode", { mcp: { a: { type: "local", command: [5] } } }, "/mcp/a/command/0"],
  ["mcporter", { mcpServers: { a: { command: ["x", "a", 5], args: ["b"] } } }, "/mcpServers/a/command/2"],
  ["mcporter", { mcpServers: { a: { command: "x", args: ["b", 5] } } }, "/mcpServers/a/args/1"],
  [
    "mcpb",
    { name: "a", server: { mcp_config: { command: "x", args: ["a", 5] } } },
    "/server/mcp_config/args/1",
  ],
  [
    "mcpb",
    { name: "a", server: { mcp_config: { command: "x", platform_overrides: { linux: { command: 5 } } } } },
    "/server/mcp_config/platform_overrides/linux/command",
  ],
  [
    "copilot-cli",
    { mcpServers: { a: { url: "https://h", auth: { redirectPort: "5" } } } },
    "/mcpServers/a/auth/redirectPort",
  ],
  [
    "codex",
    { mcp_servers: { a: { command: "x", env_vars: ["A", { name: "R", source: "remote" }, 5] } } },
    "/mcp_servers/a/env_vars/2",
  ],
  [
    "codex",
    { mcp_servers: { a: { command: "x", env_vars: [{ name: "R", source: "remote" }, { name: 5 }] } } },
    "/mcp_servers/a/env_vars/1/name",
  ],
  [
    "continue",
    { mcpServers: [{ name: "a", url: "https://h", requestOptions: { headers: 5 } }] },
    "/mcpServers/0/requestOptions/headers",
  ],
];

const SECRETS: readonly [host: string, content: object, pointer: string][] = [
  [
    "cline",
    {
      mcpServers: { a: { transport: { type: "sse", url: "https://h", headers: { Authorization: SECRET } } } },
    },
    "/mcpServers/a/transport/headers/Authorization",
  ],
  [
    "zed",
    { context_servers: { a: { command: { path: "x", env: { API_KEY: SECRET } } } } },
    "/context_servers/a/command/env/API_KEY",
  ],
  ["opencode", { mcp: { a: { type: "local", command: ["x", "--token", SECRET] } } }, "/mcp/a/command/2"],
  ["mcporter", { mcpServers: { a: { command: ["x", `--token=${SECRET}`] } } }, "/mcpServers/a/command/1"],
  ["mcporter", { mcpServers: { a: { executable: `x --token=${SECRET}` } } }, "/mcpServers/a/executable"],
  [
    "mcporter",
    { mcpServers: { a: { url: "https://h", bearer_token: SECRET } } },
    "/mcpServers/a/bearer_token",
  ],
  [
    "mcpb",
    { name: "a", server: { mcp_config: { command: "x", env: { API_KEY: SECRET } } } },
    "/server/mcp_config/env/API_KEY",
  ],
  [
    "continue",
    { mcpServers: [{ name: "a", url: "https://h", requestOptions: { headers: { "X-Api-Key": SECRET } } }] },
    "/mcpServers/0/requestOptions/headers/X-Api-Key",
  ],
  [
    "registry",
    {
      name: "x/a",
      packages: [
        {
          registryType: "npm",
          identifier: "p",
          environmentVariables: [{ name: "B" }, { name: "API_KEY", value: SECRET }],
        },
      ],
    },
    "/packages/0/environmentVariables/1/value",
  ],
  [
    "registry",
    {
      name: "x/a",
      packages: [
        { registry_name: "npm", name: "p", environment_variables: [{ name: "API_KEY", default: SECRET }] },
      ],
    },
    "/packages/0/environment_variables/0/default",
  ],
  [
    "registry",
    {
      name: "x/a",
      packages: [
        {
          registryType: "oci",
          identifier: "p",
          packageArguments: [{ value: "-v" }, { name: "--token", value: SECRET }],
        },
      ],
    },
    "/packages/0/packageArguments/1/value",
  ],
  [
    "registry",
    {
      name: "x/a",
      packages: [
        { registryType: "npm", identifier: "p", runtimeArguments: [{ value: `--token=${SECRET}` }] },
      ],
    },
    "/packages/0/runtimeArguments/0/value",
  ],
  [
    "registry",
    {
      name: "x/a",
      remotes: [{ type: "sse", url: "https://h", headers: [{ name: "Authorization", value: SECRET }] }],
    },
    "/remotes/0/headers/0/value",
  ],
];

describe("in a host with its own entry shape, the pointer and line are those of the file", () => {
  test.each(FAULTS)("for an error in an entry of %s: %j", async (host, content, pointer) => {
    const { diagnostics } = await parse(content, { host, platform: "linux", file: "/folder/file.json" });
    const faults = diagnostics.filter(({ code }) => code === "ServerConfigError" || code === "invalid-field");
    expect(faults.map((fault) => fault.pointer)).toEqual([pointer]);
    expect(JSON.stringify(valueAt(content, pointer))).toContain("5");
    const line = JSON.stringify(content, null, 1).split("\n")[(faults[0]?.line ?? 0) - 1];
    expect(line).toContain("5");
  });

  test.each(SECRETS)("for a credential in an entry of %s: %j", async (host, content, pointer) => {
    const { diagnostics } = await parse(content, { host, platform: "linux", file: "/folder/file.json" });
    const secrets = diagnostics.filter(({ code }) => code === "literal-secret");
    expect(secrets.map((secret) => secret.pointer)).toEqual([pointer]);
    expect(valueAt(content, pointer)).toContain(SECRET);
    const line = JSON.stringify(content, null, 1).split("\n")[(secrets[0]?.line ?? 0) - 1];
    expect(line).toContain(SECRET);
  });

  test("for a field that is not read", async () => {
    const content = {
      mcpServers: { a: { transport: { type: "stdio", command: "x", colour: "red" } } },
    };
    const { diagnostics } = await parse(content, { host: "cline" });
    expect(diagnostics.map(({ pointer }) => pointer)).toContain("/mcpServers/a/transport/colour");
  });
});
