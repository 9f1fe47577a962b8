import type { BlockedServer, DiscoveredServers } from "@jackfield/mcp-config";
import type { DefinedIn, Diagnostic } from "@jackfield/mcp-core";
import { isPlainName, placeOptions, type SearchedPlaces } from "./searched-places.ts";

/** A server that was found and is not used. */
export interface BlockedReport {
  readonly name: string;
  /**
   * What blocks it: `approval` (it came with a project and nobody has approved it), `trust`, `project`, `disabled`,
   * `disabledServers`, `deny`, `allow`, `exa`, `browser`, or a filter of your own.
   */
  readonly by: string;
  /** For people: why, and what to do about it. */
  readonly reason: string;
  readonly definedIn: DefinedIn;
}

/** Whether a server is blocked only until it is approved or its folder is trusted. */
export function isAwaitingTrust({ by }: BlockedServer): boolean {
  return by === "approval" || by === "trust";
}

/** The report on a blocked server, without the values of its entry, which may be secret. */
export function blockedReportOf({
  by,
  reason,
  definition: { name, definedIn },
}: BlockedServer): BlockedReport {
  return { name, by, reason, definedIn };
}

/** Discovered servers, with advice on how to approve those that wait for approval. */
export interface AdvisedServers extends DiscoveredServers {
  /** One warning for all servers that wait for approval; missing if there are none. */
  readonly approvalWarning?: Diagnostic | undefined;
}

/** Adds the approve command to each server that waits for approval, and one warning for all. */
export function adviseApproval(found: DiscoveredServers, places: SearchedPlaces): AdvisedServers {
  const blocked = found.blocked.map((server) => {
    if (server.by !== "approval") return server;
    const command = approveCommand([server.definition], places);
    return { ...server, reason: `${server.reason}; review it with: ${command}` };
  });
  return { ...found, blocked, approvalWarning: approvalWarning(blocked, places) };
}

function approvalWarning(blocked: readonly BlockedServer[], places: SearchedPlaces): Diagnostic | undefined {
  const waiting = blocked.filter(({ by }) => by === "approval").map(({ definition }) => definition);
  const [first] = waiting;
  if (first === undefined) return undefined;
  const names = [...new Set(waiting.map(({ name }) => JSON.stringify(name)))];
  const shown = names.slice(0, 10).join(", ") + (names.length > 10 ? ` and ${names.length - 10} more` : "");
  const message = `This project has servers that are not approved, so they are not started: ${shown}. Review them with: ${approveCommand(waiting, places)}`;
  return { code: "not-approved", severity: "warning", message, file: first.definedIn.file };
}

type Approvable = Pick<BlockedServer["definition"], "name" | "definedIn">;

/** The command that shows these servers for approval. It names a single server, if its name is safe in a shell. */
export function approveCommand(definitions: readonly Approvable[], { hosts, cwd }: SearchedPlaces): string {
  const names = new Set(definitions.map(({ name }) => name));
  const [name = ""] = names.size === 1 ? names : [];
  const words = ["npx jackfield approve", ...(isPlainName(name) ? [name] : [])];
  return [...words, ...placeOptions({ hosts: searchedHosts(definitions, hosts), cwd })].join(" ");
}

/** The hosts in whose dialects the files are, if all were searched, else `hosts`: a host may read files in another's dialect. */
function searchedHosts(
  definitions: readonly Approvable[],
  hosts: SearchedPlaces["hosts"] = ["jackfield"],
): SearchedPlaces["hosts"] {
  if (hosts === "all") return hosts;
  const dialects = new Set(definitions.map(({ definedIn }) => definedIn.host ?? "jackfield"));
  const isSearched = [...dialects].every((host) => hosts.includes(host));
  return isSearched ? [...dialects] : hosts;
}
