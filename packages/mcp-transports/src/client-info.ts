import type { Implementation } from "@jackfield/mcp-core";
import { fileSystem } from "./builtin-modules.ts";

/** How we introduce ourselves where the host does not say: by this package's own version. */
export async function readDefaultClientInfo(): Promise<Implementation> {
  const manifest: { readonly version: string } = JSON.parse(
    await fileSystem.promises.readFile(new URL("../package.json", import.meta.url), "utf8"),
  );
  return { name: "jackfield", version: manifest.version };
}
