import { type DefinitionScope, isRecord } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConfigDiagnostic } from "../../src/diagnostic-codes.ts";
import { createMap, type JsonMap } from "../../src/documents/json-value.ts";
import type { EntryContext } from "../../src/entries/entry-context.ts";
import type { FieldNames } from "../../src/entries/entry-dialect.ts";
import { readPlainEntry } from "../../src/entries/plain-entry.ts";
import { readInFull, readServerEntry } from "../../src/entries/server-entry.ts";
import type { HostDialect } from "../../src/hosts/host-dialect.ts";
import { HOST_DIALECTS } from "../../src/hosts/host-dialects.ts";
import { JACKFIELD } from "../../src/hosts/jackfield.ts";
import { invalidServer } from "../../src/sources/config-problem.ts";
import { CONTEXT } from "./entry-reading.ts";

/** Texts that are plain in most places. */
const PLAIN = ["npx", "node", "-y", "server-1", "@scope/pkg@1.2.3", "a b", "", "10", "info", "A,B", "NAME"];
const URLS = ["https://host.example/mcp", "http://host:8080", "https://h/a_b-c.d/", "https://h:99999/"];
const REFERENCES = ["${A}", "${env:A}", "${TOKEN}", "Bearer ${TOKEN}", "Bearer ${env:TOKEN}"];
/** Texts with which something is the matter somewhere. */
const ODD = [
  ...[
    "/usr/bin/x",
    "/usr/../x",
    "/",
    "/a b",
    "./x",
    "../../x",
    "..",
    "~",
    "~/x",
    "a\\b",
    "C:\\x",
    "x\0y",
    "é",
    "\u202e",
    "a=b",
  ],
  ...["--token", "--api-key=abc", "--password", "secret-word", "https://u:p@h/", "https://h/?key=abc123456"],
  ...[
    "ws://h/",
    "HTTPS://h/",
    "ftp://h",
    "Bearer sk-abc1234567890",
    "sk-abc12345678901234567890",
    "hunter2!",
  ],
  ...["$HOME", "%A%", "{env:A}", "{a}", "!cmd x", "$(cmd)", "${A:-b}", "${TOKEN:-sk-abc1234567890}", "${"],
  ...["${userHome}", "${workspaceFolder}", "${input:a}", "$env:A", "${A}${B}", "x ${A}", "${a}", "${A1}"],
];
const VARIABLES = [
  "A",
  "TOKEN",
  "API_KEY",
  "LOG_LEVEL",
  "NODE_OPTIONS",
  "npm_config_x",
  "Path",
  "a.b",
  "A=B",
  "",
];
const HEADERS = ["Authorization", "X-Team", "Cookie", "x y", ""];
const FIELDS = [
  "enabled",
  "disabled",
  "timeout",
  "cwd",
  "trust",
  "comment",
  "command",
  "args",
  "url",
  "type",
];

/** Often what is usual in a place, seldom something else. */
function mostly(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const rest = fc.oneof(text, fc.constantFrom<unknown>(null, 1, true, [], [1], createMap()));
  return fc.oneof({ weight: 14, arbitrary: usual }, { weight: 1, arbitrary: rest });
}

const text = fc.constantFrom(...PLAIN, ...URLS, ...REFERENCES, ...ODD);
const plainText = mostly(fc.constantFrom(...PLAIN));
const value = mostly(fc.constantFrom(...PLAIN, ...REFERENCES));

function map(names: readonly string[]): fc.Arbitrary<JsonMap> {
  return fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 2 }).map(bare);
}

/** Members without a prototype, as documents have them. */
function bare(members: readonly (readonly [string, unknown])[]): JsonMap {
  return Object.assign(createMap(), Object.fromEntries(members));
}

const nameIn = (names: FieldNames | undefined): fc.Arbitrary<string> =>
  fc.constantFrom(...[names ?? "absent"].flat(), ...[names ?? []].flat());

