import { readFile } from "node:fs/promises";
import type { Implementation } from "@jackfield/mcp-core";

/** How we introduce ourselves where the host does not say: by this package's own version. */
export async function readDefaultClientInfo(): Promise<Implementation> {
  const manifest: { readonly version: string } = JSON.parse(
    await readFile(new URL("../package.json", import.meta.url), "utf8"),
  );
  return { name: "jackfield", version: manifest.version };
}
