import { describe, expect, test } from "vitest";
import { createServerResolver } from "../src/index.ts";
import { IN_FILE, refused, resolveHttp, resolveStdio, signal, stdio } from "./resolution.ts";

describe("a child process", () => {
  const env = { PATH: "/bin", HOME: "/h", OPENAI_API_KEY: "planted", EXTRA: "extra", FN: "() { x; }" };

  test("lists the inherited variables apart from the entry's own", async () => {
    const server = await resolveStdio(
      { env: { OWN: "1", TERM: "dumb" } },
      { env: { HOME: "/h", TERM: "xterm", OTHER: "x" } },
    );
    expect(server).toMatchObject({ env: { HOME: "/h", OWN: "1", TERM: "dumb" }, inherited: ["HOME"] });
  });

  test("[A3] gets the safe variables and its own, not other variables such as API keys", async () => {
    const server = await resolveStdio({ env: { A: "1" } }, { env });
    expect(server.env).toEqual({ PATH: "/bin", HOME: "/h", A: "1" });
    expect(Object.getPrototypeOf(server.env)).toBeNull();
  });

  test("gets more variables with inheritEnv", async () => {
    expect((await resolveStdio({}, { env, inheritEnv: ["EXTRA"] })).env).toEqual({
      PATH: "/bin",
      HOME: "/h",
      EXTRA: "extra",
    });
    expect((await resolveStdio({}, { env, inheritEnv: true })).env).toEqual({
      PATH: "/bin",
      HOME: "/h",
      OPENAI_API_KEY: "planted",
      EXTRA: "extra",
    });
  });

  test("gets what decides whether TLS and installing work, and lists what it does not get of that", async () => {
    const installing = {
      NODE_EXTRA_CA_CERTS: "/ca.pem",
      https_proxy: "http://u:proxy-password@proxy.example",
      NPM_CONFIG_REGISTRY: "https://registry.example",
      UV_INDEX_URL: "https://index.example",
    };
    const all = { ...env, ...installing, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const usual = await resolveStdio({}, { env: all });
    expect(usual.env).toEqual({ PATH: "/bin", HOME: "/h", ...installing });
    expect(usual).toMatchObject({ withheld: ["NODE_TLS_REJECT_UNAUTHORIZED"] });
    expect(usual.secrets).toContain("proxy-password");
    const listed = await resolveStdio({}, { env: all, inheritEnv: ["EXTRA"] });
    expect(listed.env).toEqual({ PATH: "/bin", HOME: "/h", EXTRA: "extra", ...installing });
    const none = await resolveStdio({}, { env: all, inheritEnv: false });
    expect(none.env).toEqual({ PATH: "/bin", HOME: "/h" });
    expect(none.withheld).toEqual([...Object.keys(installing), "NODE_TLS_REJECT_UNAUTHORIZED"].sort());
    const unset = await resolveStdio({ envUnset: ["https_proxy"] }, { env: installing });
    expect(unset.withheld).toEqual(["https_proxy"]);
    expect(unset.env).not.toHaveProperty("https_proxy");
    const own = await resolveStdio({ env: { https_proxy: "http://own" } }, { env: installing });
    expect(own.env.https_proxy).toBe("http://own");
    expect(own).not.toHaveProperty("withheld");
  });

  test("resolves a path that turns out relative against the folder of its file", async () => {
    const options = { env: { DIR: "sub" } };
    const inFile = await resolveStdio({ command: "${DIR}/s", cwd: "${DIR}" }, options);
    expect(inFile).toMatchObject({ command: "/project/sub/s", cwd: "/project/sub" });
    const inCode = await resolveStdio({ definedIn: { scope: "explicit" }, cwd: "${DIR}" }, options);
    expect(inCode.cwd).toBe("sub");
  });

  test("is refused if its command comes out empty", async () => {
    const error = await refused(resolveStdio({ command: "${E}" }, { env: { E: "" } }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "resolve", location: { line: 4 } });
    expect(error.message).toContain('"command" is empty');
  });
});

describe("a remote server", () => {
  test.each(["", "host", "file:///etc/passwd", "javascript:alert(1)", "https://", "https://ho st/"])(
    "is refused if its url comes out as %j",
    async (url) => {
      const error = await refused(resolveHttp({ url: "${URL}" }, { env: { URL: url } }));
      expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", server: "s" });
      expect(error.message).toContain('"url" is not an http(s) URL once its variables are filled in');
    },
  );

  test.each(["token\n", "a\r\nX-Injected: 1", "tok\u0000en", "to€ken"])(
    "is refused if a header's value comes out as %j",
    async (token) => {
      const error = await refused(
        resolveHttp({ headers: { Authorization: "Bearer ${T}" } }, { env: { T: token } }),
      );
      expect(error.code).toBe("MCP_CONFIG_INVALID");
      expect(error.message).toContain(
        '"headers.Authorization" has a character that is not allowed in a header',
      );
    },
  );

  test("keeps its transport", async () => {
    const definition = { name: "s", definedIn: IN_FILE, transport: "sse", url: "https://host/sse" } as const;
    const server = await createServerResolver({ env: {} })(definition, { signal });
    expect(server).toEqual({
      name: "s",
      transport: "sse",
      url: "https://host/sse",
      headers: {},
      secrets: [],
    });
  });
});

describe("secrets", () => {
  test("of a remote server are the credentials in its headers, its URL and its variables, and no ordinary values", async () => {
    const env = { TOKEN: "tok-1", REGION: "eu", SERVICE_KEY: "key-1" };
    const { secrets } = await resolveHttp(
      {
        url: "https://user:p%20w@${REGION}.host/${SERVICE_KEY}?api_key=query-1&page=2",
        headers: { Authorization: "Bearer ${TOKEN}", "X-Region": "${REGION}-west" },
        env: { OWN_SECRET: "own-1", PLAIN: "plain-1" },
      },
      { env },
    );
    expect(new Set(secrets)).toEqual(
      new Set([
        "user:p%20w",
        "user:p w",
        "p%20w",
        "p w",
        "query-1",
        "tok-1",
        "Bearer tok-1",
        "own-1",
        "key-1",
      ]),
    );
  });

  test("of a child process are credentials in its env and credential variables in any field", async () => {
    const env = { API_KEY: "key-1", PLAIN: "plain-1", DB_PASS: "pass-1", OTHER_TOKEN: "not-used" };
    const { secrets } = await resolveStdio(
      {
        args: [
          "--key=${API_KEY}",
          "${PLAIN}",
          "${SOME_SECRET:-fallback-1}",
          "--dsn=postgres://u:${DB_PASS}@db/x",
        ],
        env: { GITHUB_TOKEN: "ghp-${PLAIN}", LEVEL: "debug", EMPTY_TOKEN: "" },
      },
      { env },
    );
    expect(new Set(secrets)).toEqual(new Set(["key-1", "fallback-1", "pass-1", "u:pass-1", "ghp-plain-1"]));
  });

  test("are empty if nothing is secret", async () => {
    expect(
      (await resolveStdio({ args: ["${A}"], env: { B: "b" } }, { env: { A: "a", HOME: "/h" } })).secrets,
    ).toEqual([]);
  });
});

describe("every server", () => {
  test("gets a copy of its limits", async () => {
    const limits = { callTimeoutMs: 5 };
    const server = await resolveStdio({ limits });
    expect(server.limits).toEqual(limits);
    expect(server.limits).not.toBe(limits);
  });

  test("that runs in-process is passed through unchanged", async () => {
    const server = { connect: async () => {} };
    const definition = { name: "s", definedIn: IN_FILE, transport: "in-process", server } as const;
    const resolved = await createServerResolver()(definition, { signal });
    expect(resolved).toEqual({ name: "s", transport: "in-process", server, secrets: [] });
  });

  test("is aborted if the signal has already fired", async () => {
    const error = await refused(createServerResolver()(stdio(), { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "MCP_ABORTED", server: "s", phase: "resolve" });
  });

  test("leaves its definition unchanged", async () => {
    const definition = Object.freeze(
      stdio({ args: Object.freeze(["${A}"]), env: Object.freeze({ A: "1" }) }),
    );
    const before = structuredClone(definition);
    await createServerResolver({ env: {} })(definition, { signal });
    expect(definition).toEqual(before);
  });
});

describe("a header from a variable replaces the same written header", () => {
  const env = { TOKEN: "new", VALUE: "from-variable" };

  test.each([
    [{ authorization: "Bearer old", "x-T": "written" }, { "X-t": "VALUE" }],
    [{ AUTHORIZATION: "Bearer old" }, { authorization: "VALUE", "x-t": "VALUE", "X-t": "VALUE" }],
  ])("in any case of its name: %j", async (headers, headersFromEnv) => {
    const resolved = await resolveHttp({ headers, headersFromEnv, bearerTokenEnv: "TOKEN" }, { env });
    expect(resolved.headers).toEqual({ Authorization: "Bearer new", "X-t": "from-variable" });
  });

  test("but not if the variable is unset", async () => {
    const written = { headers: { "x-t": "written" }, headersFromEnv: { "X-T": "MISSING" } };
    expect((await resolveHttp(written, { env })).headers).toEqual({ "x-t": "written" });
  });
});
