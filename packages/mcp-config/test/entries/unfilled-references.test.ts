import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const own = { host: "jackfield", file: "/home/u/mcp.json" };

async function remarksOn(entry: object, options: Parameters<typeof parse>[1] = own, key = "mcpServers") {
  const { servers, diagnostics } = await parse({ [key]: { s: entry } }, options);
  expect(servers).toHaveLength(1);
  return diagnostics.map(({ code, pointer = "", suggestion, message }) => {
    return { code, field: pointer.replace(`/${key}/s/`, ""), suggestion, message };
  });
}

const SPELLINGS = [
  ...[
    "$API_TOKEN",
    "$$API_TOKEN",
    "%API_TOKEN%",
    "${{ secrets.API_TOKEN }}",
    "${{API_TOKEN}}",
    "$[API_TOKEN]",
  ],
  ...["${API_TOKEN:?set it first}", "${API_TOKEN?x}", "${API_TOKEN:+x}", "${API_TOKEN=x}", "${ API_TOKEN }"],
  ...["${API_TOKEN:-${OTHER_TOKEN}}", "${API_TOKEN:-$OTHER_TOKEN}", "${API_TOKEN", "${env.API_TOKEN}"],
  ...["{{API_TOKEN}}", "{{ env.API_TOKEN }}", "{API_TOKEN}", "$env:API_TOKEN", "{env:API_TOKEN}"],
  ...[
    "${env:API_TOKEN}",
    "${input:apiToken}",
    "${input:API_TOKEN}",
    "env:API_TOKEN",
    "process.env.API_TOKEN",
  ],
  ...[
    "#{API_TOKEN}",
    "%{API_TOKEN}",
    "$API_TOKEN$",
    "@API_TOKEN@",
    "!API_TOKEN!",
    "[[API_TOKEN]]",
    "__API_TOKEN__",
  ],
  ...["$Env:API_TOKEN", "env(API_TOKEN)", "os.environ/API_TOKEN", "process.env['API_TOKEN']"],
  ...[
    "${API_TOKEN#x}",
    "${!API_TOKEN}",
    "${API_TOKEN,,}",
    "${#API_TOKEN}",
    "${API_TOKEN-x}",
    "${secrets.API_TOKEN}",
  ],
];
/** What is filled in from elsewhere than a variable. */
const OTHERS = [
  ...["$(pass show api)", "`pass show api`", "!pass show api", "op://vault/api/token", "vault://api/token"],
  ...["{file:~/.api-token}", "{cmd:pass show api}", "${command:pick}", "${secret:api}", "keychain:api"],
  ...[
    "1password://vault/api",
    "secret://api",
    "sops://api",
    "ref+vault://api",
    "arn:aws:secretsmanager:x:1:secret:api",
  ],
];

describe("a reference that nobody fills in is told, and is no credential", () => {
  test.each([...SPELLINGS, ...OTHERS])(
    "in env and headers, with the spelling that works: %s",
    async (text) => {
      const inEnv = await remarksOn({ command: "x", env: { API_TOKEN: text } });
      expect(inEnv).toMatchObject([
        { code: "foreign-variable", field: "env/API_TOKEN", suggestion: "${API_TOKEN}" },
      ]);
      const remote = { url: "https://h.example/", headers: { Authorization: `Bearer ${text}` } };
      const suggestion = OTHERS.includes(text) ? "${NAME}" : "${API_TOKEN}";
      expect(await remarksOn(remote)).toMatchObject([
        { code: "foreign-variable", field: "headers/Authorization", suggestion },
      ]);
    },
  );

  test.each([
    ["command", { command: "$BIN/x" }],
    ["args/1", { command: "x", args: ["--dir", "%APPDATA%"] }],
    ["args/0", { command: "x", args: ["--key=op://a/b/c"] }],
    ["cwd", { command: "x", cwd: "$(pwd)" }],
    ["envFile", { command: "x", envFile: "$HOME/.env" }],
    ["url", { url: "https://h.example/$TENANT" }],
    [
      "oauth/clientSecret",
      { url: "https://h.example/", oauth: { clientId: "a", clientSecret: "${{ secrets.S }}" } },
    ],
  ])("in %s", async (field, entry) => {
    expect(await remarksOn(entry)).toMatchObject([{ code: "foreign-variable", field }]);
  });

  test.each([
    ["env", { command: "x", env: { TOKEN: "${TOKEN}" } }, 'name the variable in "env_vars"'],
    [
      "http_headers",
      { url: "https://h", http_headers: { "X-Key": "$KEY" } },
      'name the variable in "env_http_headers"',
    ],
    [
      "bearer_token_env_var",
      { url: "https://h", bearer_token_env_var: "${TOKEN}" },
      "write TOKEN, the name alone",
    ],
    ["env_vars", { command: "x", env_vars: ["$TOKEN"] }, "write TOKEN, the name alone"],
  ])("with the field for names where a host has no references: %s", async (field, entry, advice) => {
    const options = { host: "codex", file: "/home/u/config.json" };
    const [found, ...others] = await remarksOn(entry, options, "mcp_servers");
    expect([found?.field.split("/")[0], found?.code, others]).toEqual([field, "foreign-variable", []]);
    expect(found?.message).toContain(advice);
  });

  test("without what may be a credential", async () => {
    const texts = [
      "$(echo planted)",
      "`planted`",
      "!x planted",
      "op://planted",
      "${A:-${planted}}",
      "{file:planted}",
    ];
    const env = Object.fromEntries(texts.map((text, index) => [`V${index}`, text]));
    const found = await remarksOn({ command: "x", env });
    expect(found).toHaveLength(texts.length);
    expect(JSON.stringify(found)).not.toContain("planted");
  });
});

