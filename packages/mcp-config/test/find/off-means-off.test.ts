import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createServerAdmission, type DiscoverServersOptions } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();
const command = { command: "node", args: ["server.mjs"] };
const under = (key: string, entry: object) => ({ [key]: { s: entry } });
const toml = (...lines: string[]) => ["[mcp_servers.s]", ...lines].join("\n");
const RUNS = 'command = "node"';

/** The user's file, the project's, and the same entry of the project switched on. */
const HOSTS: readonly [host: string, user: [string, unknown], off: [string, unknown], line: number][] = [
  [
    "jackfield",
    [".config/jackfield/mcp.json", under("mcpServers", command)],
    ["work/.mcp.json", under("mcpServers", { ...command, disabled: true })],
    1,
  ],
  [
    "jackfield",
    [".config/jackfield/mcp.json", under("mcpServers", command)],
    ["work/.mcp.json", under("mcpServers", { enabled: false })],
    1,
  ],
  [
    "kiro",
    [".kiro/settings/mcp.json", under("mcpServers", command)],
    ["work/.kiro/settings/mcp.json", under("mcpServers", { ...command, disabled: true })],
    1,
  ],
  [
    "crush",
    [".config/crush/crush.json", under("mcp", { type: "stdio", ...command })],
    ["work/crush.json", under("mcp", { type: "stdio", ...command, disabled: true })],
    1,
  ],
  [
    "opencode",
    [".config/opencode/opencode.json", under("mcp", { type: "local", command: ["node"] })],
    ["work/opencode.json", under("mcp", { enabled: false })],
    1,
  ],
  [
    "codex",
    [".codex/config.toml", toml(RUNS)],
    ["work/.codex/config.toml", `\n${toml(RUNS, "enabled = false")}`],
    4,
  ],
  ["codex", [".codex/config.toml", toml(RUNS)], ["work/.codex/config.toml", toml("enabled = false")], 2],
];
const { admit } = createServerAdmission();

describe.each(HOSTS)(
  "a project's file that switches off a server of the user's in %s (%#)",
  (host, user, off, line) => {
    const files = Object.fromEntries([user, off]);
    const find = async (options: DiscoverServersOptions = {}) => {
      const { discover, project, home } = await homeWith(files);
      return { ...(await discover({ hosts: [host], admit, ...options })), project, home };
    };

    test("takes effect without approval, and is told with file and line", async () => {
      const { servers, blocked, home } = await find();
      expect(servers).toEqual([]);
      expect(new Set(blocked.map(({ by }) => by))).toEqual(new Set(["disabled"]));
      const users = blocked.find(({ definition }) => definition.definedIn.scope === "user");
      expect(users?.reason).toContain(`${join(home, off[0])}:${line}`);
    });

    test("does not count in another project, or with project: false", async () => {
      expect((await find({ project: false })).servers).toMatchObject([{ definedIn: { scope: "user" } }]);
      const { discover, home } = await homeWith(files);
      const elsewhere = await discover({ hosts: [host], admit, cwd: home });
      expect(elsewhere.servers).toMatchObject([{ name: "s" }]);
    });

    test("yields to what the user passes in code or names", async () => {
      const inCode = await find({ servers: { s: command } });
      expect(inCode.servers).toMatchObject([{ definedIn: { scope: "explicit" } }]);
      const { admit: on } = createServerAdmission({ filters: { enabledServers: ["s"] } });
      expect((await find({ admit: on })).servers).toMatchObject([{ definedIn: { scope: "user" } }]);
    });
  },
);

test("a project switches off nothing of another host, and nothing on", async () => {
  const { discover } = await homeWith({
    ".cursor/mcp.json": { mcpServers: { s: command, off: { ...command, disabled: true } } },
    "work/.mcp.json": { mcpServers: { s: { ...command, disabled: true } } },
    "work/.cursor/mcp.json": { mcpServers: { off: command } },
  });
  const { servers, blocked } = await discover({ hosts: ["jackfield", "cursor"], admit });
  expect(servers.map(({ name, definedIn }) => [name, definedIn.host])).toEqual([["s", "cursor"]]);
  expect(blocked.map(({ definition: { name, definedIn }, by }) => [name, definedIn.scope, by])).toEqual([
    ["off", "user", "disabled"],
    ["s", "project", "disabled"],
    ["off", "project", "approval"],
  ]);
});

test("the user's own entry for one project wins over that project's switch", async () => {
  const { discover, project, write } = await homeWith({
    "work/.mcp.json": { mcpServers: { s: { ...command, disabled: true } } },
  });
  await write(".claude.json", {
    mcpServers: { s: command },
    projects: { [project]: { mcpServers: { s: { command: "mine" } } } },
  });
  const { servers } = await discover({ hosts: ["claude-code"], admit });
  expect(servers).toMatchObject([{ command: "mine", definedIn: { scope: "local" } }]);
});

describe("an entry of a project that is off and does not say how the server is reached", () => {
  const OFF: readonly object[] = [
    { type: "stdio", disabled: true },
    { type: "http", enabled: false, env: {} },
    { disabled: true, description: "not here", _note: "x" },
    { command: "", disabled: true },
    { disabled: "true" },
  ];
  const FAULTY: readonly object[] = [
    { command: 5, disabled: true },
    { command: "x", url: "https://x.example", enabled: false },
    { command: "x", args: 5, disabled: true },
  ];
  const FILES = [
    ["jackfield", ".config/jackfield/mcp.json", ".mcp.json", "mcpServers"],
    ["claude-code", ".claude.json", ".mcp.json", "mcpServers"],
    ["cursor", ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"],
    ["amp", ".config/amp/settings.json", ".amp/settings.json", "amp.mcpServers"],
    ["opencode", ".config/opencode/opencode.json", "opencode.json", "mcp"],
  ] as const;

  test.each(FILES)("switches the user's off all the same: %s", async (host, user, project, key) => {
    for (const off of [...OFF, ...FAULTY]) {
      const entry = host === "opencode" ? { type: "local", command: ["node"] } : command;
      const { discover } = await homeWith({
        [user]: under(key, entry),
        [`work/${project}`]: under(key, off),
      });
      const { servers, blocked, problems } = await discover({ hosts: [host], admit });
      expect([off, servers]).toEqual([off, []]);
      expect(blocked.map(({ definition, by }) => [definition.definedIn.scope, by])).toContainEqual([
        "user",
        "disabled",
      ]);
      expect(problems).toHaveLength(FAULTY.includes(off) ? 1 : 0);
    }
  });

  test("is a mistake if it is on", async () => {
    const { discover } = await homeWith({
      "work/.mcp.json": under("mcpServers", { disabled: false, uri: "https://x" }),
    });
    expect((await discover({ admit })).problems).toHaveLength(1);
  });
});