/** Entries of a host: a program or a URL, in the host's own names of fields, and sometimes another field. */
function entriesOf({ entry: { fields, transport } }: HostDialect): fc.Arbitrary<JsonMap> {
  const field = (names: FieldNames | undefined, held: fc.Arbitrary<unknown>) =>
    fc.tuple(nameIn(names), mostly(held));
  const maybe = <T>(part: fc.Arbitrary<T>, freq = 1) => fc.option(part, { nil: undefined, freq });
  const typed = (isProcess: boolean) => {
    const own = Object.keys(transport.types).filter(
      (type) => (transport.types[type] === "stdio") === isProcess,
    );
    return fc.tuple(fc.constant(transport.field ?? "type"), mostly(fc.constantFrom(...own, "toString")));
  };
  const env = maybe(field(fields.env, map(VARIABLES)));
  const another = maybe(fc.tuple(fc.constantFrom(...FIELDS), text), 8);
  const process = fc.tuple(
    ...[field(fields.command, plainText), maybe(field(fields.args, fc.array(plainText, { maxLength: 3 })))],
    ...[env, maybe(typed(true)), another],
  );
  const remote = fc.tuple(
    ...[field(fields.url, fc.constantFrom(...URLS)), maybe(field(fields.headers, map(HEADERS)))],
    ...[maybe(env, 8), typed(false), another],
  );
  return fc.oneof(process, remote).map((parts) => bare(parts.filter((part) => part !== undefined)));
}

const RUNS = casesOf(200, 2_000);

const scopes = fc.constantFrom<DefinitionScope>("user", "project", "extension");

function contextOf(host: HostDialect, scope: DefinitionScope): EntryContext {
  const { definedIn } = CONTEXT;
  const root = scope === "user" ? {} : { root: "/project" };
  return {
    ...CONTEXT,
    definedIn: { ...definedIn, scope, host: host.id, ...root },
    dialect: host.entry,
    variables: host.variables,
  };
}

function unexpected(): never {
  throw new Error("a plain entry has no fault");
}

/** Compares both readings of generated entries, and returns how many of these were plain. */
function countPlain(
  host: HostDialect,
  contextIn: (scope: DefinitionScope) => EntryContext,
  asGiven = (entry: JsonMap) => entry,
): number {
  let plainEntries = 0;
  fc.assert(
    fc.property(entriesOf(host), scopes, (generated, scope) => {
      const entry = asGiven(generated);
      const context = contextIn(scope);
      if (readPlainEntry(entry, context, unexpected) === undefined) return;
      plainEntries += 1;
      const [inFull, quickly]: [ConfigDiagnostic[], ConfigDiagnostic[]] = [[], []];
      const faultAt = (path: readonly (string | number)[], fault: string) =>
        invalidServer(context.name, context.locate(path), fault);
      const full = readInFull(entry, context, faultAt, (found) => inFull.push(found));
      const { written, definition } = readServerEntry(entry, context, (found) => quickly.push(found));
      expect({ written, definition }).toEqual(full);
      expect(quickly).toEqual(inFull);
    }),
    RUNS,
  );
  return plainEntries;
}

/** As a program gives it: with the usual prototypes. */
function withPrototypes(entry: JsonMap): JsonMap {
  const members = Object.entries(entry).map(([name, held]) => [name, isRecord(held) ? { ...held } : held]);
  return Object.fromEntries(members);
}

