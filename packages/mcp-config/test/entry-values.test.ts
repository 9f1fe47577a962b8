import type { ResolvedRemoteServer } from "@jackfield/mcp-core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createServerResolver, MISSING_VARIABLE_PRESETS } from "../src/index.ts";
import {
  http,
  IN_PROJECT,
  refused,
  resolveHttp,
  resolveStdio,
  signal,
  stdio,
  type Written,
} from "./resolution.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("variables", () => {
  test("are filled in wherever a definition may have them", async () => {
    const env = { V: "value" };
    const written = { command: "${V}", args: ["-${V}-", "${W:-w}"], env: { A: "${V}!" }, cwd: "/${V}" };
    expect(await resolveStdio(written, { env })).toMatchObject({
      command: "value",
      args: ["-value-", "w"],
      env: { A: "value!" },
      cwd: "/value",
    });
    expect(
      await resolveHttp({ url: "https://${V}/mcp", headers: { "X-${V}": "${V}" } }, { env }),
    ).toMatchObject({
      url: "https://value/mcp",
      headers: { "X-${V}": "value" },
    });
  });

  test("that are set but empty count as set", async () => {
    expect((await resolveStdio({ args: ["<${E}>", "<${E:-x}>"] }, { env: { E: "" } })).args).toEqual([
      "<>",
      "<>",
    ]);
  });

  test("are filled in once: a value that contains a reference arrives unchanged", async () => {
    const env = { A: "${SECRET}", SECRET: "hidden-value" };
    const { args, env: child } = await resolveStdio(
      { args: ["${A}", "${OWN}"], env: { OWN: "${A}" } },
      { env },
    );
    expect(args).toEqual(["${SECRET}", "${SECRET}"]);
    expect(child).toEqual({ OWN: "${SECRET}" });
  });

  test("of the entry's own env beat the environment in all fields except env", async () => {
    const env = { T: "ambient" };
    const own = { T: "own", COPY: "${T}" };
    const local = await resolveStdio(
      { command: "/${T}", args: ["${T}", "${COPY}"], env: own, cwd: "/${T}" },
      { env },
    );
    expect(local).toMatchObject({
      command: "/own",
      args: ["own", "ambient"],
      cwd: "/own",
      env: { COPY: "ambient" },
    });
    const remote = await resolveHttp({ url: "https://${T}", headers: { A: "${T}" }, env: own }, { env });
    expect(remote).toMatchObject({ url: "https://own", headers: { A: "own" } });
  });

  test("of an entry's env that refer to each other do not loop", async () => {
    const own = { A: "${B}", B: "${A}" };
    const { env } = await resolveStdio({ env: own }, { env: { A: "a", B: "b" } });
    expect(env).toEqual({ A: "b", B: "a" });
  });

  test("are read again at each resolution, from process.env by default", async () => {
    const resolver = createServerResolver();
    const seen: string[] = [];
    for (const token of ["first", "second"]) {
      vi.stubEnv("MCP_CONFIG_TEST_TOKEN", token);
      const server = await resolver(http({ headers: { A: "${MCP_CONFIG_TEST_TOKEN}" } }), { signal });
      seen.push((server as ResolvedRemoteServer).headers.A ?? "");
    }
    expect(seen).toEqual(["first", "second"]);
  });

  test.each(["toString", "__proto__", "constructor", "hasOwnProperty", "valueOf"])(
    "[A2] ${%s} counts as unset and never reads the prototype",
    async (name) => {
      const headers = { A: `<\${${name}}>` };
      for (const options of [{ env: {} }, { env: process.env }]) {
        const error = await refused(resolveHttp({ headers }, options));
        expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
        const empty = await resolveHttp(
          { headers, env: { X: "1" } },
          { ...options, missingVariable: "empty" },
        );
        expect(empty.headers.A).toBe("<>");
      }
    },
  );
});

