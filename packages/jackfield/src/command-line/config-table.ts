import type { Diagnostic, ServerDefinition } from "@jackfield/mcp-core";
import { cellsOf } from "./cells.ts";
import type { ListedServer } from "./config-command.ts";
import { placeOf, printableName } from "./lines.ts";
import type { Page } from "./page.ts";
import { alignColumns, tableOn } from "./table.ts";
import { messageLines, placed } from "./terminal.ts";

/** A table with a line for each definition. */
export function listedTable(servers: readonly ListedServer[], page: Page): string {
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
    tones: { on: "good", "not approved": "warning" },
  });
  return alignColumns([head, ...rows], options);
}

function stateOf(server: Omit<ListedServer, "name" | "transport" | "definedIn">): string {
  const { enabled, disabledBy, approved, blockedBy, shadowedBy } = server;
  if (shadowedBy) return `shadowed by ${placeOf(shadowedBy)}`;
  if (!enabled) return disabledBy === undefined ? "off" : `off (${printableName(disabledBy, 160)})`;
  if (!approved) return "not approved";
  return blockedBy ? `blocked (${printableName(blockedBy.by, 40)})` : "on";
}

/** What the table shows of a server of one file. */
export interface ParsedRow extends Pick<ServerDefinition, "name" | "transport" | "definedIn"> {
  readonly enabled: boolean;
}

/** The servers of one file, and below them its diagnostics. */
export function parsedTable(
  servers: readonly ParsedRow[],
  diagnostics: readonly Diagnostic[],
  page: Page,
): string {
  const rows = servers.map(({ name, transport, enabled, definedIn }) => [
    printableName(name),
    transport,
    enabled ? "on" : "off",
    placeOf(definedIn),
  ]);
  const head = ["SERVER", "TRANSPORT", "STATE", "DEFINED IN"];
  const table =
    rows.length === 0 ? "" : alignColumns([head, ...rows], tableOn(page, { keepsEnd: [head.length - 1] }));
  return `${table}${diagnostics.map((diagnostic) => lineOf(diagnostic, page)).join("")}`;
}

function lineOf(diagnostic: Diagnostic, { columns }: Page): string {
  const text = `${diagnostic.severity} ${diagnostic.code}: ${placed(diagnostic)}`;
  return `${messageLines(text, columns, cellsOf)}\n`;
}
