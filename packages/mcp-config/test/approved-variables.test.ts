import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { memoryStateStore } from "@jackfield/test-kit";
import { describe, expect, test } from "vitest";
import {
  approvalRequest,
  createApprovalLedger,
  createServerAdmission,
  createServerResolver,
  definitionContent,
  type ServerResolverOptions,
} from "../src/index.ts";
import { useHomeFolder } from "./discovery/home-folder.ts";
import { refused, signal } from "./resolution.ts";

const homeWith = useHomeFolder();

/** Reads a project's entry, approves what is asked about, and resolves it as a runtime does. */
async function opened(file: string, written: object, hosts = ["jackfield"]) {
  const text = file.includes("zed") ? { context_servers: { s: written } } : { mcpServers: { s: written } };
  const { discover, home } = await homeWith({ [`work/${file}`]: text });
  const ledger = createApprovalLedger(memoryStateStore());
  const { admit, isAdmitted } = createServerAdmission({ ledger });
  const asked = await discover({ hosts, admit });
  const request = approvalRequest(asked.blocked[0]?.definition as ServerDefinition, "linux");
  const resolve = async (options: ServerResolverOptions) => {
    await ledger.approve(request.definition);
    const { servers } = await discover({ hosts, admit });
    return createServerResolver({ isAdmitted, ...options })(servers[0] as ServerDefinition, { signal });
  };
  return { request, resolve, discover, ledger, home };
}

const env = { TRACKER_TOKEN: "planted-token", REGION: "eu", OTHER_TOKEN: "never" };

describe("the approval of a project's entry", () => {
  test.each<[string, object, string, object]>([
    [
      "env",
      { command: "x", env: { KEY: "${TRACKER_TOKEN}" } },
      "TRACKER_TOKEN",
      { env: { KEY: "planted-token" } },
    ],
    ["an argument", { command: "x", args: ["--key=${TRACKER_TOKEN}"] }, "TRACKER_TOKEN", {}],
    [
      "a header",
      { type: "http", url: "https://h.example", headers: { Authorization: "Bearer ${TRACKER_TOKEN}" } },
      "TRACKER_TOKEN",
      { headers: { Authorization: "Bearer planted-token" } },
    ],
    ["a URL", { type: "http", url: "https://${REGION}.example/" }, "REGION", { url: "https://eu.example/" }],
    [
      "a header by way of env",
      { type: "http", url: "https://h.example", headers: { A: "${KEY}" }, env: { KEY: "${TRACKER_TOKEN}" } },
      "TRACKER_TOKEN",
      { headers: { A: "planted-token" } },
    ],
    ["a reference with a default", { command: "x", args: ["${REGION:-us}"] }, "REGION", { args: ["eu"] }],
  ])("lists the variable in %s and gives it", async (_where, written, name, expected) => {
    const { request, resolve } = await opened(".mcp.json", written);
    expect(request.variables).toEqual([name]);
    expect(request.text).toContain(`\ngets     your ${name}\n`);
    expect(request.text.replace(/\n {7}\u2502 /g, "")).toMatch(
      new RegExp(`in short .*; it gets your ${name}$`),
    );
    expect(await resolve({ env })).toMatchObject(expected);
  });

  test("lists what hosts refer to in their own way, and answers to inputs", async () => {
    const local = {
      command: "x",
      args: ["${input:region}"],
      env: { KEY: "${env:TRACKER_TOKEN}", AT: "${workspaceFolder}" },
    };
    const { discover } = await homeWith({ "work/.vscode/mcp.json": { servers: { s: local } } });
    const { servers } = await discover({ hosts: ["vscode"] });
    expect(servers[0]?.variables).toEqual(["TRACKER_TOKEN", "region"]);
    const resolve = createServerResolver({ env, inputs: { region: "west" }, isAdmitted: () => true });
    expect(await resolve(servers[0] as ServerDefinition, { signal })).toMatchObject({
      args: ["west"],
      env: { KEY: "planted-token" },
    });
  });

  test("lists variables that fields name without a reference", async () => {
    const layer =
      '[mcp_servers.h]\nurl = "https://h.example"\nbearer_token_env_var = "TRACKER_TOKEN"\n[mcp_servers.p]\ncommand = "x"\nenv_vars = ["REGION"]\n';
    const { home, write, discover } = await homeWith({ "work/.codex/config.toml": layer });
    await write(".codex/config.toml", `[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`);
    const { servers } = await discover({ hosts: ["codex"] });
    expect(servers.map(({ variables }) => variables)).toEqual([["TRACKER_TOKEN"], ["REGION"]]);
    const resolve = createServerResolver({ env, isAdmitted: () => true });
    const [remote, local] = await Promise.all(servers.map((server) => resolve(server, { signal })));
    expect(remote).toMatchObject({ headers: { Authorization: "Bearer planted-token" } });
    expect(local).toMatchObject({ env: { REGION: "eu" } });
  });

  test("lists nothing that the entry sets itself, and no text that is no reference", async () => {
    const written = { command: "x", args: ["${OWN}", "$HOME", "%USER%"], env: { OWN: "1" } };
    const { request, resolve } = await opened(".mcp.json", written);
    expect(request.variables).toEqual([]);
    expect(request.text).not.toContain("gets");
    expect(await resolve({ env })).toMatchObject({ args: ["1", "$HOME", "%USER%"] });
  });

  test("counts many variables in the last line, and names each of them above", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `NAME_${index}`);
    const { request } = await opened(".mcp.json", { command: "x", args: names.map((name) => `\${${name}}`) });
    for (const name of names) expect(request.text).toContain(`\ngets     your ${name}\n`);
    expect(request.text.replace(/\n {7}\u2502 /g, "")).toMatch(/; it gets 9 of your variables$/);
  });

  test("[threat T06] shows a name that is no word in quotation marks", async () => {
    const { request } = await opened(".mcp.json", { command: "x", args: ['${A"\u202eB}'] });
    expect(request.text).toContain('gets     your "A\\"\\u{202E}B"');
  });

  test("[threat T13] gives nothing but what it lists", async () => {
    const { request, resolve } = await opened(".mcp.json", { command: "x", args: ["${REGION}"] });
    await resolve({ env });
    const resolver = createServerResolver({ env, isAdmitted: () => true });
    const other = { ...request.definition, args: ["${OTHER_TOKEN}"] } as ServerDefinition;
    expect((await refused(resolver(other, { signal }))).code).toBe("MCP_CONFIG_VARIABLE_MISSING");
  });

  test("[threat T13] covers the names: the same bytes with other names are not approved, with fewer they are", async () => {
    const { request, ledger } = await opened(".mcp.json", { command: "x", args: ["${REGION}"] });
    await ledger.approve(request.definition);
    expect(await ledger.isApproved(request.definition)).toBe(true);
    const isApproved = (variables?: string[]) => ledger.isApproved({ ...request.definition, variables });
    for (const names of [["OTHER_TOKEN"], ["OTHER_TOKEN", "REGION"]])
      expect(await isApproved(names)).toBe(false);
    // As a host reads it that fills in nothing.
    for (const names of [undefined, []]) expect(await isApproved(names)).toBe(true);
    expect(await ledger.revoke(request.definition)).toBe(true);
    for (const names of [undefined, ["REGION"]]) expect(await isApproved(names)).toBe(false);
  });

  test("[threat T13] is not given by trust in a folder, which has read no list", async () => {
    const { discover } = await homeWith({
      "work/.mcp.json": { mcpServers: { s: { type: "http", url: "https://h.example/${TRACKER_TOKEN}" } } },
    });
    for (const isTrusted of [true, false]) {
      const { admit, isAdmitted } = createServerAdmission({ trust: () => isTrusted });
      const { servers } = await discover({ admit });
      for (const projectVariables of [[], ["TRACKER_TOKEN"]]) {
        const resolve = createServerResolver({ env, isAdmitted, projectVariables });
        const error = await refused(resolve(servers[0] as ServerDefinition, { signal }));
        expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
      }
    }
  });

  test("does not depend on the host under whose name the file was read", async () => {
    const written = {
      command: "node",
      args: ["server.mjs"],
      env: { KEY: "${TRACKER_TOKEN}" },
      cwd: "tools",
      timeout: 5000,
    };
    const { request, discover, ledger } = await opened(".mcp.json", written);
    await ledger.approve(request.definition);
    const { admit } = createServerAdmission({ ledger });
    for (const host of ["claude-code", "copilot-cli", "junie"]) {
      const { servers, blocked } = await discover({ hosts: [host], admit });
      const [definition] = [...servers, ...blocked.map((one) => one.definition)];
      const isSame =
        definitionContent(definition as ServerDefinition) === definitionContent(request.definition);
      expect([host, servers.length], JSON.stringify(definition)).toEqual([host, isSame ? 1 : 0]);
      if (host === "claude-code") expect(isSame).toBe(true);
    }
  });

  test("is asked for again where another host reads the same bytes as something else", async () => {
    const { request, discover, ledger } = await opened(".mcp.json", { command: "x", args: ["$REGION"] });
    await ledger.approve(request.definition);
    const { admit } = createServerAdmission({ ledger });
    const { blocked } = await discover({ hosts: ["claude-code"], admit });
    expect(blocked).toMatchObject([{ by: "approval", definition: { variables: ["REGION"] } }]);
  });
});

