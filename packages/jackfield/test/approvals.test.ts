import { readFileSync, writeFileSync } from "node:fs";
import type { LogLevel } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type OpenMcpOptions,
  openMcp,
  type ServerApprovalRequest,
  type ServerApprover,
} from "../src/index.ts";
import { createProjectFixture, type ProjectFixture, toolsOf } from "./project-fixture.ts";

useLeakCheck();

let clone: ProjectFixture;
beforeEach(() => {
  clone = createProjectFixture();
});
afterEach(() => {
  vi.unstubAllEnvs();
  clone[Symbol.dispose]();
});

const open = (options: OpenMcpOptions = {}) =>
  openMcp({ ...clone.options, ...options, approval: { ...clone.options.approval, ...options.approval } });

/** An approver that answers when the test says so. */
function askedPerson() {
  const requests: ServerApprovalRequest[] = [];
  const signals: AbortSignal[] = [];
  const answers: ((answer: boolean) => void)[] = [];
  const approve: ServerApprover = (request, { signal }) => {
    requests.push(request);
    signals.push(signal);
    return new Promise((resolve) => answers.push(resolve));
  };
  return { approve, requests, signals, answer: (answer: boolean) => answers.shift()?.(answer) };
}

describe("approval", () => {
  it("does not hold up openMcp; a server starts as soon as it is approved", async () => {
    clone.write({ a: { command: "server-a" }, b: { command: "server-b" } });
    const person = askedPerson();
    await using mcp = await open({ approval: { servers: person.approve } });
    expect(mcp.report.blocked.map(({ name, by }) => [name, by])).toEqual([
      ["a", "approval"],
      ["b", "approval"],
    ]);
    expect(mcp.tools()).toEqual([]);
    const waiting = {
      code: "MCP_APPROVAL_REQUIRED",
      message: expect.stringContaining("npx jackfield approve a"),
      outcome: "not-sent",
    };
    await expect(mcp.callTool({ server: "a", tool: "echo" })).rejects.toMatchObject(waiting);
    await expect(mcp.reconnect("a")).rejects.toMatchObject(waiting);
    await expect(mcp.ready(["a"])).rejects.toMatchObject(waiting);
    await mcp.ready(); // What nobody has approved is not there yet.
    const started = toolsOf(mcp, "a");
    person.answer(true);
    await started;
    expect(mcp.servers()).toMatchObject([
      { name: "a", status: "ready" },
      { name: "b", status: "failed", transport: "stdio", error: { code: "MCP_APPROVAL_REQUIRED" } },
    ]);
    expect(clone.connector.attempts.map(({ server }) => server.name)).toEqual(["a"]);
  });

  it("gives the variables that it lists, in the project's folder, also in later runtimes and under another host's name", async () => {
    vi.stubEnv("JACKFIELD_TEST_TOKEN", "value-of-the-token");
    vi.stubEnv("JACKFIELD_TEST_OTHER", "never");
    clone.write({ a: { command: "server-a", env: { KEY: "${JACKFIELD_TEST_TOKEN}" } } });
    const person = askedPerson();
    const first = await open({ approval: { servers: person.approve } });
    expect(person.requests).toMatchObject([{ variables: ["JACKFIELD_TEST_TOKEN"], cwd: clone.project }]);
    const started = toolsOf(first, "a");
    person.answer(true);
    await started;
    await first.close();
    const discover = { cwd: clone.project, home: clone.home, env: {}, hosts: ["claude-code"] };
    await using second = await open({ approval: { servers: person.approve }, discover });
    expect(second.report).toMatchObject({ blocked: [], ready: [{ name: "a" }] });
    expect(person.requests).toHaveLength(1);
    expect(clone.connector.attempts.map(({ server }) => server)).toMatchObject(
      Array.from({ length: 2 }, () => ({ env: { KEY: "value-of-the-token" }, cwd: clone.project })),
    );
    expect(JSON.stringify(clone.connector.attempts.map(({ server }) => server))).not.toContain("never");
  });

  it("is kept for the next runtime", async () => {
    clone.write({ a: { command: "server-a" } });
    const person = askedPerson();
    const first = await open({ approval: { servers: person.approve } });
    const started = toolsOf(first, "a");
    person.answer(true);
    await started;
    await first.close();
    await using second = await open({ approval: { servers: person.approve } });
    expect(second.report).toMatchObject({ blocked: [], ready: [{ name: "a" }] });
    expect(person.requests).toHaveLength(1);
  });

  it("[threat T03] starts the definition that was shown, even if the file changes before the answer", async () => {
    const file = clone.write({ a: { command: "shown", args: ["x"] } });
    const approve: ServerApprover = async ({ definition }) => {
      writeFileSync(file, readFileSync(file, "utf8").replace("shown", "evil"));
      expect(Object.isFrozen(definition)).toBe(true);
      return true;
    };
    await using mcp = await open({ approval: { servers: approve } });
    if (mcp.tools().length === 0) await toolsOf(mcp, "a");
    expect(clone.connector.attempts.map(({ server }) => server)).toMatchObject([
      { command: "shown", args: ["x"] },
    ]);
    // And what the file says now is not approved.
    const { blocked, removed } = await mcp.reload();
    expect({ blocked, removed }).toMatchObject({ blocked: [{ name: "a", by: "approval" }], removed: ["a"] });
  });

  it("[threat T07] is requested once for an entry that is added while the runtime is open", async () => {
    clone.write({});
    const person = askedPerson();
    await using mcp = await open({ approval: { servers: person.approve } });
    clone.write({ late: { command: "evil" } });
    expect(await mcp.reload()).toMatchObject({ applied: true, added: [], blocked: [{ name: "late" }] });
    await mcp.reload();
    expect(person.requests.map(({ definition }) => definition.name)).toEqual(["late"]);
    expect(clone.connector.attempts).toEqual([]);
  });

  it("[A6] given in another runtime takes effect at the next reload", async () => {
    clone.write({ a: { command: "server-a" } });
    await using mcp = await open();
    const elsewhere = await open({ approval: { servers: async () => true } });
    if (elsewhere.tools().length === 0) await toolsOf(elsewhere, "a");
    await elsewhere.close();
    expect(await mcp.reload()).toMatchObject({ added: ["a"], blocked: [] });
    expect(mcp.servers()).toMatchObject([{ name: "a", status: "ready" }]);
  });

  it("[A5] [A6] local servers run only while `trust` accepts their folder; each reload asks again", async () => {
    clone.write({ local: { command: "server" }, remote: { url: "https://a.example" } });
    let isTrusted = false;
    await using mcp = await open({ approval: { folders: () => isTrusted } });
    expect(mcp.report).toMatchObject({
      ready: [{ name: "remote" }],
      blocked: [{ name: "local", by: "trust" }],
    });
    isTrusted = true;
    expect(await mcp.reload()).toMatchObject({ added: ["local"], kept: ["remote"] });
    isTrusted = false;
    expect(await mcp.reload()).toMatchObject({ removed: ["local"] });
  });

  it("does not hold up close(), which aborts its signal", async () => {
    clone.write({ a: { command: "server-a" } });
    const person = askedPerson();
    const mcp = await open({ approval: { servers: person.approve } });
    await mcp.close();
    expect(person.signals.map(({ aborted }) => aborted)).toEqual([true]);
    person.answer(true);
    await new Promise((done) => setImmediate(done));
    expect(clone.connector.attempts).toEqual([]);
    const again = await open();
    await again.close();
    expect(again.report.blocked).toHaveLength(1);
  });

  it("is announced in one warning, which names the command to run", async () => {
    clone.write({ a: { command: "a" }, b: { command: "b" }, "c; rm -rf ~": { command: "c" } });
    const said: [LogLevel, string][] = [];
    await using mcp = await open({ log: (level, message) => said.push([level, message]) });
    await mcp.reload();
    const warnings = said.filter(([level]) => level === "warn").map(([, message]) => message);
    const cwd = `--cwd ${clone.project}`;
    expect(warnings).toEqual([
      expect.stringMatching(/"a", "b", "c; rm -rf ~".*npx jackfield approve --cwd /),
    ]);
    expect(warnings[0]?.endsWith(`npx jackfield approve ${cwd}`)).toBe(true);
    expect(mcp.report.diagnostics.filter(({ code }) => code === "not-approved")).toHaveLength(1);
    const reasons = mcp.report.blocked.map(({ reason }) => reason.split(": ").at(-1));
    expect(reasons).toEqual([
      `npx jackfield approve a ${cwd}`,
      `npx jackfield approve b ${cwd}`,
      `npx jackfield approve ${cwd}`,
    ]);
  });
});

