import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DIAGNOSTIC_CODES, HOST_IDS } from "../src/index.ts";

const FILE = join(dirname(fileURLToPath(import.meta.url)), "..", "README.md");
/** Tables may be padded. */
const README = readFileSync(FILE, "utf8").replace(/ +/g, " ");

test.each(Object.entries(DIAGNOSTIC_CODES))(
  "the README explains %s as the table does",
  (code, { severity, means }) => {
    expect(README).toContain(`| \`${code}\` | ${severity} | ${means} |`);
  },
);

test.each(HOST_IDS)("the README names the host %s", (host) => {
  expect(README).toContain(`| \`${host}\` |`);
});
