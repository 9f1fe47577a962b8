import type { PromptDefinition, ResourceDefinition, ResourceTemplateDefinition } from "./context-source.ts";
import type { ErrorCode } from "./error-code.ts";
import type { ResolvedServer } from "./resolved-server.ts";
import type { ServerDefinition } from "./server-definition.ts";
import type { Implementation, PriorHandshake } from "./session.ts";
import type { ToolDefinition } from "./tool.ts";
import type { JsonObject } from "./values.ts";

declare const catalogIdBrand: unique symbol;

/** Identifies a server and the account as which it is reached, without revealing them: a keyed hash, never the server's name or a secret. */
export type CatalogId = string & { readonly [catalogIdBrand]: true };

/** The id of a server's catalog entry, and a hash of the credentials. */
export interface CatalogIdentity {
  readonly id: CatalogId;
  /** A keyed hash of the secret values. If it differs from the entry's, the entry is stale: another token may see other tools. */
  readonly credentials: string;
}

/** As whom a server is reached. */
export interface IdentifyOptions {
  /**
   * The entry whose variables were filled in. What it says itself, credentials included, tells accounts apart; a credential that a
   * variable gave may be a renewed one of the same account. Default: every credential tells accounts apart.
   */
  readonly definition?: ServerDefinition | undefined;
  /** The user on whose behalf the server is reached, if one runtime serves several users. */
  readonly principal?: string | undefined;
  /** The login that authorises the requests; see `AuthPort.account`. Default: none. */
  readonly account?: string | undefined;
}

/** How the last attempt to reach a server ended. */
export interface LastOutcome {
  readonly ok: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The duration of the attempt, in milliseconds. */
  readonly tookMs: number;
  /** Only if it failed. */
  readonly code?: ErrorCode | undefined;
}

/** The last known lists and metadata of a server. */
export interface CatalogEntry {
  /** For display only; entries are found by id. */
  readonly server: string;
  readonly credentials: string;
  /** Missing until the server's tools have been listed; an empty array is a list without tools. */
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
  /**
   * When the server was listed, epoch milliseconds by the clock of who listed it. An entry never replaces one that was listed later; see
   * the cache for how it knows across machines.
   */
  readonly listedAt: number;
  /** The entry is usable, but must be confirmed before it is relied on, for example after `markStale`. */
  readonly stale?: boolean | undefined;
}

/** A catalog entry as returned by `list`; it contains no secrets. */
export interface CatalogSummary {
  readonly id: CatalogId;
  readonly server: string;
  readonly tools: number;
  readonly listedAt: number;
  readonly stale: boolean;
}

/** The catalog port. It never throws: a fault is logged and counts as a miss. */
export interface ToolCache {
  identify(server: ResolvedServer, options?: IdentifyOptions): Promise<CatalogIdentity>;
  /** Unknown ids are missing from the result. */
  getMany(ids: readonly CatalogId[]): Promise<ReadonlyMap<CatalogId, CatalogEntry>>;
  /** Replaces the whole entry, unless the stored one was listed later. */
  set(id: CatalogId, entry: CatalogEntry): Promise<void>;
  markStale(id: CatalogId): Promise<void>;
  delete(id: CatalogId): Promise<void>;
  list(): Promise<readonly CatalogSummary[]>;
  /**
   * Calls the listener with the id of each entry that another process has given a new content. Missing, or never called, where the
   * store cannot tell; who needs to know all the same reads again now and then.
   *
   * @returns a function that ends it
   */
  onChange?(listener: (id: CatalogId) => void): () => void;
  close(): Promise<void>;
}
