import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMcpError } from "@jackfield/mcp-core";
import { PrivateFolder } from "@jackfield/mcp-core/node";

/**
 * The private folder the demo servers work in. It is the same at every start, because the catalog recognises a server by its
 * command line. If its path is taken by something else, a new folder is made instead.
 *
 * @param parent Where to make it. Default: the system's folder for temporary files.
 */
export async function demoFolder(parent: string = tmpdir()): Promise<string> {
  const folder = new PrivateFolder(join(parent, `jackfield-agent-${process.getuid?.() ?? "user"}`));
  try {
    folder.prepare();
    return folder.path;
  } catch (error) {
    if (!isMcpError(error, "MCP_STORAGE_FAILED")) throw error;
    return mkdtemp(`${folder.path}-`);
  }
}
