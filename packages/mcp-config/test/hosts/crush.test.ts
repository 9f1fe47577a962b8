import { describe, expect, test } from "vitest";
import { variablesOf } from "../../src/hosts/host-dialects.ts";
import { createServerResolver, type ServerResolverOptions } from "../../src/index.ts";
import { references } from "../../src/resolve/variables.ts";
import { parse } from "../discovery/parsing.ts";

const signal = new AbortController().signal;
const remote = (headers: object) => ({ type: "http", url: "https://host.example", headers });

/** The headers that are sent for a remote entry with these headers. */
async function headersSent(headers: object, options: ServerResolverOptions, host = "crush") {
  const key = host === "crush" ? "mcp" : "mcpServers";
  // No project has a file of this name.
  const { servers } = await parse({ [key]: { s: remote(headers) } }, { host, file: "/folder/own.json" });
  const resolved = await createServerResolver(options)(servers[0]?.definition as never, { signal });
  return "headers" in resolved ? resolved.headers : undefined;
}

describe("an empty header in Crush", () => {
  const env = { EMPTY: "", SET: "value" };

  test("is omitted, whether it is written empty or a variable is empty or unset", async () => {
    const headers = { A: "$EMPTY", C: "", D: "${SET}", E: "${NOPE:-}", F: "${SET}${EMPTY}" };
    const sent = { D: "value", F: "value" };
    expect(await headersSent(headers, { env })).toEqual(sent);
    for (const missingVariable of ["host", "empty"] as const) {
      expect(await headersSent({ ...headers, B: "$NOPE" }, { env, missingVariable })).toEqual(sent);
    }
    await expect(headersSent({ B: "$NOPE" }, { env })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });

  test("is sent if the entry is another host's", async () => {
    expect(await headersSent({ A: "${EMPTY}", D: "${SET}" }, { env }, "omp")).toEqual({ A: "", D: "value" });
  });
});

describe("a literal dollar sign in Crush", () => {
  test.each([
    ["a\\$b", "a$b"],
    ["\\$A\\${A}\\$(x)", "$A${A}$(x)"],
    ["\\\\$A", "\\\\v"],
    ["\\\\\\$A", "\\$A"],
    ["${DOLLAR:-$}5", "$5"],
    ["$A\\$ C:\\x", "v$ C:\\x"],
  ])("is accepted if it is escaped or a default: %j", async (text, expected) => {
    expect(await headersSent({ A: text }, { env: { A: "v" } })).toEqual({ A: expected });
  });

  test.each(["\\\\$ ", "${A:-$", "$}"])(
    "is refused if it is neither escaped nor a default: %j",
    async (text) => {
      const { told } = await parse({ mcp: { s: remote({ A: text }) } }, { host: "crush" });
      expect(told).toEqual(["ServerConfigError: s"]);
    },
  );
});

describe("a brace expression in Crush", () => {
  const env = { SET: "value", EMPTY: "", OTHER: "other" };

  test.each([
    ["${SET:-d}|${EMPTY:-d}|${NOPE:-d}", "value|d|d"],
    ["${SET-d}|${EMPTY-d}|${NOPE-d}", "value||d"],
    ["${NOPE:-$OTHER}|${EMPTY:-${OTHER}}|${EMPTY-$OTHER}", "other|other|"],
    ["${NOPE:-${EMPTY:-${NONE:-d e}}}|${NOPE-${NONE-}}|", "d e||"],
    ["${NOPE:-}|${NOPE:-a:-b}|${NOPE:-C:\\x}|${SET}}", "|a:-b|C:\\x|value}"],
  ])("is resolved as by a shell if it is a default: %j", async (text, expected) => {
    expect(await headersSent({ A: text }, { env })).toEqual({ A: expected });
  });

  test("fails if it requires a variable that is unset or empty", async () => {
    const required = { A: "${SET:?why}" };
    expect(await headersSent(required, { env })).toEqual({ A: "value" });
    for (const name of ["EMPTY", "NOPE"]) {
      const attempt = headersSent({ A: `\${${name}:?why}` }, { env, missingVariable: "host" });
      await expect(attempt).rejects.toMatchObject({
        code: "MCP_CONFIG_VARIABLE_MISSING",
        message: expect.stringContaining(
          `a variable that is not set, or empty: "${name}" in "headers.A". Set it`,
        ),
      });
    }
  });

  test("is secret if its variable is, wherever its value comes from", async () => {
    const args = ["${API_KEY:-$OTHER}", "${API_KEY:-from-file}"];
    const { servers } = await parse(
      { mcp: { s: { command: "x", args } } },
      { host: "crush", file: "/folder/own.json" },
    );
    const resolved = await createServerResolver({ env })(servers[0]?.definition as never, { signal });
    expect(resolved).toMatchObject({ args: ["other", "from-file"] });
    expect(resolved.secrets).toEqual(expect.arrayContaining(["other", "from-file"]));
  });

  test("is empty or fails, by missingVariable, if its default is unset too", async () => {
    const headers = { A: "<${NOPE:-$NONE}>" };
    expect(await headersSent(headers, { env, missingVariable: "host" })).toEqual({ A: "<>" });
    await expect(headersSent(headers, { env })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });

  test.each([
    ...["${TOK:-$(echo tok)}", "${TOK:-a$OTHER}", "${TOK:-${OTHER}b}", "${TOK:-$OTHER b}", "${A:-${B-c}}"],
    ...["${A:+alt}", "${A+alt}", "${A:=x}", "${SET%l}", "${SET#v}", "${SET/a/b}", "${SET^^}", "${#SET}"],
    ...["${TOK:-`echo tok`}", "${TOK:-a`echo`b}", "${A:-a\\}b}", "${A:-\\\\}", "${A:-\\`x}", '${A:-\\"x}'],
    ...["${!SET}", "${SET:1}", "${SET@Q}", "${a.b}", "${1}", "${}", "${ SET }", "${A:-\\$}", "`echo tok`"],
  ])("is refused with any other shell syntax: %j", async (text) => {
    const content = { mcp: { s: remote({ A: `Bearer ${text}` }), ok: remote({ A: "${A:?why}" }) } };
    const { names, diagnostics } = await parse(content, { host: "crush" });
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer: "/mcp/s/headers" }]);
  });
});

