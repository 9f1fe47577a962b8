import { expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

test.each(["streamable_http", "sse"])(
  "env_keys of a remote server (%s) is kept without a remark",
  async (type) => {
    const entry = { type, uri: "https://h/mcp", envs: { A: "a" }, env_keys: ["KEY"] };
    const { servers, told } = await parse(
      { extensions: { s: entry } },
      { host: "goose", file: "/folder/config.yaml" },
    );
    expect(servers).toMatchObject([{ written: { env: { A: "a" }, extra: { env_keys: ["KEY"] } } }]);
    expect(told).toEqual([]);
  },
);

test("env_keys of a process is handed on, and a field that means nothing for a remote server is still told of", async () => {
  const extensions = {
    child: { type: "stdio", cmd: "x", env_keys: ["KEY"] },
    remote: { type: "sse", uri: "https://h/sse", args: ["x"] },
  };
  const { servers, told } = await parse({ extensions }, { host: "goose", file: "/folder/config.yaml" });
  expect(servers[0]?.definition).toMatchObject({ envPassthrough: ["KEY"] });
  expect(servers[0]?.written.extra).toBeUndefined();
  expect(told).toEqual(["unused-field: remote"]);
});

test("variables that Goose does not let an extension set are left out, and told of", async () => {
  const envs = {
    PATH: "/evil",
    Ld_Preload: "x.so",
    node_options: "--require ./x.js",
    ComSpec: "x",
    KEPT: "1",
  };
  const extensions = {
    child: { type: "stdio", cmd: "x", envs, env_keys: ["KEY", "PYTHONPATH"] },
    remote: { type: "streamable_http", uri: "https://h", envs: { TMP: "/t" } },
  };
  const { servers, diagnostics } = await parse(
    { extensions },
    { host: "goose", file: "/folder/config.yaml" },
  );
  expect(servers).toMatchObject([
    { written: { env: { KEPT: "1" }, envPassthrough: ["KEY"] } },
    { written: { env: {} } },
  ]);
  expect(servers[0]?.definition).toMatchObject({ env: { KEPT: "1" } });
  expect(Object.keys(servers[0]?.written.env ?? {})).toEqual(["KEPT"]);
  expect(diagnostics.map(({ code, pointer }) => [code, pointer])).toEqual([
    ...Array.from({ length: 4 }, () => ["invalid-field", "/extensions/child/envs"]),
    ["invalid-field", "/extensions/child/env_keys"],
    ["invalid-field", "/extensions/remote/envs"],
  ]);
  expect(diagnostics[1]?.message).toContain('"Ld_Preload" in "envs"');
  expect(JSON.stringify(diagnostics)).not.toContain("evil");
});

test("the address and headers of a remote server refer to its envs and env_keys, and to nothing else", async () => {
  const remote = {
    type: "streamable_http",
    uri: "https://h/${SECRET}/$UNSET/$OTHER/${ SET }",
    headers: { A: "Bearer $SECRET", B: "${SET}", C: "${UNSET} ${OTHER} ${SECRET:-x}" },
    envs: { SET: "$SECRET" },
    env_keys: ["SECRET", "UNSET"],
  };
  const child = {
    type: "stdio",
    cmd: "x",
    args: ["$SET", "${SECRET}"],
    envs: { SET: "${SECRET}", SECRET: "1" },
  };
  const { servers } = await parse(
    { extensions: { remote, child } },
    { host: "goose", file: "/folder/config.yaml" },
  );
  const resolve = createServerResolver({ env: { SECRET: "planted", OTHER: "other" } });
  const resolved = await Promise.all(
    servers.map(({ definition }) => resolve(definition, { signal: new AbortController().signal })),
  );
  expect(resolved[0]).toMatchObject({
    url: "https://h/planted/$UNSET/$OTHER/$SECRET",
    headers: { A: "Bearer planted", B: "$SECRET", C: "${UNSET} ${OTHER} ${SECRET:-x}" },
    secrets: expect.arrayContaining(["planted"]),
  });
  expect(resolved[1]).toMatchObject({ args: ["$SET", "${SECRET}"], env: { SET: "${SECRET}", SECRET: "1" } });
});

test("a variable of another host is told of where Goose has none", async () => {
  const remote = { type: "streamable_http", uri: "https://h", headers: { Authorization: "Bearer ${KEY}" } };
  const child = { type: "stdio", cmd: "x", envs: { TOKEN: "${KEY}", API_KEY: "planted$x" } };
  const { told } = await parse(
    { extensions: { remote, child } },
    { host: "goose", file: "/folder/config.yaml" },
  );
  expect(told).toEqual(["literal-secret: child", "foreign-variable: child"]);
});
