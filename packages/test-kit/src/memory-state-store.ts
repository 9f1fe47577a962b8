import type { StateStore } from "@jackfield/mcp-core";

/** Creates a `StateStore` in memory. */
export function memoryStateStore(): StateStore {
  const values = new Map<string, string>();
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
    keys: async (prefix) => [...values.keys()].filter((key) => key.startsWith(prefix)),
  };
}