/** Each row changes one thing in one of two entries. */
const LOCAL = { command: "npx", args: ["-y", "server@1.0.0"], env: { LEVEL: "info" }, cwd: "tools" };
const REMOTE = { url: "https://a.example/mcp", headers: { "X-Team": "core" } };
const MUTATIONS: readonly (readonly [string, object, object])[] = [
  ["the command", LOCAL, { ...LOCAL, command: "npX" }],
  ["the first argument", LOCAL, { ...LOCAL, args: ["-Y", "server@1.0.0"] }],
  ["the last argument", LOCAL, { ...LOCAL, args: ["-y", "server@1.0.1"] }],
  ["the order of arguments", LOCAL, { ...LOCAL, args: ["server@1.0.0", "-y"] }],
  ["the number of arguments, by an empty one", LOCAL, { ...LOCAL, args: [...LOCAL.args, ""] }],
  ["a value of env", LOCAL, { ...LOCAL, env: { LEVEL: "infO" } }],
  ["a name of env", LOCAL, { ...LOCAL, env: { LEVELS: "info" } }],
  ["cwd", LOCAL, { ...LOCAL, cwd: "tools2" }],
  ["the url", REMOTE, { ...REMOTE, url: "https://a.example/mcp2" }],
  ["a header's template", REMOTE, { ...REMOTE, headers: { "X-Team": "${TEAM:-core}" } }],
  ["a header's name", REMOTE, { ...REMOTE, headers: { "X-Teams": "core" } }],
  ["the transport", REMOTE, { ...REMOTE, type: "sse" }],
];