describe("a command substitution in Crush", () => {
  test.each([
    ["Bearer $(jq -r '.t | (.x)' f)", ["jq -r '.t | (.x)' f"]],
    ["$(echo $(date))", ["echo $(date)"]],
    ["$(a (b (c)) d)|$(e)", ["a (b (c)) d", "e"]],
    ["$(echo ')')|$(echo '\\')", ["echo ')'", "echo '\\'"]],
    ['$(echo ")" "\\")" "it\'s $(b ")")")', ['echo ")" "\\")" "it\'s $(b ")")"']],
    ["$(echo \\) \\')", ["echo \\) \\'"]],
    ["$(echo `date +)`)", ["echo `date +)`"]],
    ["$(awk '{print $1}' \"$F\") (x)", ["awk '{print $1}' \"$F\""]],
    ["$()", [""]],
  ])("ends at its closing parenthesis, and is reported and not sent: %j", async (text, expected) => {
    expect(commandsIn(text)).toEqual(expected);
    const { told } = await parse({ mcp: { s: remote({ Authorization: text }) } }, { host: "crush" });
    expect(told).toEqual(expected.map(() => "command-substitution: s"));
    await expect(headersSent({ Authorization: text }, { env: {} })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });

  test.each([
    "$(abc",
    "$(echo ')",
    "$(a $(b)",
    '$(echo ")"',
    "$(echo \\)",
    "${FOO",
    "${FOO:-x",
    "${A:-${B}",
    "${A}${",
  ])("is refused, like any reference, if it is not closed: %j", async (text) => {
    const content = { mcp: { s: remote({ A: "x", Authorization: text }), ok: remote({ A: "${A:-${B}}}" }) } };
    const { names, diagnostics } = await parse(content, { host: "crush" });
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer: "/mcp/s/headers" }]);
    expect(diagnostics[0]?.message).toContain("shell syntax that Crush refuses");
  });

  test("is handled at 200,000 levels of nesting", async () => {
    const many = 200_000;
    for (const beginning of ["$(", "${A:-", "$('", '$("', "$(`", "$((", '"$('])
      expect(
        (await parse({ mcp: { s: remote({ A: beginning.repeat(many) }) } }, { host: "crush" })).told,
      ).toEqual(["ServerConfigError: s"]);
    const nested = `${"$(".repeat(many)}${")".repeat(many)}`;
    expect(commandsIn(nested)).toEqual([nested.slice(2, -1)]);
    const braced = `${"${".repeat(many)}${"}".repeat(many)}`;
    const chained = `${"${A:-".repeat(many)}${"}".repeat(many)}`;
    for (const text of [braced, `${"${A:-".repeat(many)}x}`]) {
      const { told } = await parse({ mcp: { s: remote({ A: text }) } }, { host: "crush" });
      expect(told).toEqual(["ServerConfigError: s"]);
      expect([...references(text, variablesOf("crush"), true)]).toEqual([]);
    }
    expect((await parse({ mcp: { s: remote({ A: chained }) } }, { host: "crush" })).told).toEqual([]);
  });
});

