import {
  type DiscoveredServers,
  type DiscoverServersOptions,
  describeServers,
  discoverServers,
  parseHostFile,
} from "@jackfield/mcp-config";
import type { Diagnostic, ServerDefinition } from "@jackfield/mcp-core";
import type { CommandResult } from "./status-command.ts";
import { alignColumns, printable, printableLine } from "./terminal.ts";

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
  extends Pick<DiscoverServersOptions, "cwd" | "files" | "hosts" | "servers" | "project"> {
  /** Whether a person has accepted exactly this definition; asked for what came with a project. */
  isApproved(definition: ServerDefinition): Promise<boolean>;
}

/** Lists every definition that is found, also those that others stand in front of. Values of fields are not shown. */
export async function listConfig(
  options: ConfigListOptions,
): Promise<CommandResult & { readonly found: DiscoveredServers }> {
  const { isApproved, ...places } = options;
  const found = await discoverServers(places);
  const shadows = found.shadowed.map(({ definition, by, reason }) => ({
    definition,
    by: { name: by, reason },
  }));
  const all = [...found.servers.map((definition) => ({ definition, by: undefined })), ...shadows];
  const listed = await Promise.all(
    all.map(async ({ definition, by }) => {
      const { name, transport, enabled = true, disabledBy, definedIn } = definition;
      const isOwn = definedIn.scope !== "project";
      const approved = isOwn || (await isApproved(definition));
      return {
        name,
        transport,
        scope: definedIn.scope,
        enabled,
        disabledBy,
        approved,
        shadowedBy: by,
        definedIn,
      };
    }),
  );
  return {
    found,
    json: listed,
    text: listed.length === 0 ? "No server is configured.\n" : tableOf(listed),
    exitCode: 0,
  };
}

type ListedServer = Pick<ServerDefinition, "name" | "transport" | "enabled" | "disabledBy" | "definedIn"> & {
  readonly approved: boolean;
  readonly shadowedBy: { readonly name: string } | undefined;
};

function tableOf(servers: readonly ListedServer[]): string {
  const rows = servers.map(({ name, transport, definedIn, ...server }) => [
    printableLine(name, 40),
    transport,
    definedIn.host ?? "",
    definedIn.scope,
    stateOf(server),
    placeOf(definedIn),
  ]);
  return alignColumns([["SERVER", "TRANSPORT", "HOST", "SCOPE", "STATE", "DEFINED IN"], ...rows]);
}

function stateOf({
  enabled,
  disabledBy,
  approved,
  shadowedBy,
}: Omit<ListedServer, "name" | "transport" | "definedIn">) {
  if (shadowedBy !== undefined) return `behind ${printableLine(shadowedBy.name, 40)}`;
  if (enabled === false) return disabledBy === undefined ? "off" : `off (${printableLine(disabledBy, 40)})`;
  return approved ? "on" : "not approved";
}

/** Reads one file in the dialect of one host. With `--json` values are shown as they are written, and may be secret. */
export async function parseConfig(
  { host, file, beneath }: Extract<ConfigAction, { action: "parse" }>,
  cwd: string | undefined,
): Promise<CommandResult> {
  const { servers, diagnostics } = await parseHostFile({ host, file, beneath, cwd, env: process.env });
  const rows = servers.map(({ name, written, definition }) => [
    printableLine(name, 40),
    written.transport,
    written.enabled ? "on" : "off",
    placeOf(definition.definedIn),
  ]);
  const table =
    rows.length === 0 ? "" : alignColumns([["SERVER", "TRANSPORT", "STATE", "DEFINED IN"], ...rows]);
  return {
    json: { servers: describeServers(servers), diagnostics },
    text: `${table}${diagnostics.map(lineOf).join("")}`,
    exitCode: diagnostics.some(({ severity }) => severity === "error") ? 1 : 0,
  };
}

function lineOf({ severity, code, message }: Diagnostic): string {
  return `${severity} ${code}: ${printable(message)}\n`;
}

function placeOf({ file, line }: Pick<ServerDefinition["definedIn"], "file" | "line">): string {
  return file === undefined ? "command line" : `${printableLine(file, 500)}:${line ?? 1}`;
}