describe("plain entries", () => {
  test.each(HOST_DIALECTS)("of $id are read as in full", (host) => {
    const plainEntries = countPlain(host, (scope) => contextOf(host, scope));
    if (!NEVER_PLAIN.has(host.id)) expect(plainEntries).toBeGreaterThan(RUNS.numRuns / 100);
  });

  test("given in code are read as in full", () => {
    const definedIn = { scope: "explicit", pointer: "/servers/s" } as const;
    const context = { ...CONTEXT, definedIn, inCode: true };
    expect(countPlain(JACKFIELD, () => context, withPrototypes)).toBeGreaterThan(RUNS.numRuns / 100);
  });

  test.each([
    ["a field that is no way to reach the server", { command: "npx", disabled: false }],
    ["a path for a command", { command: "./npx" }],
    ["a text that looks like a credential", { command: "npx", args: ["--token", "abc"] }],
    ["a default in a reference", { command: "npx", env: { A: "${A:-b}" } }],
    ["a variable that loads code, in a project", { command: "npx", env: { NODE_OPTIONS: "-r x" } }],
    ["a URL with a query", { url: "https://h/?a=b" }],
    ["a command and headers", { command: "npx", headers: {} }],
  ])("do not have %s", (_what, entry) => {
    const read = bare(
      Object.entries(entry).map(([field, held]) => [
        field,
        isRecord(held) ? bare(Object.entries(held)) : held,
      ]),
    );
    const [claude] = HOST_DIALECTS.filter(({ id }) => id === "claude-code");
    expect(readPlainEntry(read, contextOf(claude as HostDialect, "project"), unexpected)).toBeUndefined();
  });

  test("have no members of a polluted prototype", () => {
    const polluted = { args: ["-e"], env: { A: "evil" }, type: "sse", cwd: "/evil", bearerTokenEnv: "A" };
    Object.assign(Object.prototype, polluted);
    try {
      const [command, url] = [bare([["command", "npx"]]), bare([["url", "https://h/"]])];
      const process = readPlainEntry(command, CONTEXT, unexpected)?.definition;
      const remote = readPlainEntry(url, CONTEXT, unexpected)?.definition;
      expect(process).toMatchObject({ args: undefined, env: undefined, cwd: undefined });
      expect(remote).toMatchObject({ transport: "http", env: undefined, bearerTokenEnv: undefined });
      for (const definition of [process, remote])
        for (const member of ["limits", "tools", "lazy", "envFile"])
          expect(Object.hasOwn(definition ?? {}, member)).toBe(true);
    } finally {
      for (const member of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, member);
    }
  });

  test("given in code lose members of maps that are no texts by name", () => {
    const given = { command: "npx", env: { A: "1", [Symbol("s")]: "2" } };
    const { definition } = readPlainEntry(given, { ...CONTEXT, inCode: true }, unexpected) ?? {};
    expect(Reflect.ownKeys((definition as { env?: object } | undefined)?.env ?? {})).toEqual(["A"]);
  });

  test("given in code are read in full if they have hidden members", () => {
    const hidden = Object.defineProperty({ command: "npx" }, "url", { value: "https://h/" });
    expect(readPlainEntry(hidden, { ...CONTEXT, inCode: true }, unexpected)).toBeUndefined();
  });

  test("given in code are copied, since the caller may change them later", () => {
    const given = { command: "npx", args: ["-y"], env: { A: "1" } };
    const plain = readPlainEntry(given, { ...CONTEXT, inCode: true }, unexpected);
    given.args.push("later");
    given.env.A = "2";
    expect(plain?.definition).toMatchObject({ args: ["-y"], env: { A: "1" } });
  });

  test("given in code do not have inherited members", () => {
    class Entry {
      readonly command = "npx";
    }
    const given = Object.create({ command: "npx" }) as JsonMap;
    const inCode = { ...CONTEXT, inCode: true };
    expect(readPlainEntry(given, inCode, unexpected)).toBeUndefined();
    expect(readPlainEntry({ ...new Entry() }, inCode, unexpected)).toBeDefined();
    expect(readPlainEntry(new Entry() as unknown as JsonMap, inCode, unexpected)).toBeUndefined();
  });
});

/** Hosts that make another entry of each one before it is read. */
const NEVER_PLAIN: ReadonlySet<string> = new Set([
  "codex",
  "opencode",
  "continue",
  "goose",
  "mcpb",
  "registry",
]);
