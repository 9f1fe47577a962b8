import {
  type ApprovalLedger,
  createServerAdmission,
  type DiscoveredServers,
  type DiscoverServersOptions,
  describeServers,
  discoverServers,
  parseHostFile,
} from "@jackfield/mcp-config";
import type { DefinitionScope, Diagnostic, ServerDefinition } from "@jackfield/mcp-core";
import type { CommandResult } from "./command-result.ts";
import type { Page } from "./page.ts";
import { alignColumns, tableOn } from "./table.ts";
import { printable, printableLine, printableName } from "./terminal.ts";

/** What is wanted of configuration files. No server is started, and no variable is filled in. */
export type ConfigAction =
  | { readonly action: "list" }
  | {
      readonly action: "parse";
      /** In whose dialect the files are written. */
      readonly host: string;
      readonly file: string;
      /** Weaker layers of the same host, the strongest first. */
      readonly beneath: readonly string[];
    };

export interface ConfigListOptions
  extends Pick<DiscoverServersOptions, "cwd" | "files" | "hosts" | "servers"> {
  /** What a person has accepted of what came with a project. */
  readonly ledger: Pick<ApprovalLedger, "isApproved">;
}

interface ListedServer extends Pick<ServerDefinition, "name" | "transport" | "disabledBy" | "definedIn"> {
  readonly scope: DefinitionScope;
  readonly enabled: boolean;
  /** Whatever did not come with a project needs no approval. */
  readonly approved: boolean;
  /** Why it is not used. */
  readonly blockedBy?: { readonly by: string; readonly reason: string } | undefined;
  /** The entry that stands in front of it: one of its name, or one that reaches the same endpoint. */
  readonly shadowedBy?: { readonly name: string; readonly reason: "name" | "endpoint" } | undefined;
}

/**
 * Lists every definition that is found, also those that are blocked, switched off, or behind others, as `openMcp` would take them.
 * Values of fields are not shown.
 */
export async function listConfig(
  options: ConfigListOptions,
): Promise<CommandResult & { readonly found: DiscoveredServers }> {
  const { ledger, ...places } = options;
  const { admit } = createServerAdmission({ ledger });
  const found = await discoverServers({ ...places, admit });
  const listed = await Promise.all([
    ...found.servers.map((definition) => listedAs(definition, ledger, {})),
    ...found.blocked
      // These are among the shadowed as well.
      .filter(({ by }) => by !== "equivalent")
      .map(({ definition, by, reason }) => listedAs(definition, ledger, { blockedBy: { by, reason } })),
    ...found.shadowed.map(({ definition, by, reason }) =>
      listedAs(definition, ledger, { shadowedBy: { name: by, reason } }),
    ),
  ]);
  const text = listed.length === 0 ? "No server is configured.\n" : (page: Page) => tableOf(listed, page);
  return { found, json: listed, text, exitCode: 0 };
}

async function listedAs(
  definition: ServerDefinition,
  ledger: ConfigListOptions["ledger"],
  state: Pick<ListedServer, "blockedBy" | "shadowedBy">,
): Promise<ListedServer> {
  const { name, transport, enabled = true, disabledBy, definedIn } = definition;
  const { scope } = definedIn;
  const approved = scope !== "project" || (await ledger.isApproved(definition));
  return { name, transport, scope, enabled, disabledBy, approved, ...state, definedIn };
}

function tableOf(servers: readonly ListedServer[], page: Page): string {
  const rows = servers.map(({ name, transport, definedIn, ...server }) => [
    printableName(name),
    transport,
    definedIn.host ?? "",
    definedIn.scope,
    stateOf(server),
    placeOf(definedIn),
  ]);
  const head = ["SERVER", "TRANSPORT", "HOST", "SCOPE", "STATE", "DEFINED IN"];
  const options = tableOn(page, {
    keepsEnd: [head.length - 1],
    tones: { on: "good", "not approved": "doubtful" },
  });
  return alignColumns([head, ...rows], options);
}

function stateOf(server: Omit<ListedServer, "name" | "transport" | "definedIn">): string {
  const { enabled, disabledBy, approved, blockedBy, shadowedBy } = server;
  if (shadowedBy) return `behind ${printableLine(shadowedBy.name, 40)}`;
  if (!enabled) return disabledBy === undefined ? "off" : `off (${printableLine(disabledBy, 40)})`;
  if (!approved) return "not approved";
  return blockedBy ? `blocked (${printableLine(blockedBy.by, 40)})` : "on";
}

/** Reads one file in the dialect of one host. With `--json` values are shown as they are written, and may be secret. */
export async function parseConfig(
  { host, file, beneath }: Extract<ConfigAction, { action: "parse" }>,
  cwd: string | undefined,
): Promise<CommandResult> {
  const { servers, diagnostics } = await parseHostFile({ host, file, beneath, cwd, env: process.env });
  const rows = servers.map(({ name, written, definition }) => [
    printableName(name),
    written.transport,
    written.enabled ? "on" : "off",
    placeOf(definition.definedIn),
  ]);
  const head = ["SERVER", "TRANSPORT", "STATE", "DEFINED IN"];
  const table = (page: Page) =>
    rows.length === 0 ? "" : alignColumns([head, ...rows], tableOn(page, { keepsEnd: [head.length - 1] }));
  return {
    json: { servers: describeServers(servers), diagnostics },
    text: (page) => `${table(page)}${diagnostics.map(lineOf).join("")}`,
    exitCode: diagnostics.some(({ severity }) => severity === "error") ? 1 : 0,
  };
}

function lineOf({ severity, code, message }: Diagnostic): string {
  return `${severity} ${code}: ${printable(message)}\n`;
}

function placeOf({ file, line }: Pick<ServerDefinition["definedIn"], "file" | "line">): string {
  return file === undefined ? "command line" : `${printableLine(file, 500)}:${line ?? 1}`;
}
