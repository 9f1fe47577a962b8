import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const SECRET = "sk-live-abcdefghijklmnopqrstuvwxyz0123";

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

describe("a credential that is written out is told of", () => {
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
    ["claude-code", { command: "x", env: { DATABASE_URL: `\${D:-${DATABASE}}` } }, "env/DATABASE_URL"],
    ["sep-2633", { type: "stdio", command: "x", env: { D: `\${env:D | value:${DATABASE}}` } }, "env/D"],
    ["cursor", { command: "x", env: { D: `\${D:-${DATABASE}}` } }, "env/D"],
    ["claude-code", remote({ url: `\${U:-https://u:${SECRET}@h/mcp}` }), "url"],
    ["claude-code", remote({ url: `\${U:-https://h/mcp?api_key=${SECRET}}` }), "url"],
    ["claude-code", { command: "x", args: [`\${D:-${DATABASE}}`] }, "args/0"],
    ["claude-code", { command: "x", args: ["-e", `D=\${D:-${DATABASE}}`] }, "args/1"],
    ["claude-code", variable(`\${K:-${DATABASE}}`), "env/API_KEY"],
    ["claude-code", remote({ url: "https://${USER:-ada:hunter2}@h" }), "url"],
    ["claude-code", remote({ url: "https://${USER:-abcdefABCDEF1234}@h" }), "url"],
    ["claude-code", remote({ url: "https://abcdefABCDEF1234@h" }), "url"],
  ])("by %s: %j", async (host, entry, pointer) => {
    const root = host === "crush" ? "mcp" : "mcpServers";
    const { diagnostics } = await parse({ [root]: { s: entry } }, { host, file: "/home/u/own.json" });
    const told = diagnostics.filter(({ code }) => code === "literal-secret");
    expect(told.map((found) => found.pointer)).toEqual([`/${root}/s/${pointer}`]);
    expect(JSON.stringify(diagnostics)).not.toContain(SECRET);
  });
});

test.each([
  [{ sensitive: true, default: SECRET }, 1],
  [{ sensitive: true, default: "none" }, 0],
  [{ sensitive: true }, 0],
  [{ default: "an open default" }, 0],
  [null, 0],
])("the default of a secret that a bundle asks for: %j", async (option, count) => {
  const launch = { command: "x", env: { API_KEY: "${user_config.k}" } };
  const manifest = { name: "s", server: { type: "node", mcp_config: launch }, user_config: { k: option } };
  const { diagnostics } = await parse(manifest, { host: "mcpb", file: "/folder/manifest.json" });
  const told = diagnostics.filter(({ code }) => code === "literal-secret");
  expect(told).toMatchObject(Array.from({ length: count }, () => ({ pointer: "/server", server: "s" })));
  expect(JSON.stringify(diagnostics)).not.toContain(SECRET);
});

describe("nothing is told of", () => {
  test.each<[string, object]>([
    ["claude-code", header("Bearer ${T}")],
    ["claude-code", header("Bearer ${T:-}")],
    ["claude-code", header("AWS4-HMAC-SHA256 ${T}")],
    ["claude-code", variable("${K:-none}")],
    ["claude-code", variable("${K:-12345}")],
    ["claude-code", variable("${K:-${L}}")],
    ["claude-code", variable("${K:-https://keys.example/of/somebody}")],
    ["claude-code", variable("${HOME}/.config/application_default_credentials_2.json")],
    ["claude-code", { command: "x", env: { REGION: `\${R:-${SECRET}}` } }],
    ["claude-code", remote({ url: "https://a-long-name-of-user:${P}@h" })],
    ["claude-code", remote({ url: "https://somebody@${HOST}/mcp?token=${T}" })],
    ["claude-code", remote({ url: "https://ada@h" })],
    ["claude-code", remote({ url: "https://ada:@h" })],
    ["claude-code", remote({ url: "https://a%64a%40work@h" })],
    ["claude-code", variable("https://ada@keys.example")],
    ["cursor", variable("${{ secrets.THE_NAME_OF_API_KEY_2 }}")],
    ["omp", remote({ auth: { type: "oauth", clientSecret: "${S}" } })],
    ["claude-code", { command: "x", args: ["postgresql://${PGUSER:-postgres}@localhost/db"] }],
    ["claude-code", { command: "x", env: { D: "${D:-postgres://postgres@localhost/app}" } }],
    ["claude-code", variable("${D:-postgres://postgres@localhost/app}")],
    ["claude-code", variable("${D:-https://h?token=}")],
    ["claude-code", variable("${K:-$HOME/.config/credentials.json}")],
    ["claude-code", variable("${K:-~/.config/credentials.json}")],
    ["claude-code", variable("${K:-/run/secrets/api}")],
    ["claude-code", header("${AUTH_SCHEME:-Bearer} ${T}")],
    ["claude-code", header("${AUTH_SCHEME:-basic} ${T}")],
    ["claude-code", remote({ url: "https://a-long-name-of-user@h" })],
    ["claude-code", remote({ url: "https://ada.lovelace.18@h" })],
  ])("what is referred to, short or harmless, by %s: %j", async (host, entry) => {
    expect(await secretsIn(host, entry)).toEqual([]);
  });
});
