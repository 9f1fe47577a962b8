import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const SECRET = "sk-live-abcdefghijklmnopqrstuvwxyz0123";

/** Looks like a variable's name. */
const WORD = "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6";

const DATABASE = `postgres://app:${SECRET}@db/app`;

async function secretsIn(host: string, entry: object) {
  const { diagnostics } = await parse({ mcpServers: { s: entry } }, { host, file: "/home/u/own.json" });
  for (const { message } of diagnostics) expect(message).not.toContain(SECRET);
  return diagnostics
    .filter(({ code }) => code === "literal-secret")
    .map(({ pointer = "" }) => pointer.replace("/mcpServers/s/", ""));
}

const remote = (more: object) => ({ type: "http", url: "https://h", ...more });
const header = (Authorization: string) => remote({ headers: { Authorization } });
const variable = (API_KEY: string) => ({ type: "stdio", command: "x", env: { API_KEY } });

describe("a literal credential is reported", () => {
  test.each<[string, object, string]>([
    ["claude-code", header(`Bearer \${T:-${SECRET}}`), "headers/Authorization"],
    ["claude-code", variable("${K:-hunter2}"), "env/API_KEY"],
    ["claude-code", header(`Bearer ${SECRET}\${SUFFIX}`), "headers/Authorization"],
    ["claude-code", remote({ url: `https://h?api_key=\${K:-${SECRET}}` }), "url"],
    ["claude-code", remote({ url: `https://\${HOST}?api_key=${SECRET}` }), "url"],
    ["claude-code", remote({ url: "https://u:${P:-hunter2}@h" }), "url"],
    ["claude-code", remote({ url: "https://u:${P:-hunter/2#}@h" }), "url"],
    ["claude-code", { command: "x", args: ["--token", `\${K:-${SECRET}}`] }, "args/1"],
    ["claude-code", { command: "x", args: [`--token=\${K:-${SECRET}}`] }, "args/0"],
    ["claude-code", remote({ url: "https://ada:hunter2@h" }), "url"],
    ["claude-code", remote({ url: "https://:hunter2@h" }), "url"],
    ["claude-code", remote({ url: `https://${SECRET}@h` }), "url"],
    ["claude-code", remote({ url: "https://ada@h?token=ada" }), "url"],
    ["cursor", variable(`\${K:-${SECRET}}`), "env/API_KEY"],
    ["sep-2633", variable(`\${env:K | value:${SECRET}}`), "env/API_KEY"],
    ["sep-2633", variable(`\${value:${SECRET}}`), "env/API_KEY"],
    ["crush", variable(`\${K:-\${L:-${SECRET}}}`), "env/API_KEY"],
    ["omp", remote({ auth: { type: "oauth", clientSecret: SECRET } }), "auth/clientSecret"],
    ["omp", remote({ auth: { type: "oauth", clientSecret: WORD } }), "auth/clientSecret"],
    ["omp", remote({ auth: { type: "oauth", clientSecret: "onlyletters" } }), "auth/clientSecret"],
    ["omp", remote({ oauth: { clientSecret: WORD } }), "oauth/clientSecret"],
    ["omp", remote({ oauth: { privateKey: WORD } }), "oauth/privateKey"],
    ["omp", remote({ headers: { "X-API-Key": WORD } }), "headers/X-API-Key"],
    ["omp", variable(WORD), "env/API_KEY"],
    ["omp", variable("ghp_abcdefghijklmnopqrstuvwxyz0123456789"), "env/API_KEY"],
    ["omp", { ...variable("MAIN_KEY"), envPolicy: "literal" }, "env/API_KEY"],
    ["omp", variable("AKIAIOSFODNN7EXAMPLE"), "env/API_KEY"],
    ["claude-code", { command: "x", env: { DATABASE_URL: `\${D:-${DATABASE}}` } }, "env/DATABASE_URL"],
    ["sep-2633", { type: "stdio", command: "x", env: { D: `\${env:D | value:${DATABASE}}` } }, "env/D"],
    ["cursor", { command: "x", env: { D: `\${D:-${DATABASE}}` } }, "env/D"],
    ["claude-code", remote({ url: `\${U:-https://u:${SECRET}@h/mcp}` }), "url"],
    ["claude-code", remote({ url: `\${U:-https://h/mcp?api_key=${SECRET}}` }), "url"],
    ["claude-code", { command: "x", args: [`\${D:-${DATABASE}}`] }, "args/0"],
    ["claude-code", { command: "x", args: ["-e", `D=\${D:-${DATABASE}}`] }, "args/1"],
    ["claude-code", { command: "x", args: ["--header", `Authorization: Bearer ${SECRET}`] }, "args/1"],
    ["claude-code", { command: "x", args: [`--header=X-API-Key:${SECRET}`] }, "args/0"],
    ["claude-code", { command: "x", args: ["-H", `Authorization: Bearer \${T:-${SECRET}}`] }, "args/1"],
    ["claude-code", { command: "docker", args: ["run", "-e", `API_TOKEN=${SECRET}`, "image"] }, "args/2"],
    ["claude-code", { command: "docker", args: ["-H", "tcp://ada:hunter2secret@h:2375"] }, "args/1"],
    ["claude-code", variable(`\${K:-${DATABASE}}`), "env/API_KEY"],
    ["claude-code", remote({ url: "https://${USER:-ada:hunter2}@h" }), "url"],
    ["claude-code", remote({ url: "https://${USER:-abcdefABCDEF1234}@h" }), "url"],
    ["claude-code", remote({ url: "https://abcdefABCDEF1234@h" }), "url"],
    ...["cursor", "windsurf", "cline", "roo", "codex", "lm-studio"].map((host): [string, object, string] => [
      host,
      { command: "x", env: { API_KEY: `\${env:K:-${SECRET}}` } },
      "env/API_KEY",
    ]),
    ["cursor", remote({ url: `https://h?api_key=\${env:K:-${SECRET}}` }), "url"],
    ["cursor", remote({ url: "https://u:${env:P:-hunter2}@h" }), "url"],
    ["cursor", header(`Bearer \${env:T:-${SECRET}}`), "headers/Authorization"],
    ["cursor", { command: "x", args: [`--token=\${env:K:-${SECRET}}`] }, "args/0"],
    ["cursor", { command: "x", env: { D: `\${env:D:-${DATABASE}}` } }, "env/D"],
    ["cursor", remote({ url: `https://h?api_key={env:K}&token=${SECRET}` }), "url"],
    ["claude-code", remote({ url: "https://h?key=${KEY}&token=letters" }), "url"],
    ["jackfield", remote({ url: "https://$NAME:$ecret-password@h" }), "url"],
    ["jackfield", variable("$ecret"), "env/API_KEY"],
    ["claude-code", { command: "x", env: { REGION: `\${R:-${SECRET}}` } }, "env/REGION"],
  ])("for %s: %j", async (host, entry, pointer) => {
    const roots: { [host: string]: string } = { crush: "mcp", codex: "mcp_servers" };
    const root = roots[host] ?? "mcpServers";
    const { diagnostics } = await parse({ [root]: { s: entry } }, { host, file: "/home/u/own.json" });
    const literals = diagnostics.filter(({ code }) => code === "literal-secret");
    expect(literals.map((found) => found.pointer)).toEqual([`/${root}/s/${pointer}`]);
    expect(JSON.stringify(diagnostics)).not.toContain(SECRET);
  });
});

