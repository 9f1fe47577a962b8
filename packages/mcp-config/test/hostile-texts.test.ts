import { describe, expect, test } from "vitest";
import { parseHostFile } from "../src/find/parse-host-file.ts";
import { blockOf, serverFilters } from "../src/find/server-filters.ts";
import { parseConfigDocument } from "../src/read/document.ts";
import { http } from "./resolution.ts";

const parseToml = (text: string) => parseConfigDocument(text, "/folder/config.toml", "toml");
const parseYaml = (text: string) => parseConfigDocument(text, "/folder/config.yaml", "yaml");

/** At this length, work that grows with its square takes minutes. */
const LENGTH = 1_000_000;

const filled = (part: string) => part.repeat(LENGTH / part.length);

describe("a megabyte of text takes linear work", () => {
  test.each(["${", "$(", "{a", "{b", "$a", "%a", "%a%"])(
    "as a URL of %j, compared with a denied one",
    (part) => {
      for (const host of ["jackfield", "claude-code"]) {
        const { definedIn, ...definition } = http({ url: `https://ok.example/)}${filled(part)}` });
        const filters = serverFilters({ deny: [{ url: "https://evil.example/*" }] });
        expect(blockOf(filters, { ...definition, definedIn: { ...definedIn, host } })).toBeUndefined();
      }
    },
  );

  test.each([
    ["identifier", { identifier: filled(".") }],
    ["tag", { identifier: `${filled(":")}/a`, registryBaseUrl: "" }],
    ["registry", { identifier: "a/b", registryBaseUrl: `https://ghcr.io/${filled("/")}x` }],
  ])("as the %s of an image", async (_part, facts) => {
    const image = { registryType: "oci", registryBaseUrl: "https://docker.io", version: "1", ...facts };
    const text = JSON.stringify({ name: "s", packages: [{ ...image, transport: { type: "stdio" } }] });
    const { servers } = await parseHostFile({ host: "registry", file: "/folder/server.json", text });
    expect(servers).toHaveLength(1);
  });
});

describe("a file with many faults takes linear work", () => {
  const NAME = "k".repeat(LENGTH / 2);

  test.each([
    [
      "repeated keys below a long name in JSON",
      "claude-code",
      ".mcp.json",
      `{"${NAME}":{${'"a":1,'.repeat(200_000)}"a":1}}`,
    ],
    [
      "repeated keys in many objects",
      "claude-code",
      ".mcp.json",
      `{"${NAME}":[${'{"a":1,"a":1},'.repeat(100_000)}1]}`,
    ],
    [
      "forbidden keys below a long name in JSON",
      "claude-code",
      ".mcp.json",
      `{"${NAME}":{${'"__proto__":1,'.repeat(200_000)}"a":1}}`,
    ],
    [
      "forbidden keys in YAML",
      "goose",
      "config.yaml",
      `? ${NAME}\n:\n${"  - __proto__: 1\n".repeat(30_000)}`,
    ],
    [
      "forbidden keys in TOML",
      "codex",
      "config.toml",
      `["${NAME}"]\na = [${"{__proto__=1},".repeat(35_000)}]\n`,
    ],
  ])("as %s", async (_faults, host, file, text) => {
    const { diagnostics } = await parseHostFile({ host, file: `/folder/${file}`, text });
    expect(diagnostics.filter(({ code }) => /^(?:duplicate|forbidden)-key$/.test(code))).toHaveLength(101);
  });

  test("as many servers and many repeated keys elsewhere", async () => {
    const servers = Array.from({ length: 50_000 }, (_, index) => `"s${index}":{"command":"a"}`);
    const text = `{"x":{${'"a":1,'.repeat(500_000)}"a":1},"mcpServers":{${servers}}}`;
    const read = await parseHostFile({ host: "jackfield", file: "/folder/mcp.json", text });
    expect(read.servers).toHaveLength(servers.length);
  });

  test("as many servers that are written a second time on far lines", async () => {
    const servers = Array.from({ length: 50_000 }, (_, index) => `"s${index}":{"command":"a"}`);
    const text = `{"mcpServers":{${[...servers, ...servers].join(",\n")}}}`;
    const { diagnostics } = await parseHostFile({ host: "jackfield", file: "/folder/mcp.json", text });
    const lost = diagnostics.findLast(({ server }) => server === "s49999");
    expect(lost?.message).toContain('"s49999" is written more than once, first on line 50000;');
  });
});

