import { type Logger, thrownText } from "@jackfield/mcp-core";
import type { ConnectorOptions, Leftover } from "@jackfield/mcp-transports";
import { fileSystem } from "./builtin-modules.ts";
import { ownStateDirectory } from "./state-directory.ts";
import { findLeftovers } from "./transports.ts";

/** Where running child processes are written down, so that the next start finds those of a host that was killed; `undefined` for nowhere. */
export type ProcessRecordPlace = ConnectorOptions["processRecord"];

/** The place that this process has for it: none where nobody knows the user's home. */
export function processRecordPlace(): ProcessRecordPlace {
  const directory = ownStateDirectory("processes");
  return directory === undefined ? undefined : { directory };
}

/** Finds what an earlier host left running, and says so. Nothing is ended. A directory that cannot be trusted is not read. */
export async function reportLeftovers(place: ProcessRecordPlace, log: Logger): Promise<readonly Leftover[]> {
  try {
    if (place === undefined || isEmpty(place.directory)) return [];
    const leftovers = await findLeftovers(place.directory);
    for (const { server, hostPid } of leftovers) {
      log("warn", "a server of an earlier run, whose host was killed, is still running", { server, hostPid });
    }
    return leftovers;
  } catch (error) {
    log("warn", "earlier runs could not be looked up", { error: thrownText(error) });
    return [];
  }
}

/** The usual case, told without loading what could read a record. */
function isEmpty(directory: string): boolean {
  try {
    return fileSystem.readdirSync(directory).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}
