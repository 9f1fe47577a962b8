import { isMcpError } from "@jackfield/mcp-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonPath } from "../src/documents/json-path.ts";
import { dialectOf } from "../src/hosts/host-dialects.ts";
import {
  createServerResolver,
  DIAGNOSTIC_CODES,
  describeServers,
  HOST_IDS,
  parseHostFile,
} from "../src/index.ts";

/** In all, over all hosts. */
const INPUTS = Number(process.env.JACKFIELD_GENERATED_INPUTS ?? 4000);
const SEED = Number(process.env.JACKFIELD_GENERATED_SEED ?? Date.now() % 2 ** 31);

const KEYS = [
  ...[
    "mcpServers",
    "servers",
    "mcp_servers",
    "context_servers",
    "mcp",
    "extensions",
    "amp.mcpServers",
    "projects",
  ],
  ...[
    "command",
    "args",
    "env",
    "environment",
    "cwd",
    "url",
    "httpUrl",
    "serverUrl",
    "headers",
    "type",
    "transport",
  ],
  ...[
    "enabled",
    "disabled",
    "timeout",
    "tools",
    "oauth",
    "auth",
    "inputs",
    "name",
    "cmd",
    "uri",
    "envs",
    "packages",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "",
    "0",
    "length",
    "s",
    "a}b",
    "remotes",
  ],
];

const TEXTS = [
  ...[
    "npx",
    "-y",
    "stdio",
    "http",
    "sse",
    "local",
    "remote",
    "https://host/mcp",
    "file:///x",
    "./x",
    "../../x",
  ],
  ...[
    "${A}",
    "${A:-${B}}",
    "${env:A}",
    "${input:a}",
    "{env:A}",
    "{file:~/x}",
    "$A",
    "%A%",
    "!cmd",
    "$(x)",
    "${",
    "~/x",
  ],
  ...["\0", "\u202e", "\ud800", "true", "30s", "__proto__", "Bearer abc"],
];

const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: fc.string() },
);
const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, 2 ** 40) },
);

/** Pairs in the place of members, so that keys may stand twice and `__proto__` is written out. */
type Tree =
  | { readonly members: readonly (readonly [string, Tree])[] }
  | readonly Tree[]
  | string
  | number
  | boolean
  | null;

const { tree } = fc.letrec<{ tree: Tree; members: Tree }>((tie) => ({
  members: fc.array(fc.tuple(key, tie("tree")), { maxLength: 5 }).map((members) => ({ members })),
  tree: fc.oneof(
    { maxDepth: 6, depthSize: "small" },
    leaf,
    { weight: 3, arbitrary: tie("members") },
    fc.array(tie("tree"), { maxLength: 4 }),
  ),
}));

function asJson(value: Tree): string {
  if (Array.isArray(value)) return `[${value.map(asJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const { members } = value as { members: readonly (readonly [string, Tree])[] };
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${asJson(member)}`).join(",")}}`;
}

/** Inline tables and quoted keys: JSON is nearly TOML. */
function asToml(value: Tree): string {
  const isTable = typeof value === "object" && value !== null && "members" in value;
  const members = isTable ? value.members : [];
  const inline = (member: Tree) => asJson(member).replaceAll('":', '"=').replaceAll("null", '"null"');
  return members.map(([name, member]) => `${JSON.stringify(name)} = ${inline(member)}`).join("\n");
}

/** What a program would find changed if a prototype had been. */
const prototypes = () =>
  [Object, Array, String, Function, Map].map((type) => Reflect.ownKeys(type.prototype).length);

const signal = new AbortController().signal;
const resolve = createServerResolver({ env: { A: "1", HOME: "/nowhere" } });

/** @returns how many servers there were */
async function readEverything(host: string, ending: string, text: string): Promise<number> {
  const { servers, diagnostics } = await parseHostFile({
    host,
    file: `/folder/config.${ending}`,
    text,
    env: {},
  });
  JSON.stringify(describeServers(servers));
  // Plain conditions, because there are hundreds of thousands of them.
  for (const { code, message } of diagnostics) {
    if (!Object.hasOwn(DIAGNOSTIC_CODES, code)) throw new Error(`the code ${code} is in no table`);
    if (/[\0\u202e]/.test(message)) throw new Error(`not to be shown: ${JSON.stringify(message)}`);
  }
  for (const { definition } of servers.filter(({ name }) => name.length % 2 === 0)) {
    await resolve(definition, { signal }).catch((error: unknown) => {
      if (!isMcpError(error)) throw error;
    });
  }
  return servers.length;
}

/** Puts generated entries where the host looks for them, so that most of them are read. */
function wrap(host: string, entries: Tree): Tree {
  const context = { folders: [], isSingleFile: true, remark: () => {} };
  const [place] = dialectOf(host)?.servers({}, context) ?? [];
  const path: JsonPath = place?.path ?? [];
  const isTable = typeof entries === "object" && entries !== null && "members" in entries;
  const members = isTable ? entries.members : [];
  const named = members.map(([name, entry]) => withName(name, entry, place?.nameField));
  const held: Tree = place?.nameField === undefined ? { members } : named;
  return path.toReversed().reduce<Tree>((inner, step) => ({ members: [[String(step), inner]] }), held);
}

function withName(name: string, entry: Tree, nameField = "name"): Tree {
  const isTable = typeof entry === "object" && entry !== null && "members" in entry;
  return isTable ? { members: [...entry.members, [nameField, name]] } : entry;
}

/** An entry that is nearly one: some way to reach a server, and whatever else. */
const entry = fc
  .tuple(
    fc.constantFrom<readonly (readonly [string, Tree])[]>(
      [["command", "npx"]],
      [
        ["type", "http"],
        ["url", "https://host/mcp"],
      ],
      [
        ["type", "local"],
        ["command", ["npx", "x"]],
      ],
      [["url", "${A}"]],
      [],
    ),
    fc.array(fc.tuple(key, tree), { maxLength: 4 }),
  )
  .map(([way, rest]): Tree => ({ members: [...way, ...rest] }));
const entries = fc.array(fc.tuple(key, entry), { maxLength: 3 }).map((members): Tree => ({ members }));

/** YAML takes ten times as long to be parsed as the others. */
const endings = fc.constantFrom("json", "json", "json", "json", "json", "toml", "toml", "toml", "yaml");
const written = (ending: string, value: Tree) =>
  [ending, ending === "toml" ? asToml(value) : asJson(value)] as const;
const broken = fc.tuple(endings, fc.string({ maxLength: 60 }));
const cutOff = fc.tuple(tree, fc.nat()).map(([value, at]) => {
  const text = asJson(value);
  return ["json", text.slice(0, at % (text.length + 1))] as const;
});

describe(`generated inputs (seed ${SEED})`, () => {
  test.each(HOST_IDS)("throw nothing and change no prototype in the dialect of %s", async (host) => {
    const before = prototypes();
    let servers = 0;
    const input = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.tuple(endings, entries).map(([ending, value]) => written(ending, wrap(host, value))),
      },
      { weight: 2, arbitrary: fc.tuple(endings, tree).map(([ending, value]) => written(ending, value)) },
      { weight: 1, arbitrary: broken },
      { weight: 1, arbitrary: cutOff },
    );
    const property = fc.asyncProperty(input, async ([ending, text]) => {
      servers += await readEverything(host, ending, text);
    });
    await fc.assert(property, { numRuns: Math.ceil(INPUTS / HOST_IDS.length), seed: SEED });
    expect(servers).toBeGreaterThan(0);
    expect(prototypes()).toEqual(before);
    expect(["polluted", "command", "url"].some((name) => name in {})).toBe(false);
  });
});
