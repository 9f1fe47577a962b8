import { describe, expect, test } from "vitest";
import { parseHostFile } from "../src/discovery/parse-host-file.ts";
import { parseTomlDocument } from "../src/documents/toml-document.ts";
import { parseYamlDocument } from "../src/documents/yaml-document.ts";
import { blockOf, serverFilters } from "../src/filters/server-filters.ts";
import { http } from "./resolution.ts";

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

describe("a large TOML file takes linear work", () => {
  const dots = Array.from({ length: LENGTH }, () => "a").join(".");

  test.each([
    ["a key", `${dots} = 1`, 127],
    ["a table", `[${dots}]`, 1],
    ["an array of tables", `[[${dots}]]`, 1],
    ["a key of an inline table", `x = { ${dots} = 1 }`, 131],
    ["a key after a second byte order mark", `\ufeff${dots} = 1`, 128],
  ])("when %s has a million names", (_place, text, column) => {
    expect(() => parseTomlDocument(text, "/folder/config.toml")).toThrow(
      `/folder/config.toml:1:${column}: values are nested more than 64 levels deep.`,
    );
  });

  test("when a long key holds many members", () => {
    const members = Array.from({ length: 50_000 }, (_, index) => `a${index} = 1.0`);
    const key = "k".repeat(LENGTH);
    const { root, locate } = parseTomlDocument([`[${key}]`, ...members].join("\n"), "/folder/config.toml");
    expect(Object.keys((root as Record<string, object>)[key] ?? {})).toHaveLength(members.length);
    expect(locate([key, "a49999"])).toMatchObject({ line: 50_001, column: 1 });
  });

  test.each([
    ["comments", `${"#\n".repeat(4_000_000)}a = 1`],
    ["escapes", `a = "${"\\\\".repeat(4_000_000)}"`],
  ])("when it has millions of %s", (_part, text) => {
    expect(parseTomlDocument(text, "/folder/config.toml").root).toHaveProperty("a");
  });

  test("when it is full of texts that are never closed", () => {
    expect(() => parseTomlDocument(filled('x={\\"'), "/folder/config.toml")).toThrow("not valid TOML");
  });
});

describe("a large YAML file takes linear work", () => {
  test("when a mapping has many members", () => {
    const members = Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`);
    const { root } = parseYamlDocument(members.join("\n"), "/folder/config.yaml");
    expect(Object.keys(root as object)).toHaveLength(members.length);
  });

  test("when a long key holds many members", () => {
    const key = "k".repeat(LENGTH);
    const members = Array.from({ length: 10_000 }, (_, index) => `- ${index}`);
    const { locate } = parseYamlDocument(`? ${key}\n:\n${members.join("\n")}\n`, "/folder/config.yaml");
    expect(locate([key, 9_999])).toMatchObject({ line: 10_002, column: 3 });
  });
});
