import type { ErrorCode } from "./error-code.ts";
import type { Implementation, PriorHandshake } from "./handshake.ts";
import type { JsonObject } from "./json.ts";
import type { PromptDefinition } from "./prompt.ts";
import type { ResolvedServer } from "./resolved-server.ts";
import type { ResourceDefinition, ResourceTemplateDefinition } from "./resource.ts";
import type { ToolDefinition } from "./tool.ts";

declare const catalogIdBrand: unique symbol;

/** Names what is reached and as whom, without revealing it: a keyed hash, never the server's name, never a secret. */
export type CatalogId = string & { readonly [catalogIdBrand]: true };

/** Under which key a server's catalog is kept. */
export interface CatalogIdentity {
  readonly id: CatalogId;
  /** A keyed hash over the secret values. Where it differs from the entry's, the entry is stale: another token may see other tools. */
  readonly credentials: string;
}

/** How the last attempt to reach a server ended. */
export interface LastOutcome {
  readonly ok: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** From the beginning of the attempt to its end, in milliseconds. */
  readonly tookMs: number;
  /** Only if it failed. */
  readonly code?: ErrorCode | undefined;
}

/** What a server offers, as it was last seen. */
export interface CatalogEntry {
  /** For people; the id is what counts. */
  readonly server: string;
  readonly credentials: string;
  /** Missing until the server has been listed once; an empty list is a list. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly resources?: readonly ResourceDefinition[] | undefined;
  readonly resourceTemplates?: readonly ResourceTemplateDefinition[] | undefined;
  readonly prompts?: readonly PromptDefinition[] | undefined;
  readonly instructions?: string | undefined;
  readonly serverInfo?: Implementation | undefined;
  readonly capabilities?: JsonObject | undefined;
  readonly prior?: PriorHandshake | undefined;
  readonly ttlMs?: number | undefined;
  readonly cacheScope?: "public" | "private" | undefined;
  readonly lastOutcome?: LastOutcome | undefined;
  /** When the lists were taken, epoch milliseconds. An entry never replaces one that was taken later. */
  readonly listedAt: number;
  /** Marked by `markStale`: usable, but to be confirmed before it is relied on. */
  readonly stale?: boolean | undefined;
}

/** A catalog entry as it is listed: nothing of it is secret. */
export interface CatalogSummary {
  readonly id: CatalogId;
  readonly server: string;
  readonly tools: number;
  readonly listedAt: number;
  readonly stale: boolean;
}

/** The catalog port. It never throws: a fault is a miss, told to the logger. */
export interface ToolCache {
  identify(server: ResolvedServer, principal?: string): Promise<CatalogIdentity>;
  /** Ids that are unknown are missing from the answer. */
  getMany(ids: readonly CatalogId[]): Promise<ReadonlyMap<CatalogId, CatalogEntry>>;
  /** Replaces the whole entry, unless the stored one was listed later. */
  set(id: CatalogId, entry: CatalogEntry): Promise<void>;
  markStale(id: CatalogId): Promise<void>;
  delete(id: CatalogId): Promise<void>;
  list(): Promise<readonly CatalogSummary[]>;
  close(): Promise<void>;
}
