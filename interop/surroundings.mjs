// What a server is tried in: a folder of its own, a port where it listens on one, and a mark by which its processes are found.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findServer } from "./installation.mjs";
import { MARK, markedProcesses } from "./marked-processes.mjs";
import { findFreePort, startListening } from "./remote-process.mjs";

/** The slowest of them takes 2 s on an idle machine. */
export const PATIENCE_MS = 60_000;

let marks = 0;

/** The ways in which a server can be reached. */
export function waysTo(server) {
  const { args, env, files } = server;
  return [{ transport: "stdio", args, env, files }, ...(server.remote ?? [])];
}

/** How a way is called in a table. */
export function nameOf({ transport, path }) {
  return path === undefined ? transport : `${transport} ${path}`;
}

/**
 * Has `use` try one server in one way, with a definition of it, `resolve` for what depends on its surroundings, and their folder. A remote
 * one runs meanwhile. Gives the version that is installed and the processes that were left; never throws.
 */
export async function inSurroundings({ installation, name, way, problems }, use) {
  const { transport, args = [], env = {}, files = {}, path } = way;
  const folder = mkdtempSync(join(tmpdir(), "jackfield-interop-"));
  for (const [file, text] of Object.entries({ "note.txt": "A note.\n", ...files }))
    writeFileSync(join(folder, file), text);
  marks += 1;
  const mark = `${process.pid}-${marks}-${name}`;
  let version = "-";
  try {
    const port = transport === "stdio" ? undefined : await findFreePort();
    const resolve = (value) => (typeof value === "function" ? value({ folder, port }) : value);
    const found = findServer(installation, name);
    version = found.version;
    const launch = {
      args: [found.program, ...resolve(args)],
      env: { PATH: process.env.PATH ?? "", HOME: folder, [MARK]: mark, ...resolve(env) },
      cwd: folder,
    };
    if (port === undefined) {
      const definition = { transport, name, command: process.execPath, ...launch, secrets: [] };
      await use({ definition, resolve, folder });
    } else {
      const end = await startListening({ ...launch, port, signal: AbortSignal.timeout(PATIENCE_MS) });
      const definition = {
        transport,
        name,
        url: `http://localhost:${port}${path}`,
        headers: {},
        secrets: [],
      };
      await use({ definition, resolve, folder }).finally(end);
    }
  } catch (error) {
    problems.push(String(error));
  }
  const left = markedProcesses(mark);
  for (const process of left ?? []) problems.push(`left process ${process}`);
  rmSync(folder, { recursive: true, force: true });
  return { version, left: left?.length ?? "?" };
}
