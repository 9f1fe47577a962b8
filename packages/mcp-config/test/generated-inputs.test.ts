import { isMcpError } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServerSection } from "../src/hosts/host-dialect.ts";
import { dialectOf } from "../src/hosts/host-dialects.ts";
import {
  createServerResolver,
  DIAGNOSTIC_CODES,
  describeServers,
  HOST_IDS,
  parseHostFile,
} from "../src/index.ts";
import type { JsonPath } from "../src/read/json-value.ts";
import { asJson, asToml, key, type Members, membersOf, type Tree, table, tree } from "./generated-trees.ts";

const { numRuns: CASES, seed = Date.now() % 2 ** 31 } = casesOf(1_500, 100_000);
/** The total over all hosts. */
const INPUTS = Number(process.env.JACKFIELD_GENERATED_INPUTS ?? CASES);
const INPUTS_PER_HOST = Math.ceil(INPUTS / HOST_IDS.length);
/** Inputs per test, so that no test takes long however large the total is. */
const INPUTS_PER_PART = 500;
const SEED = Number(process.env.JACKFIELD_GENERATED_SEED ?? seed);

/** Numbers that differ if a prototype was polluted. */
const prototypes = () =>
  [Object, Array, String, Function, Map].map((type) => Reflect.ownKeys(type.prototype).length);

const signal = new AbortController().signal;
const resolve = createServerResolver({ env: { A: "1", HOME: "/nowhere" }, isAdmitted: () => true });

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
  const context = { folders: [], isStandaloneFile: true, platform: process.platform, remark: () => {} };
  const [place] = dialectOf(host)?.servers({}, context) ?? [];
  const path: JsonPath = place?.path ?? [];
  const held = heldIn(place ?? { path }, membersOf(entries));
  const wrapped = path.toReversed().reduce<Tree>((inner, step) => table([String(step), inner]), held);
  return place?.name === undefined ? wrapped : table(...membersOf(wrapped), ["name", "owner/name"]);
}

function heldIn({ name, nameField, optionOf }: ServerSection, members: Members): Tree {
  if (optionOf) return members.map(([, entry]) => entry);
  if (name !== undefined) return members[0]?.[1] ?? null;
  if (nameField === undefined) return { members };
  return members.map(([key, entry]) => table(...membersOf(entry), [nameField, key]));
}

const COMMAND = ["command", "npx"] as const;
const URL = ["url", "https://host/mcp"] as const;

/** Ways to reach a server. */
const WAYS: readonly Members[] = [
  [COMMAND],
  [["type", "http"], URL],
  [
    ["type", "local"],
    ["command", ["npx", "x"]],
  ],
  [["url", "${A}"]],
  [],
];

/** The same for hosts whose entries look different. */
const OWN_WAYS: { readonly [host: string]: readonly Members[] } = {
  goose: [[["cmd", "npx"]], [["uri", "https://host/mcp"]]],
  "sep-2633": [[["type", "stdio"], COMMAND]],
  "agent-plugins": [
    [["type", "stdio"], COMMAND],
    [["type", "sse"], URL],
  ],
  mcpb: [[["mcp_config", table(COMMAND)]]],
  registry: [
    [
      ["registryType", "npm"],
      ["identifier", "x"],
    ],
    [["type", "sse"], URL],
  ],
};

/** Entries that are nearly servers: some way to reach one, and whatever else. */
function entriesFor(host: string): fc.Arbitrary<Tree> {
  const way = fc.constantFrom(...(OWN_WAYS[host] ?? WAYS));
  const entry = fc
    .tuple(way, fc.array(fc.tuple(key, tree), { maxLength: 4 }))
    .map(([known, rest]) => table(...known, ...rest));
  return fc.array(fc.tuple(key, entry), { maxLength: 3 }).map((members) => table(...members));
}

/** YAML takes five times as long to parse as the others. */
const endings = fc.oneof(
  { weight: 14, arbitrary: fc.constant("json") },
  { weight: 5, arbitrary: fc.constant("toml") },
  { weight: 1, arbitrary: fc.constant("yaml") },
);
const written = (ending: string, value: Tree) =>
  [ending, ending === "toml" ? asToml(value) : asJson(value)] as const;
const broken = fc.tuple(endings, fc.string({ maxLength: 60 }));
const cutOff = fc.tuple(tree, fc.nat()).map(([value, at]) => {
  const text = asJson(value);
  return ["json", text.slice(0, at % (text.length + 1))] as const;
});

const parts = HOST_IDS.flatMap((host) =>
  Array.from(
    { length: Math.ceil(INPUTS_PER_HOST / INPUTS_PER_PART) },
    (_, part) => [host, part + 1] as const,
  ),
);

describe(`generated inputs (seed ${SEED})`, () => {
  test.each(parts)("throw nothing and change no prototype in the dialect of %s (%i)", async (host, part) => {
    const before = prototypes();
    let servers = 0;
    const input = fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(endings, entriesFor(host))
          .map(([ending, value]) => written(ending, wrap(host, value))),
      },
      { weight: 2, arbitrary: fc.tuple(endings, tree).map(([ending, value]) => written(ending, value)) },
      { weight: 1, arbitrary: broken },
      { weight: 1, arbitrary: cutOff },
    );
    const property = fc.asyncProperty(input, async ([ending, text]) => {
      servers += await readEverything(host, ending, text);
    });
    const numRuns = Math.min(INPUTS_PER_PART, INPUTS_PER_HOST - (part - 1) * INPUTS_PER_PART);
    await fc.assert(property, { numRuns, seed: SEED + part });
    expect(servers).toBeGreaterThan(0);
    expect(prototypes()).toEqual(before);
    expect(["polluted", "command", "url"].some((name) => name in {})).toBe(false);
  });
});