describe("a large JSON file takes linear work", () => {
  const broken = '"mcpServers":{"s":{"command":1}}';

  test.each([
    ["comments", `{${filled("/**/")}${broken}}`],
    ["lines", `{${filled("\n")}${broken}}`],
    ["elements", `{"x":[${filled("1,")}1],${broken}}`],
    ["escaped quotes", `{"x":"${filled('\\"')}",${broken}}`],
    ["colons in strings", `{"x":[${filled('":",')}1],${broken}}`],
    ["members", `{"x":{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`)}},${broken}}`],
    [
      "servers beside the key",
      `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":{"url":""}`)},${broken}}`,
    ],
  ])("when a fault stands behind a million characters of %s", async (_what, text) => {
    const { diagnostics } = await parseHostFile({
      host: "vscode",
      file: "/folder/mcp.json",
      text: text.replace("mcpServers", "servers"),
    });
    const fault = diagnostics.find(({ code }) => code === "ServerConfigError");
    const before = text.slice(0, text.indexOf('"command":1'));
    expect(fault?.line).toBe(before.split("\n").length);
  });

  test.each(["[", '{"a":', '[{"a":', "/* c */["])("when it nests %j without an end", async (part) => {
    const { diagnostics } = await parseHostFile({
      host: "vscode",
      file: "/folder/mcp.json",
      text: filled(part),
    });
    expect(diagnostics[0]?.message).toContain("values are nested more than 64 levels deep.");
  });
});

describe("a large TOML file takes linear work", () => {
  const dots = Array.from({ length: LENGTH }, () => "a").join(".");

  test.each([
    ["a key", `${dots} = 1`],
    ["a table", `[${dots}]`],
    ["an array of tables", `[[${dots}]]`],
    ["a key of an inline table", `x = { ${dots} = 1 }`],
  ])("when %s has a million names", async (_place, text) => {
    await expect(parseToml(text)).rejects.toThrow(
      "/folder/config.toml:1:1: values are nested more than 64 levels deep.",
    );
  });

  test("when a long key holds many members", async () => {
    const members = Array.from({ length: 50_000 }, (_, index) => `a${index} = 1.0`);
    const key = "k".repeat(LENGTH);
    const document = await parseToml([`[${key}]`, ...members].join("\n"));
    const { root } = document;
    const locate = await document.places();
    expect(Object.keys((root as Record<string, object>)[key] ?? {})).toHaveLength(members.length);
    expect(locate([key, "a49999"])).toMatchObject({ line: 50_001, column: 1 });
  });

  test.each([
    ["comments", `${"#\n".repeat(4_000_000)}a = 1`],
    ["escapes", `a = "${"\\\\".repeat(4_000_000)}"`],
  ])("when it has millions of %s", async (_part, text) => {
    expect((await parseToml(text)).root).toHaveProperty("a");
  });

  test("when it is full of texts that are never closed", async () => {
    await expect(parseToml(filled('x={\\"'))).rejects.toThrow("not valid TOML");
  });
});

describe("a large YAML file takes linear work", () => {
  test("when a mapping has many members", async () => {
    const members = Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`);
    const { root } = await parseYaml(members.join("\n"));
    expect(Object.keys(root as object)).toHaveLength(members.length);
  });

  test("when a long key holds many members", async () => {
    const key = "k".repeat(LENGTH);
    const members = Array.from({ length: 10_000 }, (_, index) => `- ${index}`);
    const locate = await (await parseYaml(`? ${key}\n:\n${members.join("\n")}\n`)).places();
    expect(locate([key, 9_999])).toMatchObject({ line: 10_002, column: 3 });
  });
});
