import type { BlockedReport } from "../blocked-servers.ts";
import { placeOf } from "./lines.ts";

/** Why a server that was found is not used, and where its entry is. If it waits for approval, the text ends with the command to copy. */
export function whyUnused({ name, by, reason, definedIn }: BlockedReport): string {
  const place = definedIn.file === undefined ? "" : ` (${placeOf(definedIn)})`;
  const next = by === "approval" ? "" : '; "jackfield config list" shows what is used.';
  return `Server ${JSON.stringify(name)}${place} is not used: ${reason}${next}`;
}
