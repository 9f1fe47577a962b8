import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lookAtPrivateFile, preparePrivateDirectory } from "../src/private-path.ts";
import { temporaryDirectory } from "./catalog-samples.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const refusal = (text: string) =>
  expect.objectContaining({ code: "MCP_STORAGE_FAILED", message: expect.stringContaining(text) });

describe("MCP_STORAGE_FAILED is thrown for", () => {
  test.runIf(process.getuid)("[T73] a directory that others can write to", () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o777);
    expect(() => preparePrivateDirectory(directory)).toThrow(refusal("chmod 700"));
  });

  test.runIf(isRoot)("[T73] a directory or a file that belongs to another user", () => {
    const directory = temporaryDirectory();
    const file = join(directory, "file");
    writeFileSync(file, "");
    for (const path of [file, directory]) chownSync(path, NOBODY, NOBODY);
    expect(() => lookAtPrivateFile(file)).toThrow(refusal("belongs to another user"));
    expect(() => preparePrivateDirectory(directory)).toThrow(refusal("belongs to another user"));
  });
});