test.each([
  [{ sensitive: true, default: SECRET }, 1],
  [{ sensitive: true, default: "none" }, 0],
  [{ sensitive: true }, 0],
  [{ default: "an open default" }, 0],
  [null, 0],
])("a bundle option's literal default is reported only if sensitive: %j", async (option, count) => {
  const launch = { command: "x", env: { API_KEY: "${user_config.k}" } };
  const manifest = { name: "s", server: { type: "node", mcp_config: launch }, user_config: { k: option } };
  const { diagnostics } = await parse(manifest, { host: "mcpb", file: "/folder/manifest.json" });
  const literals = diagnostics.filter(({ code }) => code === "literal-secret");
  expect(literals).toMatchObject(
    Array.from({ length: count }, () => ({ pointer: "/user_config/k/default", server: "s" })),
  );
  expect(JSON.stringify(diagnostics)).not.toContain(SECRET);
});

describe("no literal credential is reported", () => {
  test.each<[string, object]>([
    ["claude-code", header("Bearer ${T}")],
    ["claude-code", header("Bearer ${T:-}")],
    ["claude-code", header("AWS4-HMAC-SHA256 ${T}")],
    ["claude-code", variable("${K:-none}")],
    ["claude-code", variable("${K:-12345}")],
    ["claude-code", variable("${K:-${L}}")],
    ["claude-code", variable("${HOME}/.config/application_default_credentials_2.json")],
    ["claude-code", remote({ url: "https://a-long-name-of-user:${P}@h" })],
    ["claude-code", remote({ url: "https://somebody@${HOST}/mcp?token=${T}" })],
    ["claude-code", remote({ url: "https://ada@h" })],
    ["claude-code", remote({ url: "https://ada:@h" })],
    ["claude-code", remote({ url: "https://a%64a%40work@h" })],
    ["cursor", variable("${{ secrets.THE_NAME_OF_API_KEY_2 }}")],
    ["omp", remote({ auth: { type: "oauth", clientSecret: "${S}" } })],
    ["omp", remote({ oauth: { clientSecret: "!pass show x" } })],
    ...["HOME", "MY_KEY_2_FOR_X1", "github_token", "githubToken"].map((name): [string, object] => [
      "omp",
      variable(name),
    ]),
    ["claude-code", { command: "x", args: ["postgresql://${PGUSER:-postgres}@localhost/db"] }],
    ["claude-code", { command: "x", env: { D: "${D:-postgres://postgres@localhost/app}" } }],
    ["claude-code", { command: "x", args: ["--header", "Authorization: Bearer ${T}"] }],
    ["claude-code", { command: "x", args: ["--header", "X-Trace: abcdefABCDEF1234"] }],
    ["claude-code", { command: "node", args: ["-e", "const key=require('node:fs').readFileSync(0)"] }],
    ["claude-code", { command: "node", args: ["-e", "import('tokenizer-mcp').then(m=>m.run())"] }],
    [
      "claude-code",
      { command: "docker", args: ["run", "-e", "API_TOKEN", "-e", "REGION=eu-west-1", "image"] },
    ],
    ["claude-code", variable("${K:-$HOME/.config/credentials.json}")],
    ["claude-code", variable("${K:-~/.config/credentials.json}")],
    ["claude-code", header("${AUTH_SCHEME:-Bearer} ${T}")],
    ["claude-code", header("${AUTH_SCHEME:-basic} ${T}")],
    ["claude-code", remote({ url: "https://a-long-name-of-user@h" })],
    ["claude-code", remote({ url: "https://ada.lovelace.18@h" })],
    ["claude-code", remote({ url: "https://h?key=${KEY}&author=ada-lovelace" })],
    ["claude-code", remote({ url: "https://h?key=${KEY}&author=Ada%20Lovelace" })],
    ["claude-code", remote({ url: "https://h?author=ada-lovelace" })],
    ["claude-code", remote({ url: "https://${HOST:-h.example}/mcp?token_type=opaque&auth=oauth2" })],
    ["claude-code", remote({ url: "https://h?author=${A:-ada-lovelace}" })],
  ])("for a reference, a short value or a harmless one in %s: %j", async (host, entry) => {
    expect(await secretsIn(host, entry)).toEqual([]);
  });
});

