import { toolCacheSuite } from "@jackfield/test-kit";
import { keyvToolCache, sqliteToolCache } from "../src/index.ts";
import { temporaryDirectory } from "./catalog-samples.ts";

toolCacheSuite("sqliteToolCache", async () => {
  const path = temporaryDirectory();
  const opened = [sqliteToolCache({ path })];
  return {
    cache: opened[0] as (typeof opened)[number],
    reopen: async () => {
      const cache = sqliteToolCache({ path });
      opened.push(cache);
      return cache;
    },
    dispose: async () => void (await Promise.all(opened.map((cache) => cache.close()))),
  };
});

toolCacheSuite("keyvToolCache on a Map", async () => {
  const store = new Map();
  const key = new Uint8Array(32).fill(1);
  const open = () => {
    const cache = keyvToolCache(store, { key });
    opened.push(cache);
    return cache;
  };
  const opened: ReturnType<typeof keyvToolCache>[] = [];
  return {
    cache: open(),
    reopen: async () => open(),
    dispose: async () => void (await Promise.all(opened.map((cache) => cache.close()))),
  };
});
