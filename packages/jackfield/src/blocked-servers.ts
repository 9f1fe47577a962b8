import type { BlockedServer } from "@jackfield/mcp-config";
import type { DefinedIn, Diagnostic } from "@jackfield/mcp-core";

/** A server that was found and is not used. */
export interface BlockedReport {
  readonly name: string;
  /**
   * Who says so: `approval` (it came with a project and nobody has approved it), `trust`, `project`, `disabled`,
   * `disabledServers`, `deny`, `allow`, `exa`, `browser`, `equivalent`, or a filter of your own.
   */
  readonly by: string;
  /** For people: why, and what to do about it. */
  readonly reason: string;
  readonly definedIn: DefinedIn;
}

/** Whether a server is only kept back until somebody trusts it. */
export function isAwaitingTrust({ by }: BlockedServer): boolean {
  return by === "approval" || by === "trust";
}

/** What is told of a blocked server; nothing of its values, which may be secret. */
export function reasonOf({ by, reason, definition }: BlockedServer): BlockedReport {
  const { name, definedIn } = definition;
  const advice = by === "approval" ? `; look at it and decide with: ${approveCommand([definition])}` : "";
  return { name, by, reason: reason + advice, definedIn };
}

/** The one warning about everything that waits for approval; `undefined` if nothing does. */
export function approvalWarning(blocked: readonly BlockedServer[]): Diagnostic | undefined {
  const waiting = blocked.filter(({ by }) => by === "approval").map(({ definition }) => definition);
  const [first] = waiting;
  if (first === undefined) return undefined;
  const names = [...new Set(waiting.map(({ name }) => JSON.stringify(name)))];
  const shown = names.slice(0, 10).join(", ") + (names.length > 10 ? ` and ${names.length - 10} more` : "");
  const message = `This project brings servers that nobody has approved, so they are not started: ${shown}. Look at them and decide with: ${approveCommand(waiting)}`;
  return { code: "not-approved", severity: "warning", message, file: first.definedIn.file };
}

type Approvable = Pick<BlockedServer["definition"], "name" | "definedIn">;

/** The command that shows exactly these servers. A name that a shell would take for something else is left out. */
function approveCommand(definitions: readonly Approvable[]): string {
  const names = new Set(definitions.map(({ name }) => name));
  const [name = ""] = names.size === 1 ? names : [];
  const hosts = new Set(definitions.map(({ definedIn }) => definedIn.host ?? "jackfield"));
  const isOwn = hosts.size === 1 && hosts.has("jackfield");
  const words = ["npx jackfield approve"];
  if (/^\w[\w.@-]*$/.test(name)) words.push(name);
  if (!isOwn) words.push(`--hosts ${[...hosts].join(",")}`);
  return words.join(" ");
}
