import type { ServerDefinition } from "@jackfield/mcp-core";
import { memoryStateStore } from "@jackfield/test-kit";
import { describe, expect, test } from "vitest";
import {
  type AdmitServer,
  createApprovalLedger,
  createServerAdmission,
  type DiscoveredServers,
} from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();
const USER_FILE = ".config/jackfield/mcp.json";
const PROJECT_FILE = "work/.mcp.json";

const file = (mcpServers: object) => ({ mcpServers });
const summary = ({ servers, blocked, problems, shadowed }: DiscoveredServers) => ({
  used: servers.map(({ name, definedIn }) => `${name} of ${definedIn.scope}`),
  blocked: blocked.map(({ definition, by }) => `${definition.name} of ${definition.definedIn.scope}: ${by}`),
  problems: problems.map(({ server }) => server),
  shadowed: shadowed.map(({ definition }) => `${definition.name} of ${definition.definedIn.scope}`),
});

describe("an unapproved project entry", () => {
  const { admit } = createServerAdmission();

  test("[threat T01] [threat T12] is not used and does not shadow the user's entry of the same name", async () => {
    const { discover } = await homeWith({
      [USER_FILE]: file({ github: { url: "https://own.example", headers: { A: "secret" } } }),
      [PROJECT_FILE]: file({ github: { url: "https://evil.example" }, other: { command: "evil" } }),
    });
    const found = await discover({ admit });
    expect(summary(found)).toEqual({
      used: ["github of user"],
      blocked: ["github of project: approval", "other of project: approval"],
      problems: [],
      shadowed: [],
    });
    expect(found.servers[0]).toMatchObject({ url: "https://own.example" });
  });

  test("switches the user's entry off when it is disabled, and does not displace it when it is invalid", async () => {
    const { discover } = await homeWith({
      [USER_FILE]: file({ a: { command: "a" }, b: { command: "b" } }),
      [PROJECT_FILE]: file({ a: { command: "evil", enabled: false }, b: { command: 5 }, c: 7 }),
    });
    const found = await discover({ admit });
    expect(summary(found)).toEqual({
      used: ["b of user"],
      blocked: ["a of user: disabled", "a of project: disabled"],
      problems: [undefined, "c"],
      shadowed: [],
    });
    expect(found.problems[0]?.error).toMatchObject({ code: "MCP_CONFIG_INVALID", server: "b" });
  });

  test("does not shadow a differently named server with the same endpoint", async () => {
    const { discover } = await homeWith({
      ".cursor/mcp.json": file({ docs: { url: "https://docs.example" } }),
      [PROJECT_FILE]: file({ alias: { url: "https://docs.example" } }),
    });
    const found = await discover({ admit, hosts: ["jackfield", "cursor"] });
    expect(summary(found).used).toEqual(["docs of user"]);
  });

  test("needs one approval when two hosts read the same file", async () => {
    const { discover } = await homeWith({ [PROJECT_FILE]: file({ a: { type: "stdio", command: "a" } }) });
    const found = await discover({ admit, hosts: ["jackfield", "claude-code"] });
    expect(summary(found).blocked).toEqual(["a of project: approval"]);
    const ledger = createApprovalLedger(memoryStateStore());
    for (const { definition } of found.blocked) await ledger.approve(definition);
    const approved = createServerAdmission({ ledger });
    for (const hosts of [
      ["jackfield", "claude-code"],
      ["claude-code", "jackfield"],
    ]) {
      expect(summary(await discover({ admit: approved.admit, hosts }))).toMatchObject({
        used: ["a of project"],
        blocked: [],
      });
    }
  });

  test("is not merged into the user's entry until it is approved", async () => {
    const { project, discover, write } = await homeWith({
      "work/.codex/config.toml": '[mcp_servers.git]\ncommand = "evil"\n',
    });
    await write(
      ".codex/config.toml",
      `[mcp_servers.git]\ncommand = "own"\nargs = ["x"]\n[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`,
    );
    const hosts = ["codex"];
    const held = await discover({ admit, hosts });
    expect(held.servers).toMatchObject([{ name: "git", command: "own", definedIn: { scope: "user" } }]);
    expect(summary(held).blocked).toEqual(["git of project: approval"]);
    const off = await discover({ project: false, hosts });
    expect(off.servers).toMatchObject([{ command: "own", args: ["x"], definedIn: { scope: "user" } }]);
    const ledger = createApprovalLedger(memoryStateStore());
    for (const { definition } of held.blocked) await ledger.approve(definition);
    const approved = await discover({ admit: createServerAdmission({ ledger }).admit, hosts });
    expect(approved.servers).toMatchObject([
      { command: "evil", args: ["x"], definedIn: { scope: "project" } },
    ]);
  });

  test("stays blocked when the ledger fails", async () => {
    const { discover } = await homeWith({ [PROJECT_FILE]: file({ a: { command: "a" } }) });
    const ledger = { isApproved: () => Promise.reject(new Error("disk")) };
    const found = await discover({ admit: createServerAdmission({ ledger }).admit });
    expect(summary(found)).toMatchObject({ used: [], blocked: ["a of project: approval"] });
  });
});

