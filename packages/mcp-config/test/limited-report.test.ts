import { expect, test } from "vitest";
import type { ConfigDiagnostic } from "../src/index.ts";
import { useHomeFolder } from "./discovery/home-folder.ts";
import { parse } from "./discovery/parsing.ts";

const homeWith = useHomeFolder();

/** An object with members of these names: `field0`, `field1`, … */
function many(count: number, value: unknown): { [name: string]: unknown } {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, value]));
}

/** How many diagnostics there are of a code, and the severity and message of the last one. */
function summary(diagnostics: readonly ConfigDiagnostic[], code: string) {
  const found = diagnostics.filter((diagnostic) => diagnostic.code === code);
  return [found.length, found.at(-1)?.severity, found.at(-1)?.message];
}

const rest = (file: string, places: string) => `${file}: the same is found in ${places}.`;

test("the first thousand remarks of a code are reported, and the others counted", async () => {
  const entry = { command: "x", env: many(1000, {}), ...many(1003, 0) };
  const file = "/folder/mcp.json";
  const { diagnostics } = await parse({ mcpServers: { s: entry } }, { host: "cursor", file });
  expect(summary(diagnostics, "unknown-field")).toEqual([1001, "info", rest(file, "3 more places")]);
  expect(summary(diagnostics, "invalid-field")).toEqual([1000, "error", expect.stringContaining("field999")]);
});

test("the count is as severe as the worst of the others", async () => {
  const [weak, strong] = [
    { url: "https://h", headers: many(1001, {}) },
    { command: "x", env: many(1, {}) },
  ];
  const { diagnostics } = await parse({ mcpServers: { weak, strong, more: weak } }, { host: "cursor" });
  const message = rest("/folder/mcp.json", "1003 more places");
  expect(summary(diagnostics, "invalid-field")).toEqual([1001, "error", message]);
});

test("every lost server is reported", async () => {
  const { diagnostics } = await parse({ mcpServers: many(1002, {}) }, { host: "cursor" });
  expect(diagnostics.map(({ code }) => code)).toEqual(
    Array.from({ length: 1002 }, () => "ServerConfigError"),
  );
});

test("each file has that limit for itself; of a project no more entries are read than it may bring", async () => {
  const old = { mcpServers: many(1002, { command: "x", timeout: 30 }) };
  const found = { "work/.mcp.json": old, "named.json": old, "second.json": old };
  const { home, project, discover } = await homeWith(found);
  const files = ["named.json", "second.json"].map((name) => `${home}/${name}`);
  const { diagnostics } = await discover({ files, remarks: true });
  const deprecatedIn = (file: string) =>
    summary(
      diagnostics.filter((diagnostic) => diagnostic.file === file),
      "deprecated-field",
    );
  for (const file of files)
    expect(deprecatedIn(file)).toEqual([1001, "warning", rest(file, "2 more places")]);
  expect(deprecatedIn(`${project}/.mcp.json`)[0]).toBe(200);
});
