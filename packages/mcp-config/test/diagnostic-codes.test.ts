import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DIAGNOSTIC_CODES, HOST_IDS } from "../src/index.ts";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..");
const README = readDocument("README.md");
const DIAGNOSTICS = readDocument("docs/diagnostics.md");

test.each(Object.entries(DIAGNOSTIC_CODES))(
  "docs/diagnostics.md explains %s as DIAGNOSTIC_CODES does",
  (code, { severity, means }) => {
    expect(DIAGNOSTICS).toContain(`| \`${code}\` | ${severity} | ${means} |`);
  },
);

test.each(HOST_IDS)("the README names the host %s", (host) => {
  expect(README).toContain(`| \`${host}\` |`);
});

/** Reads a document and removes the padding of its tables. */
function readDocument(file: string): string {
  return readFileSync(join(FOLDER, file), "utf8").replace(/ +/g, " ");
}
