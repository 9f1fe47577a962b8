import type { BlockedReport } from "../blocked-servers.ts";
import { placeOf, withLines } from "./lines.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";

/**
 * Why a server that was found is not used, and where its entry is. If it waits for approval, the text ends with the command to copy.
 *
 * @param places - the options of this command, for the command that is advised
 */
export async function whyUnused(server: BlockedReport, places: CommandPlaces): Promise<string> {
  const [{ name, by, reason, definedIn } = server] = await withLines([server]);
  const place = definedIn.file === undefined ? "" : ` (${placeOf(definedIn)})`;
  const next = by === "approval" ? "" : `; "${nextCommand("config list", places)}" shows what is used.`;
  return `Server ${JSON.stringify(name)}${place} is not used: ${reason}${next}`;
}
