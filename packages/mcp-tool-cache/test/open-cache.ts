import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { type PersistentToolCache, sqliteToolCache } from "../src/index.ts";
import { recordingLogger, temporaryDirectory } from "./catalog-samples.ts";

/** A cache on a real file, with its log lines and its location. Closed when the test ends. */
export function openCache(directory = temporaryDirectory()): {
  readonly cache: PersistentToolCache;
  readonly lines: string[];
  readonly directory: string;
  readonly file: string;
} {
  const { log, lines } = recordingLogger();
  const cache = sqliteToolCache({ path: directory, log });
  onTestFinished(() => cache.close());
  return { cache, lines, directory, file: join(directory, "catalog.sqlite") };
}

/** Runs an action on a database file without going through the cache. */
export function withDatabase<T>(file: string, action: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return action(database);
  } finally {
    database.close();
  }
}
