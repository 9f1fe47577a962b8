import { type Logger, thrownText } from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import type { ConnectorOptions, Leftover } from "@jackfield/mcp-transports";
import { ownStateDirectory } from "./state-directory.ts";
import { findLeftovers } from "./transports.ts";

/** Where running child processes are recorded, so that the next start finds those of a killed host; `undefined` for nowhere. */
export type ProcessRecordPlace = ConnectorOptions["processRecord"];

/** The place that this process uses: none if the user's home directory is unknown. */
export function processRecordPlace(): ProcessRecordPlace {
  const directory = ownStateDirectory("processes");
  return directory === undefined ? undefined : { directory };
}

/** Finds and logs servers that an earlier host left running. It ends none, and does not read a directory that cannot be trusted. */
export async function reportLeftovers(place: ProcessRecordPlace, log: Logger): Promise<readonly Leftover[]> {
  try {
    if (place === undefined || isEmpty(place.directory)) return [];
    const leftovers = await findLeftovers(place.directory);
    for (const { server, hostPid } of leftovers) {
      log("warn", "A server of an earlier run, whose host was killed, is still running.", {
        server,
        hostPid,
      });
    }
    return leftovers;
  } catch (error) {
    log("warn", "The records of earlier runs could not be read.", { error: thrownText(error) });
    return [];
  }
}

/** Detects the usual case without loading the code that reads records. */
function isEmpty(directory: string): boolean {
  try {
    return fileSystem.readdirSync(directory).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}
