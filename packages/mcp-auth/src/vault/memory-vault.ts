import { KeyedQueue } from "@jackfield/mcp-core";
import { isSameCredential, summarizeCredential } from "./credential.ts";
import { canonicalServerUrl } from "./server-url.ts";
import type { StoredCredential, TokenVault } from "./token-vault.ts";

/** Creates a vault that keeps credentials in memory, until the process ends. `exclusively` holds within the process only. */
export function createMemoryVault(): TokenVault {
  const credentials = new Map<string, StoredCredential>();
  const turns = new KeyedQueue();
  return {
    forServer: async (serverUrl) => credentials.get(canonicalServerUrl(serverUrl)),
    async write(credential) {
      const serverUrl = canonicalServerUrl(credential.serverUrl);
      credentials.set(serverUrl, Object.freeze({ ...credential, serverUrl }));
    },
    async delete(serverUrl, expected) {
      const key = canonicalServerUrl(serverUrl);
      const found = credentials.get(key);
      if (!found || (expected && !isSameCredential(found, expected))) return false;
      return credentials.delete(key);
    },
    exclusively: async (serverUrl, work, signal) => turns.run(canonicalServerUrl(serverUrl), work, signal),
    list: async () =>
      [...credentials.values()].map(summarizeCredential).sort((a, b) => (a.serverUrl < b.serverUrl ? -1 : 1)),
  };
}
