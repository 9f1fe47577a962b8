/** A server as every client is told of it. */
export type ServerUnderTest =
  | {
      readonly name: string;
      readonly transport: "stdio";
      readonly command: string;
      readonly args: readonly string[];
    }
  | { readonly name: string; readonly transport: "http"; readonly url: string };

export interface StartOptions {
  /** A directory for a catalog that outlives the process. Only Jackfield has one; the others connect everything. */
  readonly catalogDirectory?: string | undefined;
}

/** A tool that could be called now. `catalog`: known from an earlier process, its server may still be starting. */
export interface OfferedTool {
  readonly name: string;
  readonly origin: "live" | "catalog";
}

/** A client whose tools are usable. */
export interface Running {
  readonly tools: readonly OfferedTool[];
  /** Calls `echo` of the first server and returns the text of the answer. */
  call(text: string): Promise<string>;
  /** Resolves when no server of this client is left. */
  close(): Promise<void>;
}

/** One way to use MCP servers: what is measured. */
export interface BenchClient {
  /** Resolves when the tools of all servers are usable. */
  start(servers: readonly ServerUnderTest[], options?: StartOptions): Promise<Running>;
}

/** The clients that are measured. */
export const CLIENT_NAMES = ["jackfield", "raw-sdk", "hand-written"] as const;

/** One of them. */
export type ClientName = (typeof CLIENT_NAMES)[number];

/** The text of an answer's first block. */
export function textOf({ content }: { readonly content?: unknown }): string {
  const [block] = Array.isArray(content) ? content : [];
  if (block?.type === "text" && typeof block.text === "string") return block.text;
  throw new Error(`An answer has no text: ${JSON.stringify(content)}`);
}