describe("where the name only resembles that of a credential, the value decides", () => {
  const PLAIN = "some-plain-words";
  const written = (value: string): readonly (readonly [object, string])[] => [
    [{ command: "x", env: { AUTH_MODE: value } }, "env/AUTH_MODE"],
    [remote({ headers: { "X-Author": value } }), "headers/X-Author"],
    [{ command: "x", args: ["--token-type", value] }, "args/1"],
    [{ command: "x", args: [`--max-tokens=${value}`] }, "args/0"],
    [{ command: "x", args: ["--header", `X-Key-Name: ${value}`] }, "args/1"],
    [{ command: "docker", args: ["run", "-e", `KEYCLOAK_REALM=${value}`] }, "args/2"],
  ];

  test.each([...written(PLAIN), ...written("/home/ada/a1b2c3d4e5f6/file")])(
    "not reported: %j",
    async (entry) => {
      expect(await secretsIn("claude-code", entry)).toEqual([]);
    },
  );

  test.each(written(SECRET))("reported: %j", async (entry, pointer) => {
    expect(await secretsIn("claude-code", entry)).toEqual([pointer]);
  });
});

test.each([
  ["AUTH_MODE", "Basic authentication"],
  ["AUTH_TYPE", "bearer tokens only"],
  ["GIT_AUTHOR", "Token Ringleader"],
])("words under a name that hints are not reported: %s=%s", async (name, value) => {
  expect(await secretsIn("claude-code", { command: "x", env: { [name]: value } })).toEqual([]);
});

