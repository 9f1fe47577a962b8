import { createRequire } from "node:module";
import { join } from "node:path";

/** A server as `openMcp` takes it inline. */
export type DemoServerEntry =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: { readonly [name: string]: string };
    }
  | { readonly url: string };

export interface DemoServerOptions {
  /** The folder that the filesystem server may access, and where the memory server keeps its graph. */
  readonly folder: string;
  /** The URL of server-everything over Streamable HTTP, if it runs. */
  readonly everythingUrl?: string | undefined;
}

const require = createRequire(import.meta.url);

/** The entry file of server-everything, for `node`. */
export const EVERYTHING_ENTRY = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");

/** The three demo servers over stdio, and the first once more over Streamable HTTP. They need no network. */
export function demoServers(options: DemoServerOptions): { readonly [name: string]: DemoServerEntry } {
  const { folder, everythingUrl } = options;
  const node = process.execPath;
  return {
    everything: { command: node, args: [EVERYTHING_ENTRY, "stdio"] },
    filesystem: {
      command: node,
      args: [require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"), folder],
    },
    memory: {
      command: node,
      args: [require.resolve("@modelcontextprotocol/server-memory/dist/index.js")],
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    },
    ...(everythingUrl === undefined ? {} : { "everything-http": { url: everythingUrl } }),
  };
}