describe("an unset variable without a default", () => {
  test.each([
    ["roo", "${env:GITHUB_PAT}", "Set it."],
    ["claude-code", "${GITHUB_PAT}", "Set it, or write a default as in ${GITHUB_PAT:-default}."],
  ])(
    "gets the advice to write a default only if the host knows defaults: %s",
    async (host, written, advice) => {
      const definedIn = { scope: "user", file: "/home/u/settings.json", host } as const;
      const error = await refused(resolveHttp({ definedIn, headers: { Authorization: written } }));
      expect(error.message.endsWith(` ${advice}`)).toBe(true);
    },
  );

  test("fails the server with a message that names the variable, its place and the fix", async () => {
    const error = await refused(resolveHttp({ headers: { Authorization: "Bearer ${GITHUB_PAT}" } }));
    expect(error.message).toBe(
      'Server "s" (/project/mcp.json:4:5) refers to a variable that is not set: "GITHUB_PAT" in "headers.Authorization". ' +
        "Set it, or write a default as in ${GITHUB_PAT:-default}.",
    );
    expect(error).toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
      server: "s",
      phase: "resolve",
      retryable: false,
      location: { file: "/project/mcp.json", line: 4, column: 5 },
    });
  });

  test.each<[string, Written<"stdio">]>([
    ["command", { command: "/bin/${X}" }],
    ["args[1]", { args: ["a", "${X}"] }],
    ["env.A", { env: { A: "${X}" } }],
    ["cwd", { cwd: "/${X}" }],
  ])("is reported in %s", async (field, written) => {
    expect((await refused(resolveStdio(written))).message).toContain(`"X" in "${field}"`);
  });

  test("is reported together with all other missing variables", async () => {
    const error = await refused(
      resolveHttp({ url: "https://${H}", headers: { A: "${T}" }, env: { E: "${V}" } }),
    );
    expect(error.message).toContain('"V" in "env.E", "H" in "url", "T" in "headers.A"');
  });

  test.each([
    ["empty", "<>"],
    ["literal", "<${X}>"],
  ] as const)("follows the missingVariable option %s", async (missingVariable, expected) => {
    expect((await resolveStdio({ args: ["<${X}>", "${X:-d}"] }, { missingVariable })).args).toEqual([
      expected,
      "d",
    ]);
  });
});

test("the presets treat an unset variable as SideCar and oh-my-pi do", async () => {
  const preset = async (runtime: keyof typeof MISSING_VARIABLE_PRESETS) => {
    const missingVariable = MISSING_VARIABLE_PRESETS[runtime];
    return (await resolveHttp({ headers: { A: "<${X}>" } }, { missingVariable })).headers.A;
  };
  expect(await preset("sidecar")).toBe("<>");
  expect(await preset("oh-my-pi")).toBe("<${X}>");
});

