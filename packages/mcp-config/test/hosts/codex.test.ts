import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();

describe("a Codex profile", () => {
  const profile = 'profile = "dev"\n[mcp_servers.a]\ncommand = "x"\n';

  test("is reported as unread if the user's file names it", async () => {
    const { home, discover } = await homeWith({
      ".codex/config.toml": profile,
      ".codex/dev.config.toml": '[mcp_servers.b]\ncommand = "y"\n',
    });
    const { servers, diagnostics } = await discover({ hosts: ["codex"] });
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
    const file = join(home, ".codex/config.toml");
    expect(diagnostics).toMatchObject([{ code: "unread-profile", severity: "info", file, line: 1 }]);
    expect(diagnostics[0]?.message).toContain(
      'Codex reads "dev.config.toml" only when it is started with --profile',
    );
  });

  test("is not reported if a project names it or it is not a string", async () => {
    const { home, write, discover } = await homeWith({ "work/.codex/config.toml": profile });
    await write(
      ".codex/config.toml",
      `profile = 3\n[profiles.dev]\nmodel = "m"\n[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`,
    );
    const { servers, diagnostics } = await discover({ hosts: ["codex"] });
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
    expect(diagnostics.filter(({ pointer }) => pointer === "/profile")).toEqual([]);
  });
});

test.each([
  ["oauth beside a command", 'command = "x"\noauth = { client_id = "c" }', "oauth"],
  ["oauth_resource beside a command", 'command = "x"\noauth_resource = "https://r"', "oauth_resource"],
])("Codex refuses %s", async (_what, lines, field) => {
  const { names, diagnostics } = await parse(`[mcp_servers.s]\n${lines}\n`, {
    host: "codex",
    file: "/c/config.toml",
  });
  expect(names).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "ServerConfigError", line: 3 }]);
  expect(diagnostics[0]?.message).toContain(`"${field}" is refused`);
});

test("Codex passes through only local env_vars and reports an unknown source", async () => {
  const lines = `[mcp_servers.s]
command = "x"
env_vars = ["A", { name = "B", source = "remote" }, { name = "C", source = "local" }]
[mcp_servers.t]
command = "x"
env_vars = ["A", { name = "B", source = "vault" }, { name = "C" }]
`;
  const { servers, diagnostics } = await parse(lines, { host: "codex", file: "/c/config.toml" });
  expect(servers.map(({ written: { envPassthrough, extra } }) => [envPassthrough, extra])).toEqual([
    [["A", "C"], { env_vars: [{ name: "B", source: "remote" }] }],
    [["A", "C"], { env_vars: [{ name: "B", source: "vault" }] }],
  ]);
  expect(diagnostics).toMatchObject([
    { code: "invalid-field", server: "t", pointer: "/mcp_servers/t/env_vars/1" },
  ]);
});
