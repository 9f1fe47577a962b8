import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createServerResolver, type LoadedServers, loadServers } from "../src/index.ts";
import { parse } from "./discovery/parsing.ts";
import { useTemporaryFolder } from "./temporary-folder.ts";

const PLANTED = "planted-s3cr3t";
const folderWith = useTemporaryFolder();
const { signal } = new AbortController();

/** Everything that might be shown of what went wrong: messages, stacks, causes and hidden fields. */
function shown({ problems, diagnostics }: Omit<LoadedServers, "servers">): string {
  return inspect([problems, diagnostics], { depth: 20, showHidden: true });
}

const AT_HOME = { command: "x", args: [`--key=${PLANTED}`], env: { TOKEN: PLANTED } };
const REMOTE = {
  url: `https://u:${PLANTED}@host/?key=${PLANTED}`,
  headers: { Authorization: `Bearer ${PLANTED}` },
};

const FAULTY: readonly (readonly [string, unknown])[] = [
  ["both transports", { ...AT_HOME, ...REMOTE }],
  ["neither transport", { ...AT_HOME, command: undefined }],
  ["a bare string", `https://host/?key=${PLANTED}`],
  ["an array", [PLANTED]],
  ["a command as an array", { ...AT_HOME, command: ["x", PLANTED] }],
  ["a command with NUL", { command: `${PLANTED}\0` }],
  ["args as a string", { ...AT_HOME, args: `--key ${PLANTED}` }],
  ["args with an object", { ...AT_HOME, args: [{ key: PLANTED }] }],
  ["env as a string", { ...AT_HOME, env: `TOKEN=${PLANTED}` }],
  ["env with an object", { ...AT_HOME, env: { TOKEN: { value: PLANTED } } }],
  ["env with a number beside it", { ...AT_HOME, env: { TOKEN: PLANTED, PORT: 1 } }],
  ["a url of another scheme", { ...REMOTE, url: `ftp://u:${PLANTED}@host` }],
  ["a url that is broken", { ...REMOTE, url: `https://u:${PLANTED}@ho st` }],
  ["headers as a string", { ...REMOTE, headers: `Authorization: ${PLANTED}` }],
  ["a header as an array", { ...REMOTE, headers: { Authorization: [PLANTED] } }],
  ["a limit as a string", { ...AT_HOME, timeout: PLANTED }],
  ["a flag as a string", { ...AT_HOME, enabled: PLANTED }],
  ["tools as a string", { ...AT_HOME, tools: PLANTED }],
  ["a type that does not fit", { ...REMOTE, type: "stdio" }],
  ["a type that is none", { ...REMOTE, type: PLANTED }],
  ["a value in a variable's name", { ...AT_HOME, env: { [`TOKEN=${PLANTED}`]: "" } }],
  ["a value in a header's name", { ...REMOTE, headers: { [`Authorization: Bearer ${PLANTED}`]: "" } }],
  ["odd fields", { ...AT_HOME, environment: PLANTED, headers: { A: PLANTED }, trust: PLANTED, cmd: PLANTED }],
  ["a command line", { command: `x --key ${PLANTED}`, env: { TOKEN: PLANTED } }],
];

describe("no secret of a configuration is shown", () => {
  test.each(FAULTY)("in a file: %s", async (_what, entry) => {
    const cwd = await folderWith({ "mcp.json": { mcpServers: { s: entry } } });
    const found = await loadServers({ files: ["mcp.json"], cwd, remarks: true });
    expect(found.problems.length + found.diagnostics.length).toBeGreaterThan(0);
    expect(shown(found)).not.toContain(PLANTED);
  });

  test.each(FAULTY)("in code: %s", async (_what, entry) => {
    const found = await loadServers({ servers: { s: entry } as never, remarks: true });
    expect(found.problems.length + found.diagnostics.length).toBeGreaterThan(0);
    expect(shown(found)).not.toContain(PLANTED);
  });

  test.each([
    `{"mcpServers": {"s": {"env": {"TOKEN": "${PLANTED}}}}`,
    `{"mcpServers": {"s": {"env": {"TOKEN": ${PLANTED}}}}}`,
    `{"TOKEN": "${PLANTED}",}`,
    `// ${PLANTED}\n{}`,
    `${PLANTED}`,
    `"${PLANTED}"`,
    `{"mcpServers": "${PLANTED}"}`,
    `{"mcpServers": {"s": {"env": {"TOKEN": "${PLANTED}", "TOKEN": "${PLANTED}2"}}}}`,
    `{"servers": {"s": {"env": {"TOKEN": "${PLANTED}"}}}, "trust": "${PLANTED}"}`,
  ])("in the file %j", async (text) => {
    const cwd = await folderWith({ "mcp.json": text });
    const found = await loadServers({ files: ["mcp.json"], cwd, remarks: true });
    expect(found.problems.length + found.diagnostics.length).toBeGreaterThan(0);
    expect(shown(found)).not.toContain(PLANTED);
  });
});

test.each<[string, object, string[]]>([
  [
    "a variable's name",
    { command: "x", env: { [`TOKEN=${PLANTED}`]: "" } },
    ["invalid-field error /mcpServers/s/env"],
  ],
  [
    "a header's name",
    { type: "http", url: "https://h", headers: { [`Authorization: Bearer ${PLANTED}`]: "" } },
    ["invalid-field warning /mcpServers/s/headers"],
  ],
  ["a field", { command: "x", [`--token=${PLANTED}`]: "" }, ["unknown-field info /mcpServers/s"]],
  ["the type", { type: PLANTED, command: "x" }, ["ServerConfigError error /mcpServers/s/type"]],
])("no secret that stands in %s of another host's entry is shown", async (_where, entry, expected) => {
  const { diagnostics } = await parse({ mcpServers: { s: entry } });
  expect(diagnostics.map(({ code, severity, pointer }) => `${code} ${severity} ${pointer}`)).toEqual(
    expected,
  );
  expect(inspect(diagnostics)).not.toContain(PLANTED);
});

describe("no secret of the environment is shown when a server cannot be resolved", () => {
  const env = { TOKEN: PLANTED, BROKEN: `${PLANTED}\n`, NOT_A_URL: `//${PLANTED}`, EMPTY: "" };

  test.each([
    ["a missing variable", { url: "https://${TOKEN}/${MISSING}", headers: { A: "Bearer ${TOKEN}" } }],
    ["a broken url", { url: "${NOT_A_URL}" }],
    ["a url with a broken host", { url: "https://u:${TOKEN}@ho st" }],
    ["a header with a line break", { url: "https://host", headers: { A: "Bearer ${BROKEN}" } }],
    ["an empty command", { command: "${EMPTY}", args: ["${TOKEN}"], env: { A: "${TOKEN}" } }],
    [
      "a missing variable of a child",
      { command: "x", args: ["${TOKEN}", "${MISSING}"], env: { A: "${TOKEN}" } },
    ],
  ])("%s", async (_what, entry) => {
    const { servers } = await loadServers({ servers: { s: entry } });
    const [definition] = servers;
    if (!definition) throw new Error("the entry was refused while loading");
    const failure = await createServerResolver({ env })(definition, { signal }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(Error);
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(PLANTED);
  });
});
