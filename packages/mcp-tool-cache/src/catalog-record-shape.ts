import type { CatalogRecord } from "./catalog-succession.ts";

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isBoolean: Check = (value) => typeof value === "boolean";
const isObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
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
  const checks = Object.entries(members);
  return (value) =>
    isObject(value) && checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
};

const isModernHandshake = objectWith({ era: (era) => era === "modern", at: isNumber, discover: isObject });
const isLegacyHandshake = objectWith({ era: (era) => era === "legacy", at: isNumber });

const isEntry = objectWith({
  server: isString,
  credentials: isString,
  listedAt: isNumber,
  tools: optional(listOf(objectWith({ name: isString, inputSchema: isObject }))),
  resources: optional(listOf(objectWith({ name: isString, uri: isString }))),
  resourceTemplates: optional(listOf(objectWith({ name: isString, uriTemplate: isString }))),
  prompts: optional(listOf(objectWith({ name: isString }))),
  instructions: optional(isString),
  serverInfo: optional(objectWith({ name: isString, version: isString })),
  capabilities: optional(isObject),
  prior: optional((value) => isModernHandshake(value) || isLegacyHandshake(value)),
  ttlMs: optional(isNumber),
  cacheScope: optional(isScope),
  lastOutcome: optional(
    objectWith({ ok: isBoolean, at: isNumber, tookMs: isNumber, code: optional(isString) }),
  ),
  stale: optional(isBoolean),
});

const isRecord = objectWith({
  suspect: isBoolean,
  staleSince: optional(isNumber),
  expiresAt: isNumber,
  entry: isEntry,
});

/** Whether a value read from a store has the shape of a record, as far as anyone relies on it. */
export function isCatalogRecord(value: unknown): value is CatalogRecord {
  return isRecord(value);
}
