import { type CatalogEntry, isRecord } from "@jackfield/mcp-core";
import type { CatalogRecord } from "./catalog-succession.ts";

/** A record as stored: its tools are outlines without schemas. */
export interface WrittenRecord extends Omit<CatalogRecord, "entry"> {
  readonly entry: Omit<CatalogEntry, "tools"> & { readonly tools?: object[] | undefined };
}

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isLength: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isBoolean: Check = (value) => typeof value === "boolean";
const isScope: Check = (value) => value === "public" || value === "private";

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const objectWith = (members: { readonly [name: string]: Check }): Check => {
  const names = Object.keys(members);
  const checks = Object.values(members);
  return (value) => {
    if (!isRecord(value)) return false;
    // Runs for every entry at start-up, so no list is made.
    for (let index = 0; index < names.length; index += 1)
      if (!checks[index]?.(value[names[index] as string])) return false;
    return true;
  };
};

/** Runs for every tool at start-up, so it is written out: the engine takes long to optimise composed closures. */
const isOutline: Check = (value) => {
  if (!isRecord(value)) return false;
  const { name, inputSchema } = value;
  return isString(name) && isLength(inputSchema);
};

const isModernHandshake = objectWith({ era: (era) => era === "modern", at: isNumber, discover: isRecord });
const isLegacyHandshake = objectWith({ era: (era) => era === "legacy", at: isNumber });

const isEntry = objectWith({
  server: isString,
  credentials: isString,
  listedAt: isNumber,
  tools: optional(listOf(isOutline)),
  resources: optional(listOf(objectWith({ name: isString, uri: isString }))),
  resourceTemplates: optional(listOf(objectWith({ name: isString, uriTemplate: isString }))),
  prompts: optional(listOf(objectWith({ name: isString }))),
  instructions: optional(isString),
  serverInfo: optional(objectWith({ name: isString, version: isString })),
  capabilities: optional(isRecord),
  prior: optional((value) => isModernHandshake(value) || isLegacyHandshake(value)),
  ttlMs: optional(isNumber),
  cacheScope: optional(isScope),
  lastOutcome: optional(
    objectWith({ ok: isBoolean, at: isNumber, tookMs: isNumber, code: optional(isString) }),
  ),
  stale: optional(isBoolean),
});

const isStored = objectWith({
  suspect: isBoolean,
  staleSince: optional(isNumber),
  expiresAt: isNumber,
  entry: isEntry,
});

/** Whether a value read from a store has the shape of a record, as far as the code relies on it. */
export function isWrittenRecord(value: unknown): value is WrittenRecord {
  return isStored(value);
}
