import { isRecord } from "@jackfield/mcp-core";
import type { CloseOptions } from "@jackfield/mcp-manager";
import type { Mcp } from "./mcp.ts";
import type { OpenMcpOptions } from "./open-mcp-options.ts";

/** Opens a runtime. What `reload()` reads, it takes from the options anew each time. */
type OpenRuntime = (options: OpenMcpOptions) => Promise<Mcp>;

/** The options from which `reload()` reads the servers. */
const SOURCES = ["servers", "configFiles", "discover"] as const;

/** Not compared: it belongs to one opening. */
const OWN = ["signal"] as const;

/** Kept in the process, because a hot reload evaluates every module of a program again, and maybe this one. */
const RUNTIMES = Symbol.for("jackfield.runtimes");

/**
 * The one live runtime of that id in this process: the same as before if the options are the same, reloaded if only the servers and the
 * places where they are looked for differ, and otherwise closed and opened again.
 */
export function runtimeOf(id: string, options: OpenMcpOptions, open: OpenRuntime): Promise<Mcp> {
  const owner = globalThis as { [RUNTIMES]?: Map<string, RuntimeById> };
  owner[RUNTIMES] ??= new Map();
  const runtime = owner[RUNTIMES].get(id) ?? new RuntimeById(open);
  owner[RUNTIMES].set(id, runtime);
  return runtime.open(options);
}

class RuntimeById {
  readonly #open: OpenRuntime;
  /** The options that apply now. Functions are called as they are here. */
  #options: OpenMcpOptions = {};
  #mcp: Mcp | undefined;
  /** Openings and closings, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** What the runtime calls in place of a function of the options, by the function's path. */
  readonly #stable = new Map<string, (...args: readonly unknown[]) => unknown>();

  constructor(open: OpenRuntime) {
    this.#open = open;
  }

  open(options: OpenMcpOptions): Promise<Mcp> {
    const opened = this.#turn.then(() => this.#follow(options));
    this.#turn = opened.catch(() => {}); // Whoever opened it is told.
    return opened;
  }

  async #follow(options: OpenMcpOptions): Promise<Mcp> {
    const before = this.#options;
    const mcp = this.#mcp;
    const isSameBut = (names: readonly string[]) => isSame(without(before, names), without(options, names));
    if (mcp === undefined || !isSameBut([...SOURCES, ...OWN])) {
      await mcp?.close();
      this.#options = options;
      return this.#openAnew();
    }
    this.#options = options;
    if (!isSameBut(OWN)) await mcp.reload();
    return mcp;
  }

  async #openAnew(): Promise<Mcp> {
    const current = () => this.#withStableFunctions(this.#options, []) as OpenMcpOptions;
    const sources = SOURCES.map((name) => [name, { enumerable: true, get: () => current()[name] }] as const);
    const opened = await this.#open(Object.defineProperties(current(), Object.fromEntries(sources)));
    const close = async (options?: CloseOptions) => {
      if (this.#mcp === mcp) this.#mcp = undefined;
      const closing = opened.close(options);
      this.#turn = Promise.allSettled([this.#turn, closing]);
      await closing;
    };
    const mcp: Mcp = { ...opened, close, [Symbol.asyncDispose]: () => close() };
    this.#mcp = mcp;
    return mcp;
  }

  /**
   * A copy of options in which functions stay the same when a reload makes new ones; they call the latest. What makes a server in this
   * process stays as it is: another one is another server.
   */
  #withStableFunctions(value: unknown, path: readonly string[]): unknown {
    if (isServer(path)) return value;
    if (typeof value === "function") return this.#stableFunction(path);
    if (Array.isArray(value))
      return value.map((item, at) => this.#withStableFunctions(item, [...path, String(at)]));
    if (!isPlain(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      this.#withStableFunctions(member, [...path, name]),
    ]);
    return Object.fromEntries(members);
  }

  #stableFunction(path: readonly string[]): (...args: readonly unknown[]) => unknown {
    const key = JSON.stringify(path);
    const known = this.#stable.get(key);
    if (known !== undefined) return known;
    const name = path.at(-1) ?? "";
    const stable = (...args: readonly unknown[]) => {
      let holder: unknown = this.#options;
      for (const step of path.slice(0, -1)) holder = (holder as { readonly [name: string]: unknown })[step];
      return (holder as { readonly [name: string]: (...args: readonly unknown[]) => unknown })[name]?.(
        ...args,
      );
    };
    this.#stable.set(key, stable);
    return stable;
  }
}

/** Whether this is the path of `server` in an entry: what makes a server in this process. */
function isServer(path: readonly string[]): boolean {
  return path.length === 3 && path[0] === "servers" && path[2] === "server";
}

/** Whether options are the same, apart from functions, which a reload makes anew. */
function isSame(one: unknown, other: unknown, path: readonly string[] = []): boolean {
  if (isServer(path)) return one === other;
  if (typeof one === "function" && typeof other === "function") return true;
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length && one.every((item, at) => isSame(item, other[at], [...path, String(at)]))
    );
  if (!isPlain(one) || !isPlain(other)) return Object.is(one, other);
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(one[name], other[name], [...path, name]));
}

function without(options: OpenMcpOptions, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}

/** A server or a catalog may be an object of a class, and is then another one after a reload. */
function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  return isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
