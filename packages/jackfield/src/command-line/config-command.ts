import { resolve } from "node:path";
import {
  type ApprovalLedger,
  createServerAdmission,
  type DiscoveredServers,
  type DiscoverServersOptions,
  findServers,
} from "@jackfield/mcp-config";
import type { DefinedIn, DefinitionScope, Diagnostic, Logger, ServerDefinition } from "@jackfield/mcp-core";
import { readApprovals } from "../approval-store.ts";
import type { CommandResult } from "./command-result.ts";
import { withLines } from "./lines.ts";
import { isRead, lostFile, NOTHING_READ } from "./lost-configuration.ts";
import type { Page } from "./page.ts";

/** What to do with configuration files. No server is started, and no variable is filled in. */
export type ConfigAction =
  | { readonly kind: "list" }
  | {
      readonly kind: "parse";
      /** The host in whose dialect the files are written. */
      readonly host: string;
      readonly file: string;
      /** Weaker layers of the same host, the strongest first. */
      readonly layers: readonly string[];
    };

export interface ConfigListOptions
  extends Pick<DiscoverServersOptions, "cwd" | "files" | "hosts" | "servers" | "maxFileBytes"> {
  /** Warned of stored approvals that are not trusted. */
  readonly log: Logger;
}

/** A definition that was found, as it is listed. */
export interface ListedServer
  extends Pick<ServerDefinition, "name" | "transport" | "disabledBy" | "definedIn"> {
  readonly scope: DefinitionScope;
  readonly enabled: boolean;
  /** True for what did not come with a project: it needs no approval. */
  readonly approved: boolean;
  /** Why it is not used. */
  readonly blockedBy?: { readonly by: string; readonly reason: string } | undefined;
  /** Where the entry of the same name stands that is used instead. */
  readonly shadowedBy?: DefinedIn | undefined;
}

/**
 * Lists every definition found, including blocked, disabled and shadowed ones, as `openMcp` would treat them. Field values are not shown.
 * Exits with 1 if a file could not be read at all, or all its servers are under a key that is not read.
 */
export async function listConfig(
  options: ConfigListOptions,
): Promise<CommandResult & { readonly found: DiscoveredServers }> {
  const { log, ...places } = options;
  const ledger = readApprovals(log);
  const { admit } = createServerAdmission({ ledger });
  const found = await (await findServers({ ...places, remarks: true })).merge(admit);
  const stronger = await withLines(found.shadowed.map(({ by }) => ({ definedIn: by })));
  const entries = await Promise.all([
    ...found.servers.map((definition) => listedAs(definition, ledger, {})),
    ...found.blocked.map(({ definition, by, reason }) =>
      listedAs(definition, ledger, { blockedBy: { by, reason } }),
    ),
    ...found.shadowed.map(({ definition }, index) =>
      listedAs(definition, ledger, { shadowedBy: stronger[index]?.definedIn }),
    ),
  ]);
  const listed = await withLines(entries);
  const nothing = isRead(found) ? "No server is configured.\n" : NOTHING_READ;
  const text = listed.length === 0 ? nothing : (page: Page) => tableOf(listed, page);
  const error = lostFile(found);
  return { found, json: { definitions: listed }, text, error, exitCode: error === undefined ? 0 : 1 };
}

/** Loads the code for tables, which `--json` does not need. */
async function tableOf(listed: readonly ListedServer[], page: Page): Promise<string> {
  const { listedTable } = await import("./config-table.ts");
  return listedTable(listed, page);
}

async function listedAs(
  definition: ServerDefinition,
  ledger: Pick<ApprovalLedger, "isApproved">,
  state: Pick<ListedServer, "blockedBy" | "shadowedBy">,
): Promise<ListedServer> {
  const { name, transport, enabled = true, disabledBy, definedIn } = definition;
  const { scope } = definedIn;
  const approved = scope !== "project" || (await ledger.isApproved(definition));
  return { name, transport, scope, enabled, disabledBy, approved, ...state, definedIn };
}

/**
 * Reads one file in the dialect of one host. With `--json` values are shown as they are written, and may be secret. Exits with 1 for
 * a diagnostic of severity `error`.
 */
export async function parseConfig(
  { host, file, layers }: Extract<ConfigAction, { kind: "parse" }>,
  { cwd, maxFileBytes }: Pick<DiscoverServersOptions, "cwd" | "maxFileBytes">,
): Promise<CommandResult> {
  const { describeServers, parseHostFile } = await import("@jackfield/mcp-config");
  const inFolder = (path: string) => resolve(cwd ?? ".", path);
  const files = { file: inFolder(file), beneath: layers.map(inFolder) };
  const { servers, diagnostics } = await parseHostFile({
    host,
    ...files,
    cwd,
    env: process.env,
    maxFileBytes,
  });
  const rows = await withLines(
    servers.map(({ name, written, definition: { definedIn } }) => ({
      name,
      transport: written.transport,
      enabled: written.enabled,
      definedIn,
    })),
  );
  return {
    json: { servers: describeServers(servers), diagnostics: diagnostics.map(placedDiagnostic) },
    async text(page) {
      const { parsedTable } = await import("./config-table.ts");
      return parsedTable(rows, diagnostics, page);
    },
    exitCode: diagnostics.some(({ severity }) => severity === "error") ? 1 : 0,
  };
}

/** A diagnostic about a file as a whole has the place of its beginning. */
function placedDiagnostic(diagnostic: Diagnostic): Diagnostic {
  const { line = 1, column = 1 } = diagnostic;
  return { ...diagnostic, line, column };
}
