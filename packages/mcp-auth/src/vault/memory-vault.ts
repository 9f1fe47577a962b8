import { KeyedQueue } from "@jackfield/mcp-core";
import { canonicalServerUrl, isSameCredential, summarizeCredential } from "./credential.ts";
import type { StoredCredential, TokenVault, VaultNotes } from "./token-vault.ts";

/** Creates a vault that keeps credentials in memory, until the process ends. `exclusively` holds within the process only. */
export function createMemoryVault(): TokenVault {
  return vaultOf(undefined, { credentials: new Map(), turns: new KeyedQueue(), notes: createMemoryNotes() });
}

/** What the vaults of all users have in common. */
interface Memory {
  /** By user and server. */
  readonly credentials: Map<
    string,
    { readonly principal: string | undefined; readonly credential: StoredCredential }
  >;
  readonly turns: KeyedQueue;
  readonly notes: VaultNotes;
}

function vaultOf(principal: string | undefined, memory: Memory): TokenVault {
  const { credentials, turns, notes } = memory;
  const keyOf = (serverUrl: string) => JSON.stringify([principal, canonicalServerUrl(serverUrl)]);
  const isStill = (key: string, expected: StoredCredential | undefined) => {
    const found = credentials.get(key)?.credential;
    return expected === undefined || (found !== undefined && isSameCredential(found, expected));
  };
  return {
    notes,
    forPrincipal: (other) => vaultOf(other, memory),
    forServer: async (serverUrl) => credentials.get(keyOf(serverUrl))?.credential,
    async write(credential, expected) {
      const serverUrl = canonicalServerUrl(credential.serverUrl);
      if (!isStill(keyOf(serverUrl), expected)) return false;
      credentials.set(keyOf(serverUrl), {
        principal,
        credential: Object.freeze({ ...credential, serverUrl }),
      });
      return true;
    },
    delete: async (serverUrl, expected) =>
      isStill(keyOf(serverUrl), expected) && credentials.delete(keyOf(serverUrl)),
    exclusively: async (serverUrl, work, signal) => turns.run(keyOf(serverUrl), work, signal),
    list: async () =>
      [...credentials.values()]
        .filter((kept) => kept.principal === principal)
        .map(({ credential }) => summarizeCredential(credential))
        .sort((a, b) => (a.serverUrl < b.serverUrl ? -1 : 1)),
  };
}

function createMemoryNotes(): VaultNotes {
  const texts = new Map<string, { readonly text: string; readonly until: number }>();
  const read = (id: string) => {
    for (const [known, { until }] of texts) if (until <= performance.now()) texts.delete(known);
    return texts.get(id)?.text;
  };
  return {
    put: async (id, text, lifetimeMs) => void texts.set(id, { text, until: performance.now() + lifetimeMs }),
    read: async (id) => read(id),
    async take(id) {
      const text = read(id);
      texts.delete(id);
      return text;
    },
  };
}
