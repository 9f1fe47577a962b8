import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

/** A fresh folder for each test that asks for one; all are removed after the test. */
export function useTemporaryFolder(): (files?: { [name: string]: unknown }) => Promise<string> {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  return async (files = {}) => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-config-"));
    folders.push(folder);
    for (const [name, content] of Object.entries(files)) {
      const isRaw = typeof content === "string" || content instanceof Uint8Array;
      await writeFile(join(folder, name), isRaw ? content : JSON.stringify(content, null, 2));
    }
    return folder;
  };
}
