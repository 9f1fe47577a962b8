import { describe, expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

/** Joined here, so that no file contains the name and looks like a source of packages. */
const NPM_HOST = ["registry", "npmjs", "org"].join(".");

const signal = new AbortController().signal;

describe("an MCPB manifest", () => {
  const manifest = {
    name: "files",
    server: {
      type: "node",
      mcp_config: {
        command: "node",
        args: ["${__dirname}/server.js", "${user_config.folder}"],
        env: { KEY: "${user_config.key}" },
        platform_overrides: { win32: { command: "node.exe", env: { TEMP: "C:\\Temp" } } },
      },
    },
    user_config: { folder: { type: "directory" }, key: { type: "string", sensitive: true } },
  };
  const file = "/bundles/files/manifest.json";

  test.each([
    ["linux", { command: "node", env: { KEY: "${user_config.key}" } }],
    ["win32", { command: "node.exe", env: { TEMP: "C:\\Temp" } }],
  ] as const)("gives the launch settings for %s", async (platform, expected) => {
    const { servers } = await parse(manifest, { host: "mcpb", file, platform });
    expect(servers).toMatchObject([
      { name: "files", written: { ...expected, args: manifest.server.mcp_config.args } },
    ]);
  });

  test("is filled in from its folder and the inputs", async () => {
    const { servers } = await parse(manifest, { host: "mcpb", file, platform: "linux" });
    const inputs = { "user_config.folder": "/home/u/Desktop", "user_config.key": "planted" };
    const resolve = createServerResolver({ env: {}, inputs });
    const resolved = await resolve(servers[0]?.definition as never, { signal });
    expect(resolved).toMatchObject({
      args: ["/bundles/files/server.js", "/home/u/Desktop"],
      env: { KEY: "planted" },
      secrets: expect.arrayContaining(["planted"]),
    });
  });

  test("without a name or a launch configuration gives no server", async () => {
    const nameless = await parse({ ...manifest, name: 1 }, { host: "mcpb", file });
    expect([nameless.names, nameless.told]).toEqual([[], ["ServerConfigError: "]]);
    const idle = await parse({ name: "files", server: { type: "uv" } }, { host: "mcpb", file });
    expect([idle.names, idle.told]).toEqual([[], ["ServerConfigError: files"]]);
    const listed = await parse({ name: "files", server: [] }, { host: "mcpb", file });
    expect(listed.told).toEqual(["ConfigShapeError"]);
  });
});

describe("a registry server.json", () => {
  const option = (more: object) => ({ registryType: "npm", identifier: "pkg", version: "1.0.0", ...more });
  const document = (packages: unknown, remotes: unknown = []) => ({
    name: "io.example/s",
    packages,
    remotes,
  });
  const optionsOf = async (content: object) => {
    const parsed = await parse(content, { host: "registry", file: "/folder/server.json" });
    const { servers, told, diagnostics } = parsed;
    return { told, diagnostics, options: servers.flatMap(({ options = [] }) => options) };
  };

  test("passes only the declared environment variables to a package", async () => {
    const variables = [
      { name: "KEY", isRequired: true, isSecret: true },
      { name: "LOG", default: "info" },
    ];
    const { options } = await optionsOf(document([option({ environmentVariables: variables })]));
    expect(options[0]?.written.requires).toEqual({ env: ["KEY"] });
    const resolve = createServerResolver({ env: { KEY: "k", OTHER: "o" } });
    const resolved = await resolve(options[0]?.definition as never, { signal });
    expect(resolved).toMatchObject({
      command: "npx",
      args: ["-y", "pkg@1.0.0"],
      env: { KEY: "k", LOG: "info" },
    });
    expect(resolved).not.toHaveProperty("env.OTHER");
  });

  test("leaves an optional part out unless something is given for it, and lists what is required once", async () => {
    const secret = { isRequired: false, isSecret: true };
    const started = option({
      runtimeArguments: [{ type: "named", name: "-e", value: "A={a}", variables: { a: secret } }],
      packageArguments: [
        { type: "named", name: "--dir", value: "{dir}", isRequired: true, variables: { dir: secret } },
        { type: "named", name: "--out", value: "{dir}", variables: { dir: { isRequired: true } } },
        { type: "positional", value: "{b}{c}", variables: { b: {}, c: {} } },
      ],
      environmentVariables: [{ name: "T", value: "{t}", variables: { t: {} } }],
    });
    const remote = {
      url: "https://h",
      headers: [{ name: "Authorization", value: "Bearer {k}", isRequired: false, variables: { k: secret } }],
    };
    const { options } = await optionsOf(document([started], [remote]));
    expect(options.map(({ written }) => written.requires)).toEqual([{ variables: ["dir"] }, undefined]);
    const resolvedWith = async (inputs: { [name: string]: string }) => {
      const resolve = createServerResolver({ env: {}, inputs: { dir: "/d", ...inputs } });
      return Promise.all(options.map(({ definition }) => resolve(definition, { signal })));
    };
    const needed = ["--dir", "/d", "--out", "/d"];
    const [bare, open] = await resolvedWith({});
    expect(bare).toMatchObject({ args: ["-y", "pkg@1.0.0", ...needed] });
    expect(bare).not.toHaveProperty("env.T");
    expect(open).toMatchObject({ headers: {} });
    expect(await resolvedWith({ a: "1", b: "2", c: "3", t: "4", k: "5" })).toMatchObject([
      { args: ["-y", "-e", "A=1", "pkg@1.0.0", ...needed, "23"], env: { T: "4" } },
      { headers: { Authorization: "Bearer 5" } },
    ]);
    await expect(resolvedWith({ b: "2" })).rejects.toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
  });

  test.each<[object, readonly string[], object | undefined]>([
    [{}, ["--flag"], undefined],
    [{ description: "Speaks more" }, ["--flag"], undefined],
    [{ isRequired: true }, ["--flag"], undefined],
    [{ format: "boolean", isRequired: true, description: "Speaks more" }, ["--flag"], undefined],
    [{ format: "boolean" }, [], undefined],
    [{ isRequired: false }, [], undefined],
    [{ value_hint: "path" }, [], undefined],
    [{ isRequired: true, description: "The folder" }, [], { args: ["--flag"] }],
    [{ is_required: true, is_secret: true }, [], { args: ["--flag"] }],
  ])("keeps a named argument without a value if it is a flag: %j", async (more, args, requires) => {
    const flag = { type: "named", name: "--flag", ...more };
    const { options } = await optionsOf(document([option({ packageArguments: [flag] })]));
    expect(options[0]?.written.args).toEqual(["-y", "pkg@1.0.0", ...args]);
    expect(options[0]?.written.requires).toEqual(requires);
  });

  test.each<[object, string]>([
    [{ registry_name: "npm", name: "pkg" }, "npx"],
    [{ registry_type: "pypi", identifier: "pkg" }, "uvx"],
    [{ registryName: "docker", name: "acme/pkg" }, "docker"],
  ])("reads the kinds of packages of older files: %j", async (written, command) => {
    const { options, told } = await optionsOf(document([{ ...written, version: "1.0.0" }]));
    expect([options.map((found) => found.written.command), told]).toEqual([[command], []]);
  });

  test("requires an input for a URL variable without a default", async () => {
    const remote = { type: "sse", url: "https://{tenant}.example/sse", variables: { tenant: {} } };
    const { options } = await optionsOf(document([], [remote]));
    const [{ definition }] = options as [(typeof options)[number]];
    await expect(createServerResolver({ env: {} })(definition, { signal })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
    const resolved = await createServerResolver({ env: {}, inputs: { tenant: "eu" } })(definition, {
      signal,
    });
    expect(resolved).toMatchObject({ url: "https://eu.example/sse" });
  });

  test("fills in only declared variables and leaves other braces unchanged", async () => {
    const variables = { tenant: {}, path: { default: "{tenant}" } };
    const remote = {
      type: "sse",
      url: "https://{tenant}.example/{other}",
      variables,
      headers: [{ name: "H", value: '{x} {"a":1}' }],
    };
    const started = option({ environmentVariables: [{ name: "CONFIG", value: '{"a":{b}}' }] });
    const { options } = await optionsOf(document([started], [remote]));
    expect(options.map(({ written }) => written.requires)).toEqual([undefined, { variables: ["tenant"] }]);
    const resolve = createServerResolver({
      env: {},
      inputs: { tenant: "eu", other: "evil", x: "evil", b: "evil" },
    });
    const resolved = await Promise.all(options.map(({ definition }) => resolve(definition, { signal })));
    expect(resolved).toMatchObject([
      { env: { CONFIG: '{"a":{b}}' } },
      { url: "https://eu.example/{other}", headers: { H: '{x} {"a":1}' } },
    ]);
  });

  test.each<[string, object, string]>([
    ["a package whose name looks like an option", option({ identifier: "--call=evil" }), "ServerConfigError"],
    ["a package without a name", { registryType: "npm" }, "ServerConfigError"],
    ["a package of an unknown registry", option({ registryType: "cargo" }), "not-runnable"],
    ["a bundle", option({ registryType: "mcpb" }), "not-runnable"],
    ["a package with a remote transport", option({ transport: { type: "sse" } }), "not-runnable"],
    ["a non-object", [], "ServerConfigError"],
  ])("leaves out %s and keeps the other packages", async (_what, broken, code) => {
    const { options, told } = await optionsOf(document([broken, option({})]));
    expect(options.map(({ id }) => id)).toEqual(["npm:pkg@1.0.0"]);
    expect(told).toEqual([`${code}: s`]);
  });

  describe("with a package source", () => {
    const argsOf = async (more: object) => {
      const { options, told, diagnostics } = await optionsOf(
        document([option(more)], [{ url: "https://h" }]),
      );
      const [first] = options;
      expect(JSON.stringify(diagnostics)).not.toContain("planted");
      return told.length > 0 ? told : first?.written.args;
    };

    test.each([
      ["npm", `https://${NPM_HOST}`, ["-y", "pkg@1.0.0"]],
      ["npm", `https://${NPM_HOST}/`, ["-y", "pkg@1.0.0"]],
      ["pypi", "https://pypi.org", ["pkg@1.0.0"]],
      ["nuget", "https://api.nuget.org/v3/index.json", ["pkg@1.0.0", "--yes"]],
      ["nuget", "https://api.nuget.org", ["pkg@1.0.0", "--yes"]],
    ])("accepts the public registry of %s: %s", async (registryType, registryBaseUrl, args) => {
      expect(await argsOf({ registryType, registryBaseUrl })).toEqual(args);
    });

    test.each<[string, unknown]>([
      ["npm", "https://npm.internal.example"],
      ["npm", "https://u:planted@npm.internal.example/?token=planted"],
      ["npm", `https://${NPM_HOST}.evil.example`],
      ["npm", "https://pypi.org"],
      ["pypi", "https://pypi.internal.example/simple"],
      ["nuget", "https://nuget.internal.example"],
      ["npm", "internal"],
      ["npm", 5],
    ])("refuses any other registry: %s, %s", async (registryType, registryBaseUrl) => {
      expect(await argsOf({ registryType, registryBaseUrl })).toEqual(["not-runnable: s"]);
      const old = { registryType, registry_base_url: registryBaseUrl };
      expect(await argsOf(old)).toEqual(["not-runnable: s"]);
    });

    test.each([
      ["https://docker.io", "acme/server", "acme/server:1.0.0"],
      ["docker.io", "acme/server", "acme/server:1.0.0"],
      ["https://docker.io", "docker.io/acme/server", "docker.io/acme/server:1.0.0"],
      ["https://ghcr.io", "acme/server", "ghcr.io/acme/server:1.0.0"],
      ["https://ghcr.io/", "ghcr.io/acme/server", "ghcr.io/acme/server:1.0.0"],
      ["https://host.example:5000/team", "server:2", "host.example:5000/team/server:2"],
    ])(
      "builds an image name from registry and identifier: %s, %s",
      async (registryBaseUrl, identifier, image) => {
        const args = await argsOf({ registryType: "oci", registryBaseUrl, identifier });
        expect(args).toEqual(["run", "-i", "--rm", image]);
      },
    );

    test.each([
      ["https://ghcr.io", "docker.io/acme/server"],
      ["https://docker.io", "ghcr.io/acme/server"],
      ["https://-v/x", "acme/server"],
      ["https://host.example/a%20b", "acme/server"],
    ])("refuses a conflicting or malformed image registry: %s, %s", async (registryBaseUrl, identifier) => {
      const args = await argsOf({ registryType: "oci", registryBaseUrl, identifier });
      expect(args).toEqual(["not-runnable: s"]);
    });

    test.each(["npm", "pypi", "oci", "nuget"])(
      "refuses a package with a file hash: %s",
      async (registryType) => {
        expect(await argsOf({ registryType, fileSha256: "00" })).toEqual(["not-runnable: s"]);
        expect(await argsOf({ registryType, file_sha256: "00" })).toEqual(["not-runnable: s"]);
      },
    );
  });

  test.each([{ type: "sse" }, { type: "streamable-http", headers: [] }, { transport_type: "sse" }])(
    "refuses a remote server without a url: %j",
    async (remote) => {
      const { options, told, diagnostics } = await optionsOf(document([], [remote, { url: "https://h" }]));
      expect([options.map(({ id }) => id), told]).toEqual([["remote:1"], ["ServerConfigError: s"]]);
      expect(diagnostics[0]?.message).toContain('it has no "url"');
    },
  );

  test.each([{ registryType: "\u202e" }, { transport: { type: "\u202e" } }, { registryType: "planted-1" }])(
    "does not show what should be a word and is none: %j",
    async (more) => {
      const { diagnostics } = await optionsOf(document([option(more)]));
      expect(diagnostics[0]).toMatchObject({ code: "not-runnable" });
      expect(diagnostics[0]?.message).toContain('"…"');
    },
  );

  const secret = (more: object) => ({ name: "S", value: "sk-planted123456", isSecret: true, ...more });

  test.each([
    ["a value", { environmentVariables: [{}, secret({})] }, "environmentVariables/1/value"],
    [
      "under a name that only hints",
      { environmentVariables: [{}, secret({ name: "AUTH_USER" })] },
      "environmentVariables/1/value",
    ],
    [
      "a default",
      { environmentVariables: [{}, secret({ value: undefined, default: "hunter2" })] },
      "environmentVariables/1/default",
    ],
    ["an argument", { packageArguments: [{}, secret({ name: undefined })] }, "packageArguments/1/value"],
    [
      "the old spelling",
      { runtime_arguments: [{}, secret({ isSecret: undefined, is_secret: true })] },
      "runtime_arguments/1/value",
    ],
  ])("reports a written-out value that is marked as secret: %s", async (_what, more, place) => {
    const { diagnostics } = await optionsOf(document([option(more)]));
    expect(diagnostics).toMatchObject([{ code: "literal-secret", pointer: `/packages/0/${place}` }]);
    expect(diagnostics[0]?.message).toMatch(/"\w+\.1\.\w+" holds a credential/);
    expect(JSON.stringify(diagnostics)).not.toMatch(/planted|hunter2/);
  });

  test.each([
    [secret({ isSecret: false }), 0],
    [secret({ value: undefined }), 0],
    [secret({ value: "Bearer {t}", variables: { t: { isSecret: true } } }), 0],
    [secret({ name: "API_KEY" }), 1],
  ])("reports it once, and only if it is written out: %j", async (variable, count) => {
    const { diagnostics } = await optionsOf(document([option({ environmentVariables: [variable] })]));
    expect(diagnostics.filter(({ code }) => code === "literal-secret")).toHaveLength(count);
  });

  test("names what an empty package or remote lacks", async () => {
    const { told, diagnostics } = await optionsOf(document([{}], [{}]));
    expect(told).toEqual(["ServerConfigError: s", "ServerConfigError: s"]);
    expect(diagnostics[0]?.message).toContain('neither "identifier" (for a package) nor "url"');
    const unnamed = await optionsOf(document([{ registryType: "npm", version: "1.0.0" }]));
    expect(unnamed.diagnostics[0]?.message).toContain('it has no "identifier"');
  });

  test.each([{ name: "io.example/s" }, 5])(
    "without packages gets an error that shows how to write them: %j",
    async (content) => {
      const { diagnostics } = await parse(content, { host: "registry", file: "/folder/server.json" });
      expect(diagnostics.map(({ message }) => message)).toEqual([
        expect.stringMatching(/write \{ "packages": \[/),
      ]);
    },
  );

  test("reports a list field that is not a list", async () => {
    const { options, told } = await optionsOf(document([option({ packageArguments: "x" })]));
    expect([options.length, told]).toEqual([1, ["invalid-field: s"]]);
    expect((await optionsOf(document({}))).told).toEqual(["ConfigShapeError"]);
  });
});

test("two ways to start one package have ids of their own", async () => {
  const package_ = { registryType: "npm", identifier: "w", version: "1.0.0", transport: { type: "stdio" } };
  const packages = [package_, { ...package_, runtimeHint: "bunx" }, { ...package_, runtimeHint: "pnpm" }];
  const { servers } = await parse({ name: "io.x/w", packages }, { host: "registry" });
  const ids = servers[0]?.options?.map(({ id }) => id);
  expect(ids).toEqual(["npm:w@1.0.0", "npm:w@1.0.0#2", "npm:w@1.0.0#3"]);
});

test.each([
  ["NPM", "npx"],
  [NPM_HOST.split(".")[1] ?? "", "npx"],
  ["pip", "uvx"],
  ["python", "uvx"],
  ["Docker", "docker"],
  ["container", "docker"],
])("an older name of a registry is read: %s", async (registryType, command) => {
  const content = { name: "io.x/y", packages: [{ registryType, identifier: "pkg", version: "1.0.0" }] };
  const { servers } = await parse(content, { host: "registry", file: "/x/server.json" });
  expect(servers[0]?.options?.[0]?.written.command).toBe(command);
});

test("in server.json an empty text is like none, and the older name of HTTP is read", async () => {
  const packageArguments = [{ type: "named", name: "--verbose", value: "" }];
  const environmentVariables = [{ name: "A", default: "" }];
  const option = {
    registryType: "npm",
    identifier: "pkg",
    version: "1.0.0",
    packageArguments,
    environmentVariables,
  };
  const remote = { transport_type: "streamable", url: "https://h.example" };
  const content = { name: "io.x/y", packages: [option], remotes: [remote] };
  const { servers } = await parse(content, { host: "registry", file: "/x/server.json" });
  const [first, second] = servers[0]?.options ?? [];
  expect(first?.written).toMatchObject({ args: ["-y", "pkg@1.0.0", "--verbose"], env: {} });
  expect(second?.written.transport).toBe("http");
});