test.each<[string, object]>([
  ["a shell's code", { command: "bash", args: ["-lc", "exec x $HOME $(pwd)"] }],
  ["code on a command line", { command: "node", args: ["-e", "console.log(`${A}`, '$B')"] }],
  [
    "mcp-remote, which has references of its own",
    { command: "npx", args: ["mcp-remote", "https://h", "--header", "A:${{A}}"] },
  ],
  ["encoded text in a URL", { url: "https://h/%7BA%7D/%20A%20?x=%AB%" }],
  ["a password with such characters", { command: "x", env: { NOTE: "a$b%c%{d}", OTHER: "?5+?$E1O6(" } }],
])("nothing is told of %s", async (_what, entry) => {
  expect(await remarksOn(entry)).toEqual([]);
});

describe("a placeholder is told as one", () => {
  test.each([
    "YOUR_API_KEY",
    "<token>",
    "xxxx",
    "changeme",
    "your-bot-token",
    "sk-...",
    "sk-xxxxxxxx",
    "TODO",
    ...[
      "my-api-key",
      "API_KEY",
      "INSERT_KEY_HERE",
      "ghp_yourtoken",
      "dummy-key",
      "sk-ant-api03-...",
      "REDACTED",
    ],
  ])("not as a credential: %s", async (text) => {
    const entry = { command: "x", args: ["--api-key", text], env: { API_KEY: text } };
    const found = await remarksOn(entry);
    expect(found.map(({ code, field }) => [code, field])).toEqual([
      ["placeholder", "env/API_KEY"],
      ["placeholder", "args/1"],
    ]);
    const remote = { url: "https://h/?api_key=<your-key>", headers: { Authorization: `Bearer ${text}` } };
    expect((await remarksOn(remote)).map(({ code, field }) => [code, field])).toEqual([
      ["placeholder", "headers/Authorization"],
      ["placeholder", "url"],
    ]);
  });

  test.each([
    ["PWD", "/workspace"],
    ["OLDPWD", "/workspace"],
    ["AUTHOR", "Jane Doe"],
    ["LOG_LEVEL", "changeme"],
    ["JIRA_PROJECT_KEY", "ENG"],
    ["API_TOKEN", "/run/secrets/api"],
  ])("and nothing where no credential belongs: %s", async (name, text) => {
    expect(await remarksOn({ command: "x", env: { [name]: text } })).toEqual([]);
  });
});

test("a name that no variable can have is not called passed on: resolving the entry would fail", async () => {
  const [found] = await remarksOn({ command: "x", env: { A: "${env.API_TOKEN}" } });
  expect(found?.message).toContain(
    "holds ${env.API_TOKEN}, where no variable can have that name; write ${API_TOKEN}",
  );
});

test.each([
  ["jackfield", "${workspaceFolder}", "${CLAUDE_PROJECT_DIR}"],
  ["jackfield", "${userHome}", "${HOME}"],
  ["jackfield", "${extensionPath}", undefined],
  ["claude-code", "${workspaceFolder}", "${CLAUDE_PROJECT_DIR}"],
  ["gemini", "${workspaceFolder}", "${workspacePath}"],
])("a place of other hosts is told as one: in %s, %s", async (host, text, suggestion) => {
  const entry = { command: "x", args: [`${text}/data`] };
  const found = await remarksOn(entry, { host, file: "/home/u/own.json" });
  expect(found).toMatchObject([{ code: "foreign-variable", field: "args/0" }]);
  expect(found[0]?.suggestion).toBe(suggestion);
});