describe("after an approval", () => {
  async function approveAll() {
    const mcp = await open({ approval: { servers: async () => true } });
    if (mcp.tools().length === 0) await toolsOf(mcp, "s");
    await mcp.close();
    expect(clone.connector.attempts).toHaveLength(1);
  }

  async function asksAgain() {
    const person = askedPerson();
    await using mcp = await open({ approval: { servers: person.approve } });
    expect(mcp.report.blocked).toMatchObject([{ name: "s", by: "approval" }]);
    expect(person.requests).toHaveLength(1);
    expect(clone.connector.attempts).toHaveLength(1);
  }

  it.each(MUTATIONS)(
    "[threat T02] changing %s asks for approval again and connects nothing",
    async (_what, before, after) => {
      clone.write({ s: before });
      await approveAll();
      clone.write({ s: after });
      await asksAgain();
    },
  );

  it("[threat T02] moving the file asks for approval again", async () => {
    clone.write({ s: LOCAL });
    await approveAll();
    clone.write({});
    clone.writeFile("clone/sub/.mcp.json", { mcpServers: { s: LOCAL } });
    Object.assign(clone.options.discover as object, { cwd: `${clone.project}/sub` });
    await asksAgain();
  });

  it("[threat T02] the same entry in another project asks for approval again", async () => {
    clone.write({ s: LOCAL });
    await approveAll();
    clone.writeFile("other/.git/HEAD", "");
    clone.writeFile("other/.mcp.json", { mcpServers: { s: LOCAL } });
    Object.assign(clone.options.discover as object, { cwd: `${clone.home}/other` });
    await asksAgain();
  });

  it("moving the entry within its file keeps the approval", async () => {
    clone.write({ s: LOCAL });
    await approveAll();
    clone.writeFile("clone/.mcp.json", `\n\n\n${JSON.stringify({ mcpServers: { s: LOCAL } }, undefined, 4)}`);
    await using mcp = await open();
    expect(mcp.report).toMatchObject({ blocked: [], ready: [{ name: "s" }] });
  });
});
