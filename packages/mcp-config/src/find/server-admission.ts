import type { ServerDefinition } from "@jackfield/mcp-core";
import { type ApprovalLedger, definitionContent } from "../approval/approval-ledger.ts";
import { quote } from "../entry/server-name.ts";
import { baseDirectory } from "./project-boundary.ts";
import {
  blockOf,
  type ServerBlock,
  type ServerFilter,
  type ServerFilterOptions,
  serverFilters,
} from "./server-filters.ts";

/** The decision on one definition, before definitions are merged. */
export type Admission =
  /** It is used as it is given here. */
  | { readonly definition: ServerDefinition; readonly block?: undefined }
  /** It is not used. `ownsName`: a weaker entry of the same name does not take its place. */
  | { readonly block: ServerBlock; readonly ownsName: boolean };

/** Decides on one definition. It does not reject. */
export type AdmitServer = (definition: ServerDefinition) => Promise<Admission>;

/**
 * Trust by folder in place of approval by content, as SideCar has it. In a trusted folder every server is used; in any other,
 * remote servers are, but no process is started. Trust also covers what a project's files will contain after later changes.
 *
 * @param folder - the project's directory
 */
export type TrustFolder = (folder: string) => boolean | Promise<boolean>;

/** What decides about a definition. */
export interface ServerAdmissionOptions {
  /** The approvals. Default: none. */
  readonly ledger?: Pick<ApprovalLedger, "isApproved"> | undefined;
  /** Turns on trust by folder; the ledger is not asked then. */
  readonly trust?: TrustFolder | undefined;
  readonly filters?: ServerFilterOptions | undefined;
}

/** Decides which of the servers found may be used. */
export interface ServerAdmission {
  readonly admit: AdmitServer;
  /** Whether exactly this content was trusted, whatever its limits; always true for entries that no project brought. */
  isAdmitted(definition: ServerDefinition): boolean;
}

/**
 * Lets definitions through that no filter blocks, and those of a project only if exactly their content was approved. An unapproved
 * entry does not own its name, so it shadows no weaker entry.
 */
export function createServerAdmission(options: ServerAdmissionOptions = {}): ServerAdmission {
  const filters = serverFilters(options.filters);
  const trustedContents = new Set<string>();
  return {
    async admit(found) {
      const distrust = await trustBlock(found, options);
      // Who trusts a folder has read no list of variables.
      const definition = options.trust === undefined ? found : withoutVariables(found);
      if (distrust === undefined && isOfProject(definition)) trustedContents.add(contentOf(definition));
      return decide(definition, filters, distrust);
    },
    isAdmitted: (definition) => !isOfProject(definition) || trustedContents.has(contentOf(definition)),
  };
}

function decide(
  definition: ServerDefinition,
  filters: readonly ServerFilter[],
  distrust: ServerBlock | undefined,
): Admission {
  const filtered = blockOf(filters, definition);
  if (filtered !== undefined) return { block: filtered, ownsName: distrust === undefined };
  if (distrust !== undefined) return { block: distrust, ownsName: false };
  if (definition.enabled !== false) return { definition };
  const { enabled: _enabled, disabledBy: _disabledBy, ...switchedOn } = definition;
  return { definition: switchedOn };
}

function withoutVariables({ variables: _, ...definition }: ServerDefinition): ServerDefinition {
  return definition;
}

/** Why an entry of a project is not trusted; `undefined` for any other entry. */
async function trustBlock(
  definition: ServerDefinition,
  { ledger, trust }: ServerAdmissionOptions,
): Promise<ServerBlock | undefined> {
  const { definedIn, transport } = definition;
  if (!isOfProject(definition)) return undefined;
  if (trust) {
    if (transport !== "stdio") return undefined;
    const folder = baseDirectory(definedIn) ?? "";
    if (await isTrue(() => trust(folder))) return undefined;
    return {
      by: "trust",
      reason: `the folder ${quote(folder)} is not trusted, so the server is not started`,
    };
  }
  if (ledger && (await isTrue(() => ledger.isApproved(definition)))) return undefined;
  return { by: "approval", reason: "it comes from a project, and its current content is not approved" };
}

/** Whether an entry came with a project, so that the user has not chosen it. */
function isOfProject({ definedIn }: ServerDefinition): boolean {
  return definedIn.scope === "project";
}

/** Whatever goes wrong while asking, the answer is no. */
async function isTrue(ask: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return (await ask()) === true;
  } catch {
    return false;
  }
}

/**
 * The content that is approved. Limits run nothing, and are merged with the host's before a server is resolved; the switch was
 * applied before.
 */
function contentOf(definition: ServerDefinition): string {
  const { limits: _limits, enabled: _enabled, ...content } = definition;
  return definitionContent(content);
}