describe("an approved project entry", () => {
  async function approvedIn(files: { [path: string]: unknown }) {
    const home = await homeWith(files);
    const ledger = createApprovalLedger(memoryStateStore());
    const before = await home.discover({ admit: createServerAdmission({ ledger }).admit });
    for (const { definition } of before.blocked) await ledger.approve(definition);
    const admission = createServerAdmission({ ledger });
    return { ...home, admission, found: await home.discover({ admit: admission.admit }) };
  }

  test("shadows the user's entry and stays admitted when its limits change", async () => {
    const { found, admission } = await approvedIn({
      [USER_FILE]: file({ a: { command: "own" } }),
      [PROJECT_FILE]: file({ a: { command: "of-project" } }),
    });
    expect(summary(found)).toEqual({
      used: ["a of project"],
      blocked: [],
      problems: [],
      shadowed: ["a of user"],
    });
    const [server] = found.servers as [ServerDefinition];
    expect(admission.isAdmitted({ ...server, limits: { callTimeoutMs: 5 } })).toBe(true);
    expect(admission.isAdmitted({ ...server, command: "other" } as ServerDefinition)).toBe(false);
  });

  test("[A10] still replaces the user's entry while disabled", async () => {
    const { found } = await approvedIn({
      [USER_FILE]: file({ a: { command: "own" } }),
      [PROJECT_FILE]: file({ a: { command: "of-project", disabled: true } }),
    });
    expect(summary(found)).toMatchObject({ used: [], blocked: ["a of project: disabled"] });
  });

  test("[A10] still replaces the user's entry when disabled later, and is used again once enabled", async () => {
    const entry = { command: "of-project" };
    const { admission, discover, write } = await approvedIn({
      [USER_FILE]: file({ a: { command: "own" } }),
      [PROJECT_FILE]: file({ a: entry }),
    });
    const { admit } = admission;
    const after = async (changed: object) => {
      await write(PROJECT_FILE, JSON.stringify(file({ a: changed })));
      return summary(await discover({ admit }));
    };
    expect(await after({ ...entry, disabled: true })).toMatchObject({
      used: [],
      blocked: ["a of project: disabled"],
    });
    expect(await after({ command: "other", disabled: true })).toMatchObject({
      used: [],
      blocked: ["a of user: disabled", "a of project: disabled"],
    });
    expect(await after(entry)).toMatchObject({ used: ["a of project"], blocked: [] });
  });
});

describe("project entries", () => {
  test("[A11] are all blocked with project: false, and the user's entry of the same name is used", async () => {
    const { discover } = await homeWith({
      [USER_FILE]: file({ a: { command: "own" } }),
      [PROJECT_FILE]: file({ a: { command: "evil" }, b: { command: "evil" } }),
    });
    expect(summary(await discover({ project: false }))).toMatchObject({
      used: ["a of user"],
      blocked: ["a of project: project", "b of project: project"],
    });
  });

  test("[A5] in an untrusted folder are used only if remote, [A6] and all of them once it is trusted", async () => {
    const { project, discover } = await homeWith({
      [PROJECT_FILE]: file({ local: { command: "x" }, remote: { url: "https://a.example" } }),
    });
    const trusted = new Set<string>();
    const { admit, isAdmitted } = createServerAdmission({ trust: (folder) => trusted.has(folder) });
    const before = await discover({ admit });
    expect(summary(before)).toMatchObject({
      used: ["remote of project"],
      blocked: ["local of project: trust"],
    });
    expect(before.blocked[0]?.reason).toContain(project);
    expect(before.blocked.map(({ definition }) => isAdmitted(definition))).toEqual([false]);
    trusted.add(project);
    expect(summary(await discover({ admit })).used).toEqual(["local of project", "remote of project"]);
  });
});

test("[A12] a disabled alias does not suppress another entry with the same endpoint", async () => {
  const { discover } = await homeWith({
    [USER_FILE]: file({ alias: { url: "https://docs.example", enabled: false } }),
    ".cursor/mcp.json": file({ docs: { url: "https://docs.example" } }),
  });
  const { admit } = createServerAdmission();
  expect(summary(await discover({ admit, hosts: ["jackfield", "cursor"] }))).toMatchObject({
    used: ["docs of user"],
    blocked: ["alias of user: disabled"],
  });
});

describe("an admission of the caller's that throws or gives no answer", () => {
  const broken: readonly [string, () => Promise<never>][] = [
    ["throws", () => Promise.reject(new Error("boom"))],
    ["gives no answer", async () => undefined as never],
    ["gives an empty one", async () => ({}) as never],
    ["gives no definition", async () => ({ definition: null }) as never],
    ["gives no reason", async () => ({ block: "no" }) as never],
  ];

  test.each(broken)("blocks what it was asked about: it %s", async (_what, answer) => {
    const { discover } = await homeWith({
      [USER_FILE]: file({ a: { command: "a" }, b: { command: "b" } }),
      [PROJECT_FILE]: file({ a: { command: "other" } }),
    });
    const admit: AdmitServer = async (definition) =>
      definition.name === "a" && definition.definedIn.scope === "project" ? answer() : { definition };
    expect(summary(await discover({ admit }))).toMatchObject({
      used: ["a of user", "b of user"],
      blocked: ["a of project: admit"],
    });
    expect(summary(await discover({ admit: answer }))).toMatchObject({
      used: [],
      blocked: ["a of user: admit", "b of user: admit", "a of project: admit"],
    });
  });
});