function commandsIn(text: string): string[] {
  const found = Array.from(references(text, variablesOf("crush"), true), ({ reference }) => reference);
  return found.flatMap(({ kind, name }) => (kind === "command" ? [name] : []));
}

test("a client secret that Crush ignores because OAuth is off is reported as ignored and as a secret", async () => {
  const entry = { type: "http", url: "https://h", oauth: false, oauth_client_secret: "sk-planted" };
  const { diagnostics } = await parse({ mcp: { a: entry } }, { host: "crush" });
  expect(diagnostics).toMatchObject([
    {
      code: "unused-field",
      message: expect.stringContaining('"oauth_client_secret" is ignored; "oauth" wins.'),
    },
    { code: "literal-secret", pointer: "/mcp/a/oauth_client_secret" },
  ]);
  const reference = { ...entry, oauth_client_secret: "$SECRET" };
  const { told } = await parse({ mcp: { a: reference } }, { host: "crush" });
  expect(told).toEqual(["unused-field: a"]);
});

describe("oauth_token in Crush", () => {
  const token = { oauth_token: { access_token: "planted" } };

  test.each<[string, object]>([
    ["by itself", token],
    ["beside other OAuth settings", { ...token, oauth: true, oauth_client_id: "c", oauth_callback_port: 1 }],
  ])("%s is reported as part of another file's server", async (_what, entry) => {
    const { names, told } = await parse({ mcp: { s: entry, ok: { command: "x" } } }, { host: "crush" });
    expect([names, told]).toEqual([["ok"], ["not-runnable: s"]]);
  });

  test.each<[string, object]>([
    ["no fields", {}],
    ["OAuth settings but no token", { oauth_client_id: "c" }],
    ["a token and args", { ...token, args: ["x"] }],
  ])("does not excuse an entry with %s", async (_what, entry) => {
    const { names, diagnostics } = await parse(
      { mcp: { s: entry, ok: { command: "x" } } },
      { host: "crush" },
    );
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", server: "s", pointer: "/mcp/s" }]);
  });

  test("beside a url is kept without a diagnostic", async () => {
    const { servers, diagnostics } = await parse(
      { mcp: { s: { ...remote({}), ...token } } },
      { host: "crush" },
    );
    expect(servers.map(({ written }) => written.extra)).toEqual([token]);
    expect(diagnostics).toEqual([]);
  });
});