describe("a project's server", () => {
  const written = { command: "node", args: ["server.mjs"], env: { AT: "${CLAUDE_PROJECT_DIR}" } };

  test.each(["jackfield", "claude-code"])(
    "runs in the folder of its file, and the approval says so: %s",
    async (host) => {
      const { request, resolve, home } = await opened(".mcp.json", written, [host]);
      const work = join(home, "work");
      expect(request).toMatchObject({ cwd: work, variables: [] });
      expect(request.text).toContain("\nruns in  ");
      const env = { CLAUDE_PROJECT_DIR: "/elsewhere" };
      expect(await resolve({ env })).toMatchObject({ cwd: work, env: { AT: work } });
    },
  );

  test("runs there from every folder below", async () => {
    const { discover, home } = await homeWith({ "work/.cursor/mcp.json": { mcpServers: { s: written } } });
    mkdirSync(join(home, "work/a/b"), { recursive: true });
    const { servers } = await discover({ hosts: ["cursor"], cwd: join(home, "work/a/b") });
    const resolve = createServerResolver({ env: {}, isAdmitted: () => true });
    expect(await resolve(servers[0] as ServerDefinition, { signal })).toMatchObject({
      cwd: join(home, "work"),
    });
  });

  test("runs where its entry says", async () => {
    const { request, resolve, home } = await opened(".mcp.json", { command: "x", cwd: "tools" });
    expect(request.cwd).toBe(join(home, "work/tools"));
    expect(await resolve({ env: {} })).toMatchObject({ cwd: join(home, "work/tools") });
  });
});
