import { ECHO_TOOL } from "../servers/answer.ts";
import type { ClientName } from "./names.ts";

/** The tool that is called: it answers with the text it was given. `takes`: the argument that holds the text. */
export interface EchoTool {
  readonly name: string;
  readonly takes: string;
}

/** A server as every client is told of it. */
export type ServerUnderTest = {
  readonly name: string;
  /** Default: `echo` of the servers under test, which repeats the text if it is told to. */
  readonly echo?: EchoTool | undefined;
} & (
  | { readonly transport: "stdio"; readonly command: string; readonly args: readonly string[] }
  | { readonly transport: "http"; readonly url: string }
);

/** Imports a module of the client's own installation. */
export type Load = <Module>(specifier: string) => Promise<Module>;

export interface StartOptions {
  /** A directory for a catalog that outlives the process. Those that cannot use one connect everything. */
  readonly catalogDirectory?: string | undefined;
  /** Messages up to this many bytes must pass. Default: the client's own limit. Those that have no such option do not look at it. */
  readonly maxMessageBytes?: number | undefined;
  /** Where a competitor is loaded from. */
  readonly load?: Load | undefined;
}

/** A tool that could be called now. `catalog`: known from an earlier process, its server may still be starting. */
export interface OfferedTool {
  readonly name: string;
  readonly origin: "live" | "catalog";
}

/** A client whose tools are usable. */
export interface Running {
  readonly tools: readonly OfferedTool[];
  /** Calls the echo tool of the first server and returns the text of the answer. `repeat`: the answer holds the text so many times. */
  call(text: string, repeat?: number): Promise<string>;
  /** Replaces the session of the first server by a new one. Default: the client is closed, and started again. */
  reconnect?(): Promise<void>;
  /** Resolves when no server of this client is left. */
  close(): Promise<void>;
}

/** One way to use MCP servers: what is measured. */
export interface BenchClient {
  /** Answers are made for a model, which is not given all of a very long one. */
  readonly isForModels?: boolean | undefined;
  /** Resolves when the tools of all servers are usable. */
  start(servers: readonly ServerUnderTest[], options?: StartOptions): Promise<Running>;
}

/** A client for each name. */
export type Clients = { readonly [name in ClientName]: BenchClient };

/** The echo tool of the first server. */
export function echoOf([server]: readonly ServerUnderTest[]): EchoTool {
  return server?.echo ?? { name: ECHO_TOOL, takes: "text" };
}

/** What the echo tool is called with. */
export function echoArguments({ takes }: EchoTool, text: string, repeat = 1): Record<string, unknown> {
  return repeat === 1 ? { [takes]: text } : { [takes]: text, repeat };
}

/** The text of an answer's first block. */
export function textOf(result: unknown): string {
  const content = typeof result === "object" && result !== null && "content" in result && result.content;
  const [block] = Array.isArray(content) ? content : [];
  if (block?.type === "text" && typeof block.text === "string") return block.text;
  throw new Error(`An answer has no text: ${JSON.stringify(result)?.slice(0, 200)}`);
}

/** The names of tools that are live, as those clients offer them that have no catalog. */
export function liveTools(names: readonly string[]): OfferedTool[] {
  return names.map((name) => ({ name, origin: "live" }));
}

/** The first of some connections or servers, of which there is at least one. */
export function firstOf<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error("There must be a server.");
  return first;
}

/** The way to load a competitor's modules; only those whose installation was found are measured. */
export function loaderOf({ load }: StartOptions): Load {
  if (load === undefined) throw new Error("This client is installed by `pnpm bench:setup`.");
  return load;
}

/** Servers as the ecosystem writes them: under their names, with a command or an address. */
export function entriesOf(servers: readonly ServerUnderTest[]) {
  return Object.fromEntries(
    servers.map((server) => [
      server.name,
      server.transport === "http" ? { url: server.url } : { command: server.command, args: [...server.args] },
    ]),
  );
}
