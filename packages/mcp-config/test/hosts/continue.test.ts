import { describe, expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const block = (name: string) =>
  `name: Block\nversion: 0.0.1\nmcpServers:\n  - name: ${name}\n    command: x\n`;

describe("Continue's mcpServers folder", () => {
  test.each(["work/", ""])("is read for .yaml, .yml and .json files only: %j", async (folder) => {
    const blocks = `${folder}.continue/mcpServers`;
    const { discover } = await homeWith({
      [`${blocks}/a.yaml`]: block("a"),
      [`${blocks}/b.json`]: { mcpServers: { b: { command: "x" } } },
      [`${blocks}/c.yml`]: block("c"),
      [`${blocks}/a.yaml~`]: block("backup"),
      [`${blocks}/a.yaml.bak`]: block("backup"),
      [`${blocks}/README.md`]: "# Blocks\n\n- one: [\n",
      [`${blocks}/.DS_Store`]: "\u0000\u0000",
      [`${blocks}/.gitkeep`]: "",
      [`${blocks}/folder/d.yaml`]: block("d"),
    });
    const { servers, problems, diagnostics } = await discover({ hosts: ["continue"] });
    expect(servers.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect([problems, diagnostics]).toEqual([[], []]);
  });
});

test.each([
  ["mcpServers/a.yaml", "mcpServers: [{ name: s, command: x }]", [`lacks "name" and "version"`]],
  ["mcpServers/a.yml", "name: a\nmcpServers: [{ name: s, command: x }]", [`lacks "version"`]],
  ["mcpServers/a.yaml", "name: a\nversion: 0.0.1\nmcpServers: [{ name: s, command: x }]", []],
  ["mcpServers/a.json", '{ "mcpServers": { "s": { "command": "x" } } }', []],
  ["config.yaml", "mcpServers: [{ name: s, command: x }]", []],
])(
  "the members that Continue wants at the top of a block are missed in %s: %s",
  async (file, text, missed) => {
    const options = { host: "continue", file: `/p/.continue/${file}` };
    const { names, diagnostics } = await parse(text, options);
    expect(names).toEqual(["s"]);
    expect(diagnostics.map(({ code }) => code)).toEqual(missed.map(() => "missing-metadata"));
    for (const [index, lack] of missed.entries()) expect(diagnostics[index]?.message).toContain(lack);
  },
);

describe("a Continue block with a single server", () => {
  const blocks = "work/.continue/mcpServers";

  test("is named after its file", async () => {
    const { discover } = await homeWith({
      [`${blocks}/single.json`]: { command: "npx", args: ["-y", "x"] },
      [`${blocks}/my.events.json`]: { type: "sse", url: "https://h/x" },
      ".continue/mcpServers/of-user.json": { url: "https://h/y" },
    });
    const { servers, problems, diagnostics } = await discover({ hosts: ["continue"] });
    expect(servers).toMatchObject([
      { name: "my.events", transport: "sse", url: "https://h/x", definedIn: { scope: "project" } },
      { name: "single", transport: "stdio", command: "npx", args: ["-y", "x"], definedIn: { pointer: "" } },
      { name: "of-user", transport: "http", definedIn: { scope: "user" } },
    ]);
    expect([problems, diagnostics]).toEqual([[], []]);
  });

  test("is named after its file in parseHostFile too", async () => {
    const file = "/folder/single.json";
    const found = await parse({ command: "npx" }, { host: "continue", file });
    expect([found.names, found.told]).toEqual([["single"], []]);
    const twice = await parse('{ "command": "a", "command": "b" }', { host: "continue", file });
    expect([twice.names, twice.told]).toEqual([["single"], ["duplicate-key: single"]]);
    const broken = await parse({ command: 5 }, { host: "continue", file });
    expect([broken.names, broken.told]).toEqual([[], ["ServerConfigError: single"]]);
  });

  test.each([
    ["in YAML", "command: npx\n", "/folder/single.yaml", "wrong-root-key"],
    ["without any server field", { title: "x" }, "/folder/single.json", "no-servers"],
  ])("is not recognised %s", async (_what, content, file, code) => {
    const { names, told } = await parse(content, { host: "continue", file });
    expect([names, told]).toEqual([[], [code]]);
  });

  test("is not recognised beside a map of servers", async () => {
    const content = { command: "npx", mcpServers: { a: { command: "x" } } };
    const { names } = await parse(content, { host: "continue", file: "/folder/single.json" });
    expect(names).toEqual(["a"]);
  });
});

describe("a dollar-brace reference in Continue", () => {
  const text = "${KEY}|${{ secrets.KEY }}|${KEY:-no}";
  const child = { command: "x", args: [text], env: { KEY: text, LEVEL: 3 } };
  const remote = { url: "https://h/x", headers: { "X-Key": text } };

  async function resolved(content: unknown, file: string) {
    const { servers, told } = await parse(content, { host: "continue", file });
    const resolve = createServerResolver({ env: { KEY: "k" } });
    const signal = new AbortController().signal;
    const found = await Promise.all(servers.map(({ definition }) => resolve(definition, { signal })));
    return { servers, told, found };
  }

  test("resolves in the env of a JSON block and is literal elsewhere in it", async () => {
    const content = { mcpServers: { child, remote } };
    const { servers, found } = await resolved(content, "/folder/block.json");
    expect(servers[0]?.written.env).toEqual({
      KEY: "${{ secrets.KEY }}|${{ secrets.KEY }}|${KEY:-no}",
      LEVEL: "3",
    });
    expect(found).toMatchObject([
      { args: ["${KEY}|k|${KEY:-no}"], env: { KEY: "k|k|${KEY:-no}", LEVEL: "3" } },
      { headers: { "X-Key": "${KEY}|k|${KEY:-no}" } },
    ]);
  });

  test("resolves in the env of a single server and of another host's projects", async () => {
    const { found } = await resolved(child, "/folder/single.json");
    expect(found).toMatchObject([{ env: { KEY: "k|k|${KEY:-no}" } }]);
    const projects = { "/p": { mcpServers: { child } } };
    const { found: ofProject } = await resolved({ projects }, "/folder/claude.json");
    expect(ofProject).toMatchObject([{ env: { KEY: "k|k|${KEY:-no}" } }]);
  });

  test("is literal in YAML, even in env", async () => {
    const content = JSON.stringify({ mcpServers: [{ name: "child", ...child }] });
    const { found } = await resolved(content, "/folder/block.yaml");
    expect(found).toMatchObject([{ args: ["${KEY}|k|${KEY:-no}"], env: { KEY: "${KEY}|k|${KEY:-no}" } }]);
  });
});

test("a Continue secrets reference is secret whatever its name and place", async () => {
  const env = { PLAIN: "hunter2-value" };
  const servers = [
    { name: "child", command: "x", args: ["--db", "${{ secrets.PLAIN }}"] },
    { name: "remote", url: "https://h/${{ secrets.PLAIN }}/sse" },
  ];
  const content = JSON.stringify({ mcpServers: servers });
  const { servers: found } = await parse(content, { host: "continue", file: "/home/u/config.yaml" });
  const signal = new AbortController().signal;
  for (const { definition } of found) {
    const { secrets } = await createServerResolver({ env })(definition, { signal });
    expect(secrets).toContain("hunter2-value");
  }
  expect(found).toHaveLength(2);
});

describe("a variable in the env of a Continue JSON block", () => {
  const secretsOf = async (entry: object, file = "/folder/block.json") => {
    const content = { mcpServers: { s: { command: "x", ...entry } } };
    const { servers } = await parse(content, { host: "continue", file });
    const env = { LEVEL: "debug-level", API_KEY: "planted-key" };
    const options = { signal: new AbortController().signal };
    const found = await createServerResolver({ env })(servers[0]?.definition as never, options);
    return { secrets: found.secrets, found, servers };
  };

  test("is secret only if its name is a credential's", async () => {
    const env = { A: "${LEVEL}", B: "${API_KEY}" };
    const { secrets, found, servers } = await secretsOf({ env });
    expect(found).toMatchObject({ env: { A: "debug-level", B: "planted-key" } });
    expect(secrets).not.toContain("debug-level");
    expect(secrets).toContain("planted-key");
    expect(servers[0]?.written).not.toHaveProperty("extra");
  });

  test.each<[string, object]>([
    ["in the same place", { env: { A: "${{ secrets.LEVEL }}" } }],
    ["in another place", { env: { A: "${LEVEL}" }, args: ["${{ secrets.LEVEL }}"] }],
    ["despite a plainVariables field", { env: { A: "${{secrets.LEVEL}}" }, plainVariables: ["LEVEL"] }],
  ])("is secret if a secrets reference names it %s", async (_what, entry) => {
    expect((await secretsOf(entry)).secrets).toContain("debug-level");
  });

  test("is secret in YAML too, despite a plainVariables field", async () => {
    const server = { name: "s", command: "x", args: ["${{ secrets.LEVEL }}"], plainVariables: ["LEVEL"] };
    const content = JSON.stringify({ mcpServers: [server] });
    const { servers } = await parse(content, { host: "continue", file: "/home/u/config.yaml" });
    const resolve = createServerResolver({ env: { LEVEL: "debug-level" } });
    const options = { signal: new AbortController().signal };
    expect((await resolve(servers[0]?.definition as never, options)).secrets).toContain("debug-level");
  });
});

describe("the apiKey of a remote Continue server", () => {
  const file = "/home/u/.continue/config.yaml";
  const entry = { name: "s", url: "https://h/x", apiKey: "${{ secrets.KEY }}" };
  const read = (server: object) =>
    parse(JSON.stringify({ mcpServers: [{ ...entry, ...server }] }), { host: "continue", file });

  test("is sent as a bearer token, but not copied into the written headers", async () => {
    const { servers, told } = await read({ requestOptions: { headers: { "X-A": "a" } } });
    expect(told).toEqual([]);
    expect(servers[0]?.written).toMatchObject({
      headers: { "X-A": "a" },
      extra: { apiKey: "${{ secrets.KEY }}" },
    });
    expect(servers[0]?.written.headers).not.toHaveProperty("Authorization");
    const resolve = createServerResolver({ env: { KEY: "planted" } });
    const signal = new AbortController().signal;
    expect(await resolve(servers[0]?.definition as never, { signal })).toMatchObject({
      headers: { "X-A": "a", Authorization: "Bearer planted" },
      secrets: expect.arrayContaining(["planted"]),
    });
  });

  test.each([
    [
      "the entry has an Authorization header",
      { requestOptions: { headers: { authorization: "${{ secrets.X }}" } } },
    ],
    ["it is empty", { apiKey: "" }],
  ])("is not sent if %s", async (_what, server) => {
    const { servers, told } = await read(server);
    expect(servers[0]?.definition).not.toHaveProperty("headers.Authorization");
    expect(told).toEqual([]);
  });

  test("is reported if it is not a string", async () => {
    const { servers, diagnostics } = await read({ apiKey: 12345 });
    expect(servers[0]?.definition).not.toHaveProperty("headers.Authorization");
    expect(diagnostics).toMatchObject([{ code: "invalid-field", pointer: "/mcpServers/0/apiKey" }]);
  });

  test("is reported as a literal secret", async () => {
    const { diagnostics } = await read({ apiKey: "planted" });
    expect(diagnostics).toMatchObject([{ code: "literal-secret", pointer: "/mcpServers/0/apiKey" }]);
    expect(JSON.stringify(diagnostics)).not.toContain("planted");
  });

  test("adds no header to a stdio server", async () => {
    const { servers } = await read({ url: undefined, command: "x" });
    expect(servers[0]?.definition).not.toHaveProperty("headers");
  });
});

test("each unusable element of a Continue server list gets its own diagnostic", async () => {
  const text =
    "mcpServers:\n  - uses: org/block\n  - plain\n  - command: x\n  - {name: ok, command: w}\n  - {name: '', command: y}\n";
  const { names, diagnostics } = await parse(text, { host: "continue", file: "/home/u/config.yaml" });
  expect(names).toEqual(["ok"]);
  expect(diagnostics.map(({ code, line, message }) => [line, code, message])).toEqual([
    [3, "ServerConfigError", expect.stringContaining("the entry must be an object, not a string")],
    [4, "ServerConfigError", expect.stringContaining('it has no "name"; add "name".')],
    [6, "ServerConfigError", expect.stringContaining("its name is empty; choose another")],
    [2, "not-runnable", expect.stringContaining('"org/block" is a block that Continue fetches from its hub')],
  ]);
});

test.each([
  ["123", "a number; put it in quotes"],
  ["true", "a boolean; put it in quotes"],
  ["[a]", "an array"],
])("a Continue list element named %s is refused because the name is not a string", async (name, kind) => {
  const { names, diagnostics } = await parse(`${block(name)}  - {name: ok, command: x}\n`, {
    host: "continue",
    file: "/folder/config.yaml",
  });
  expect(names).toEqual(["ok"]);
  expect(diagnostics).toMatchObject([{ code: "ServerConfigError", line: 4, pointer: "/mcpServers/0/name" }]);
  expect(diagnostics[0]?.message).toContain(`"name" must be a string, not ${kind}.`);
});