test.each([
  ["AUTH_HEADER", `Authorization: Bearer ${SECRET}`],
  ["AUTH_HEADER", "Basic dXNlcjpwYXNz"],
  ["COOKIE_HEADER", `sid=${SECRET}; other=1`],
  ["GCP_SERVICE_ACCOUNT_KEY_FILE", '{"type": "service_account", "private_key": "MIIEvAIBADANBgkqhkiG"}'],
  ["SSH_KEY_PATH", "-----BEGIN RSA PRIVATE KEY-----\nMIIEv"],
  ["API_KEY", "./${K:-ghp_abcdefghijklmnopqrst}.pem"],
  ["SENTRY_DSN", "//key:secret@sentry.example/1.json"],
])("a credential with something around it is reported: %s=%s", async (name, value) => {
  expect(await secretsIn("claude-code", { command: "x", env: { [name]: value } })).toEqual([`env/${name}`]);
});

test.each([
  "/home/ada/key.json",
  "~/.config/key.json",
  "./key.pem",
  "../a b/key.p12",
  "C:\\Users\\Ada Lovelace\\key.json",
])("the path of a file is no credential, whatever its name: %s", async (path) => {
  const entry = {
    command: "x",
    args: ["--credentials", path],
    env: { GOOGLE_APPLICATION_CREDENTIALS: path },
  };
  expect(await secretsIn("claude-code", entry)).toEqual([]);
});

describe("a credential reference in another host's spelling is not reported", () => {
  const spellings = [
    "{env:API_KEY_2}",
    "$env:API_KEY_2",
    "$API_KEY_2",
    "%API_KEY_2%",
    "{file:~/api-key-2.txt}",
  ];
  const hosts = ["claude-code", "cursor", "codex", "opencode"];

  test.each(hosts.flatMap((host) => spellings.map((spelling) => [host, spelling] as const)))(
    "for %s: %s",
    async (host, spelling) => {
      const entries = [
        ...[`https://h?api_key=${spelling}`, `https://u:${spelling}@h`, `https://${spelling}@h`].map((url) =>
          remote({ url }),
        ),
        { command: "x", env: { DATABASE_URL: `postgres://u:${spelling}@h/db` } },
        variable(spelling),
        variable(`\${API_KEY:-${spelling}}`),
        remote({ url: `https://h?api_key=\${API_KEY:-${spelling}}` }),
        remote({ url: `https://\${USER:-${spelling}}@h` }),
      ];
      for (const entry of entries) expect(await secretsIn(host, entry)).toEqual([]);
    },
  );
});

describe("the default of a variable with a credential-like name", () => {
  const secretsOfDefault = (name: string, text: string) =>
    secretsIn("jackfield", { command: "x", env: { [name]: `\${${name}:-${text}}` } });

  test.each([
    ["GIT_AUTHOR_NAME", "Jane Doe"],
    ["GIT_AUTHOR_EMAIL", "jane.doe@example.org"],
    ["MAX_TOKENS", "128000"],
    ["AUTH_MODE", "interactive"],
    ["AUTH_MODE", "oauth2"],
    ["AUTH_ALGORITHM", "AWS4-HMAC-SHA256"],
    ["AUTH_REGION", "us-east-1"],
    ["AUTH_SCOPES", "openid profile https://www.example.org/auth/drive.readonly"],
    ["AUTH_TENANT", "contoso.onmicrosoft.com"],
    ["KEYCLOAK_REALM", "master"],
    ["TOKENIZER", "cl100k_base"],
    ["API_KEY", "your-personal-access-token"],
    ["API_KEY", "<your-api-key>"],
  ])("is not reported if it is ordinary text: %s, %s", async (name, text) => {
    expect(await secretsOfDefault(name, text)).toEqual([]);
  });

  test.each([
    "hunter2",
    "s3cr3t",
    "sk-live-abcdef",
    "ghp_abcdefghijkl",
    "Bearer abcdef1234567890",
    "--header ghp_abcdefghijkl",
    "abcdefghijklmnopqrstuvwxyz",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "a1b2-c3d4-e5f6-a7b8",
    "Tr0ub4dor&3",
  ])("is reported if it looks like a credential: %s", async (text) => {
    expect(await secretsOfDefault("API_KEY", text)).toEqual(["env/API_KEY"]);
  });
});