describe("a project's entry", () => {
  const definedIn = IN_PROJECT;
  const env = { ANTHROPIC_API_KEY: "sk-ant-planted", ALLOWED: "allowed" };

  test("[A1] cannot read the environment in a header, URL, argument, command or its own env", async () => {
    const hidden = "${ANTHROPIC_API_KEY}";
    const attempts = [
      resolveHttp({ definedIn, headers: { A: hidden } }, { env }),
      resolveHttp({ definedIn, url: `https://host/${hidden}` }, { env }),
      resolveHttp({ definedIn, headers: { A: "${X}" }, env: { X: hidden } }, { env }),
      resolveStdio({ definedIn, args: [hidden] }, { env }),
      resolveStdio({ definedIn, env: { X: hidden } }, { env }),
      resolveStdio({ definedIn, command: hidden }, { env, inheritEnv: true }),
    ];
    for (const attempt of attempts) {
      const error = await refused(attempt);
      expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
      expect(error.message).toMatch(/projectVariables/);
      expect(JSON.stringify(error)).not.toContain("planted");
    }
  });

  test("[threat T13] never sends a credential-like variable, even if allowed or renamed, unless its approval lists it", async () => {
    const options = { env, projectVariables: ["ANTHROPIC_API_KEY"] };
    const hidden = "${ANTHROPIC_API_KEY}";
    const attempts = [
      resolveHttp({ definedIn, headers: { A: hidden } }, options),
      resolveHttp({ definedIn, url: `https://host/${hidden}` }, options),
      resolveHttp({ definedIn, headers: { A: "${X}" }, env: { X: hidden } }, options),
      resolveHttp({ definedIn, bearerTokenEnv: "ANTHROPIC_API_KEY" }, options),
      resolveStdio({ definedIn, args: ["${X}"], env: { X: `<${hidden}>` } }, options),
      resolveStdio({ definedIn, cwd: hidden }, options),
    ];
    for (const attempt of attempts) {
      const error = await refused(attempt);
      expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
      expect(error.message).toMatch(/approval/);
    }
    const defaulted = await resolveHttp({ definedIn, headers: { A: "${ANTHROPIC_API_KEY:-none}" } }, options);
    expect(defaulted.headers).toEqual({ A: "none" });
    const headersFromEnv = { "X-Key": "ANTHROPIC_API_KEY", "X-Plain": "ALLOWED" };
    const remote = await resolveHttp(
      { definedIn, headersFromEnv },
      { env, projectVariables: ["ANTHROPIC_API_KEY", "ALLOWED"] },
    );
    expect(remote.headers).toEqual({ "X-Plain": "allowed" });
    const child = await resolveStdio({ definedIn, env: { KEY: hidden } }, options);
    expect(child.env).toEqual({ KEY: "sk-ant-planted", CLAUDE_PROJECT_DIR: "/project" });
    const variables = ["ANTHROPIC_API_KEY"];
    const approved = { definedIn, variables, headers: { A: "${X}" }, env: { X: hidden } };
    expect((await resolveHttp(approved, { env })).headers).toEqual({ A: "sk-ant-planted" });
  });

  test("[threat T13] reads no envFile for a remote server", async () => {
    const error = await refused(resolveHttp({ definedIn, envFile: "/project/.env" }));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", phase: "resolve" });
    expect(error.message).toContain('"envFile" is not read for a remote server of a project');
  });

  test("[threat T13] gets the answer to an input only if projectVariables lists its id", async () => {
    const headers = { H: "${input:region}" };
    const own = { definedIn: { ...definedIn, host: "vscode" }, headers };
    const options = { inputs: { region: "eu" } };
    expect((await refused(resolveHttp(own, options))).message).toContain("projectVariables");
    const allowed = await resolveHttp(own, { ...options, projectVariables: ["region"] });
    expect(allowed.headers.H).toBe("eu");
  });

  test("[threat T01] is not resolved by a resolver without isAdmitted", async () => {
    const attempt = createServerResolver({ env })(stdio({ definedIn }), { signal });
    expect(await refused(attempt)).toMatchObject({ code: "MCP_APPROVAL_REQUIRED", server: "s" });
  });

  test("reads its own env and the allowed variables", async () => {
    const headers = { A: "${OWN} ${ALLOWED} ${HIDDEN:-none}" };
    const server = await resolveHttp(
      { definedIn, headers, env: { OWN: "own" } },
      { env: { ...env, HIDDEN: "planted" }, projectVariables: ["ALLOWED"] },
    );
    expect(server.headers.A).toBe("own allowed none");
  });

  test("gets an error that a variable is not given to it, with the way to it", async () => {
    const attempt = resolveHttp({ definedIn, headers: { A: "${REGION}" } }, { env: { REGION: "eu" } });
    const { message } = await refused(attempt);
    expect(message).toContain(
      `refers to variables that are not set, or not given to a project's entry: "REGION"`,
    );
    expect(message).toMatch(
      / gets what its approval lists\. Otherwise set the variable, and list it in option "projectVariables", or write a default as in \$\{REGION:-default\}\.$/,
    );
  });

  test.each([{ variables: ["NOWHERE"] }, { projectVariables: ["NOWHERE"] }])(
    "is told to set a variable that it may read: %j",
    async ({ variables, projectVariables }) => {
      const written = { definedIn, variables, headers: { A: "${NOWHERE}" } };
      const { message } = await refused(resolveHttp(written, { env, projectVariables }));
      expect(message).toContain("a variable that is not set:");
      expect(message).toMatch(/ Set it, or write a default/);
    },
  );
});
