import { expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

test.each(["streamable_http", "sse"])(
  "Goose env_keys of a remote server (%s) are kept without a diagnostic",
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

test("Goose env_keys of a stdio server are passed through; args of a remote one are reported", async () => {
  const extensions = {
    child: { type: "stdio", cmd: "x", env_keys: ["KEY"] },
    remote: { type: "sse", uri: "https://h/sse", args: ["x"] },
  };
  const { servers, told } = await parse({ extensions }, { host: "goose", file: "/folder/config.yaml" });
  expect(servers[0]?.definition).toMatchObject({ envPassthrough: ["KEY"] });
  expect(servers[0]?.written.extra).toBeUndefined();
  expect(told).toEqual(["unused-field: remote"]);
});

test("variables that Goose forbids an extension to set are dropped and reported", async () => {
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
    ...["PATH", "Ld_Preload", "node_options", "ComSpec"].map((name) => [
      "invalid-field",
      `/extensions/child/envs/${name}`,
    ]),
    ["invalid-field", "/extensions/child/env_keys/1"],
    ["invalid-field", "/extensions/remote/envs/TMP"],
  ]);
  expect(diagnostics[1]?.message).toContain('"Ld_Preload" in "envs"');
  expect(JSON.stringify(diagnostics)).not.toContain("evil");
});

test("every variable that Goose forbids is dropped, whatever its case", async () => {
  // As its source lists them.
  const forbidden =
    "PATH PATHEXT SystemRoot windir LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT LD_DEBUG LD_BIND_NOW LD_ASSUME_KERNEL " +
    "DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_FRAMEWORK_PATH PYTHONPATH PYTHONHOME NODE_OPTIONS RUBYOPT " +
    "GEM_PATH GEM_HOME CLASSPATH GO111MODULE GOROOT APPINIT_DLLS SESSIONNAME ComSpec TEMP TMP LOCALAPPDATA " +
    "USERPROFILE HOMEDRIVE HOMEPATH";
  const names = forbidden.split(" ").flatMap((name) => [name, name.toLowerCase()]);
  const envs = Object.fromEntries([...names, "KEPT"].map((name) => [name, "x"]));
  const extensions = { child: { type: "stdio", cmd: "x", envs } };
  const { servers } = await parse({ extensions }, { host: "goose", file: "/folder/config.yaml" });
  expect(servers[0]?.definition).toMatchObject({ env: { KEPT: "x" } });
  expect(Object.keys(servers[0]?.written.env ?? {})).toEqual(["KEPT"]);
});

test("the URL and headers of a remote Goose server resolve only from its envs and env_keys", async () => {
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
  const resolve = createServerResolver({
    env: { SECRET: "planted", OTHER: "other" },
    missingVariable: "host",
  });
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

test.each([
  ["uri", { uri: "https://h/${KEY}" }, "url"],
  ["a header", { uri: "https://h", headers: { Authorization: "Bearer $KEY" } }, "headers.Authorization"],
])(
  "an unset secret in %s of a Goose server is missing, and its reference is not sent",
  async (_place, fields, field) => {
    const remote = { type: "streamable_http", env_keys: ["KEY"], ...fields };
    const { servers } = await parse(
      { extensions: { remote } },
      { host: "goose", file: "/folder/config.yaml" },
    );
    const resolve = createServerResolver({ env: {} });
    const signal = new AbortController().signal;
    await expect(resolve(servers[0]?.definition as never, { signal })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
      message: expect.stringContaining(`"KEY" in "${field}"`),
    });
  },
);

test("a reference in envs, which Goose does not fill in, is reported as foreign", async () => {
  const remote = { type: "streamable_http", uri: "https://h", headers: { Authorization: "Bearer ${KEY}" } };
  const child = { type: "stdio", cmd: "x", envs: { TOKEN: "${KEY}", API_KEY: "planted$x" } };
  const { told } = await parse(
    { extensions: { remote, child } },
    { host: "goose", file: "/folder/config.yaml" },
  );
  expect(told).toEqual(["literal-secret: child", "foreign-variable: child"]);
});
