import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { HOST_DIALECTS } from "../src/hosts/host-dialects.ts";
import { HOST_IDS } from "../src/index.ts";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "..");
const HOSTS = readDocument("docs/hosts.md");

test("HOST_IDS names every host, in the order of their tables", () => {
  expect(HOST_IDS).toEqual(HOST_DIALECTS.map(({ id }) => id));
});

test.each(HOST_IDS)("docs/hosts.md has the files of the host %s", (host) => {
  expect(HOSTS).toContain(`| \`${host}\` |`);
});

/** Reads a document and removes the padding of its tables. */
function readDocument(file: string): string {
  return readFileSync(join(FOLDER, file), "utf8").replace(/ +/g, " ");
}
