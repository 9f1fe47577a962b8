import { isDeepStrictEqual } from "node:util";
import type { HttpServerDefinition, ServerDefinition, StdioServerDefinition } from "@jackfield/mcp-core";
import { casesOf, memoryStateStore } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createApprovalLedger } from "../../src/approval/approval-ledger.ts";

const DEFINED_IN = {
  scope: "project",
  host: "jackfield",
  file: "/project/.mcp.json",
  line: 3,
  column: 5,
} as const;

const LOCAL: StdioServerDefinition = {
  name: "github",
  definedIn: DEFINED_IN,
  transport: "stdio",
  command: "npx",
  args: ["-y", "server@1.0.0"],
  env: { TOKEN: "${TOKEN}" },
  cwd: "tools",
};
const REMOTE: HttpServerDefinition = {
  name: "docs",
  definedIn: DEFINED_IN,
  transport: "http",
  url: "https://example.test/mcp",
  headers: { Authorization: "Bearer ${TOKEN}" },
};

/** Single changes, each of which results in a different definition. */
const MUTATIONS: readonly (readonly [string, ServerDefinition, ServerDefinition])[] = [
  ["the command", LOCAL, { ...LOCAL, command: "npX" }],
  ["an argument", LOCAL, { ...LOCAL, args: ["-y", "server@1.0.1"] }],
  ["the order of the arguments", LOCAL, { ...LOCAL, args: ["server@1.0.0", "-y"] }],
  ["the number of arguments", LOCAL, { ...LOCAL, args: ["-y", "server@1.0.0", ""] }],
  ["a value in env", LOCAL, { ...LOCAL, env: { TOKEN: "${TOKEn}" } }],
  ["a name in env", LOCAL, { ...LOCAL, env: { TOKEM: "${TOKEN}" } }],
  ["cwd", LOCAL, { ...LOCAL, cwd: "tools/" }],
  ["the url", REMOTE, { ...REMOTE, url: "https://example.test/mcq" }],
  ["a header's value", REMOTE, { ...REMOTE, headers: { Authorization: "Bearer ${TOKEN} " } }],
  ["a header's name", REMOTE, { ...REMOTE, headers: { authorization: "Bearer ${TOKEN}" } }],
  ["the transport", REMOTE, { ...REMOTE, transport: "sse" }],
  ["the file's path", LOCAL, { ...LOCAL, definedIn: { ...DEFINED_IN, file: "/other/.mcp.json" } }],
  [
    "the target of a linked file",
    LOCAL,
    { ...LOCAL, definedIn: { ...DEFINED_IN, realFile: "/project/real.json" } },
  ],
  ["the name", LOCAL, { ...LOCAL, name: "githuB" }],
  ["a filter", LOCAL, { ...LOCAL, tools: { include: ["*"] } }],
  ["the variables that it gets", LOCAL, { ...LOCAL, variables: ["TOKEN"] }],
  ["an unknown field", LOCAL, { ...LOCAL, extra: { hook: "x" } }],
];

/** The value as read from a file, without prototypes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

async function approved(definition: ServerDefinition) {
  const ledger = createApprovalLedger(memoryStateStore());
  await ledger.approve(definition);
  return ledger;
}

describe("the approval ledger", () => {
  test("starts with nothing approved and keeps approvals in its store", async () => {
    const store = memoryStateStore();
    expect(await createApprovalLedger(store).isApproved(LOCAL)).toBe(false);
    await createApprovalLedger(store).approve(LOCAL);
    expect(await createApprovalLedger(store).isApproved(structuredClone(LOCAL))).toBe(true);
  });

  test.each(MUTATIONS)(
    "[threat T02] requires a new approval after a change of %s",
    async (_what, before, after) => {
      const ledger = await approved(before);
      expect(await ledger.isApproved(before)).toBe(true);
      expect(await ledger.isApproved(after)).toBe(false);
    },
  );

  test("[threat T02] accepts a generated definition only if it equals the approved one", async () => {
    const definition = fc.record({
      command: fc.string(),
      args: fc.array(fc.string(), { maxLength: 3 }),
      env: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
    });
    const check = fc.asyncProperty(definition, definition, async (a, b) => {
      const ledger = await approved({ ...LOCAL, ...a });
      expect(await ledger.isApproved({ ...LOCAL, ...b })).toBe(isDeepStrictEqual(plain(a), plain(b)));
    });
    await fc.assert(check, casesOf(200, 2_000));
  });

  const text = fc.string({ unit: "grapheme" });
  test.each([
    ["name", fc.record({ name: text })],
    ["command", fc.record({ command: text })],
    ["args", fc.record({ args: fc.array(text, { maxLength: 4 }) })],
    ["env", fc.record({ env: fc.dictionary(text, text, { maxKeys: 3 }) })],
    ["cwd", fc.record({ cwd: text })],
    ["envFile", fc.record({ envFile: text })],
    ["extra", fc.record({ extra: fc.dictionary(text, fc.jsonValue()) })],
  ] as const)("[threat T02] accepts none of 1,500 edits of the single field %s", async (_field, edit) => {
    const ledger = await approved(LOCAL);
    const check = fc.asyncProperty(edit, async (edited) => {
      const definition = { ...LOCAL, ...edited } as ServerDefinition;
      fc.pre(!isDeepStrictEqual(plain(definition), plain(LOCAL)));
      expect(await ledger.isApproved(definition)).toBe(false);
    });
    await fc.assert(check, casesOf(300, 2_000));
  });

  test("keeps an approval when the line, the member order or the shadowed entries change", async () => {
    const ledger = await approved(LOCAL);
    const moved = {
      ...LOCAL,
      definedIn: { column: 1, line: 99, file: "/project/.mcp.json", host: "jackfield", scope: "project" },
    } as const;
    expect(await ledger.isApproved(moved)).toBe(true);
    expect(await ledger.isApproved({ ...LOCAL, shadows: [] })).toBe(true);
  });

  test.each([LOCAL, { ...LOCAL, enabled: true }])(
    "[A10] [threat T02] keeps an approval when the entry is disabled and enabled again (%#)",
    async (definition) => {
      const off = { ...definition, enabled: false };
      const ledger = await approved(definition);
      expect(await ledger.isApproved(off)).toBe(true);
      expect(await ledger.isApproved({ ...off, command: "npX" })).toBe(false);
      expect(await ledger.isApproved(definition)).toBe(true);
      expect(await ledger.revoke(off)).toBe(true);
      expect(await ledger.isApproved(off)).toBe(false);
    },
  );

  test("[threat T02] requires a new approval to enable an entry approved while disabled", async () => {
    const ledger = await approved({ ...LOCAL, enabled: false });
    expect(await ledger.isApproved({ ...LOCAL, enabled: false })).toBe(true);
    expect(await ledger.isApproved(LOCAL)).toBe(false);
    expect(await ledger.isApproved({ ...LOCAL, enabled: true })).toBe(false);
  });

  test("no longer accepts a revoked entry", async () => {
    const ledger = await approved(LOCAL);
    expect(await ledger.revoke(LOCAL)).toBe(true);
    expect(await ledger.revoke(LOCAL)).toBe(false);
    expect(await ledger.isApproved(LOCAL)).toBe(false);
  });

  test("does not accept approvals made with another key", async () => {
    const store = memoryStateStore();
    await createApprovalLedger(store).approve(LOCAL);
    await store.set("server-approval-key", "another");
    expect(await createApprovalLedger(store).isApproved(LOCAL)).toBe(false);
  });
});
