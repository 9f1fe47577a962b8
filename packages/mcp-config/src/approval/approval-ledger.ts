import { McpError, type ServerDefinition, type StateStore } from "@jackfield/mcp-core";
import { cryptography } from "@jackfield/mcp-core/node";
import { definitionContent } from "./definition-content.ts";

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
    const entries = sameWhenSwitchedOff(definition).map((same) => PREFIX + hash(key, same));
    const isKept = await Promise.all(entries.map(async (entry) => (await store.get(entry)) !== undefined));
    return entries.filter((_entry, index) => isKept[index]);
  }

  return {
    async isApproved(definition) {
      return (await entriesOf(definition)).length > 0;
    },
    async approve(definition) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const key = await keyOrNew();
        if (key === undefined) continue;
        const entry = PREFIX + hash(key, definition);
        await store.set(entry, new Date().toISOString());
        // Without `setIfMissing`, another process may have overwritten the key, which would void the approval.
        if ((await store.get(KEY_NAME)) === key) return;
        await store.delete(entry);
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

function hash(key: string, definition: ServerDefinition): string {
  return cryptography()
    .createHmac("sha256", Buffer.from(key, "base64"))
    .update(definitionContent(definition))
    .digest("hex");
}
