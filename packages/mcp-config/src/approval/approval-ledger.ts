import { canonicalJson, McpError, type ServerDefinition, type StateStore } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import { hasPlainVariables, PLAIN_VARIABLES } from "../entry/field-texts.ts";
import type { PartPlace } from "../find/project-boundary.ts";

/** Remembers which definitions the user has approved, by content and never by name. */
export interface ApprovalLedger {
  /** Whether exactly this definition, from this file, was approved. A disabled one also counts if it was approved while enabled. */
  isApproved(definition: ServerDefinition): Promise<boolean>;
  /** @throws McpError `MCP_STORAGE_FAILED` if the store does not trust the stored key, or does not retain a key. */
  approve(definition: ServerDefinition): Promise<void>;
  /** @returns whether it had been approved. */
  revoke(definition: ServerDefinition): Promise<boolean>;
}

const KEY_NAME = "server-approval-key";
const PREFIX = "server-approval:";
const KEY_BYTES = 32;
/** How often an approval is retried because another process replaced the key. */
const ATTEMPTS = 5;

/**
 * Keeps approvals in a store as keyed hashes (HMAC) over the whole definition and the path of its file. The key is created at the
 * first approval and kept in the same store, which must be the user's own: without access to it, nobody can tell or forge what was
 * approved.
 */
export function createApprovalLedger(store: StateStore): ApprovalLedger {
  /** Returns the key; creates it if it is missing. */
  async function keyOrNew(): Promise<string | undefined> {
    const kept = await store.get(KEY_NAME);
    if (kept !== undefined) return kept;
    const made = cryptography().randomBytes(KEY_BYTES).toString("base64");
    await (store.setIfMissing ? store.setIfMissing(KEY_NAME, made) : store.set(KEY_NAME, made));
    return store.get(KEY_NAME);
  }

  /** The store entries under which the definition was approved. */
  async function entriesOf(definition: ServerDefinition): Promise<readonly string[]> {
    const key = await store.get(KEY_NAME);
    if (key === undefined) return [];
    const isKept = async (entry: string) => (await store.get(entry)) !== undefined;
    const found: string[] = [];
    for (const same of sameWhenSwitchedOff(definition)) {
      const entries = entriesFor(key, same);
      if ((await Promise.all(entries.map(isKept))).every(Boolean)) found.push(...entries);
    }
    return found;
  }

  return {
    async isApproved(definition) {
      return (await entriesOf(definition)).length > 0;
    },
    async approve(definition) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const key = await keyOrNew();
        if (key === undefined) continue;
        const entries = entriesFor(key, definition);
        for (const entry of entries) await store.set(entry, new Date().toISOString());
        // Without `setIfMissing`, another process may have overwritten the key, which would void the approval.
        if ((await store.get(KEY_NAME)) === key) return;
        for (const entry of entries) await store.delete(entry);
      }
      const message = `The store does not keep "${KEY_NAME}", so nothing can be approved; check what else writes to it.`;
      throw new McpError("MCP_STORAGE_FAILED", message, { phase: "approve", server: definition.name });
    },
    async revoke(definition) {
      const entries = await entriesOf(definition);
      for (const entry of entries) await store.delete(entry);
      return entries.length > 0;
    },
  };
}

/** Disabling an entry runs nothing, so it needs no approval of its own; enabling one does. */
function sameWhenSwitchedOff(definition: ServerDefinition): readonly ServerDefinition[] {
  if (definition.enabled !== false) return [definition];
  const { enabled: _enabled, ...unsaid } = definition;
  return [definition, unsaid, { ...unsaid, enabled: true }];
}

/**
 * The entries of an approval: one for the content, and one for each variable with it. The same file read by another host gets other
 * variables, for example none; whoever gave more of them has given these.
 */
function entriesFor(key: string, { variables = [], ...definition }: ServerDefinition): readonly string[] {
  const content = definitionContent(definition as ServerDefinition);
  const hash = (text: string) =>
    PREFIX + cryptography().createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("hex");
  return [hash(content), ...variables.map((name) => hash(JSON.stringify([name, content])))];
}

/**
 * Everything that an approval of a definition covers, as one text: the whole entry as written, its name, its file and the variables
 * that it gets ([T02], [T03] of the threat list); for a joined entry, also which file wrote which field. Not included are its position
 * in the file, the host under whose name the file was read, the weaker entries that it shadows, the list that disabled it, and derived
 * fields. Equal definitions give equal texts, whatever the order of their members.
 */
export function definitionContent(definition: ServerDefinition): string {
  const { definedIn, shadows: _shadows, disabledBy: _disabledBy, ...written } = withoutDerived(definition);
  const parts = Object.entries(definedIn.parts ?? {}).map(([field, part]) => [field, placeOf(part)]);
  const place = placeOf(definedIn);
  return canonicalJson({
    ...written,
    definedIn: parts.length === 0 ? place : { ...place, parts: Object.fromEntries(parts) },
  });
}

function placeOf({ scope, file, realFile, root }: PartPlace) {
  return { scope, file: realFile ?? file, root };
}

/** A definition without fields derived from its other fields: they are in no file, and approval does not cover them. */
export function withoutDerived(definition: ServerDefinition): ServerDefinition {
  const { extra, definedIn } = definition;
  if (extra === undefined || !hasPlainVariables(definedIn) || !Object.hasOwn(extra, PLAIN_VARIABLES)) {
    return definition;
  }
  const { [PLAIN_VARIABLES]: _derived, ...others } = extra;
  const { extra: _extra, ...rest } = definition;
  return Object.keys(others).length > 0 ? { ...rest, extra: others } : rest;
}
