import type { Agent, Dispatcher, ProxyAgent } from "undici";
import type { TlsOptions } from "./http-options.ts";
import { chooseProxy } from "./proxy-choice.ts";

/** The module undici, which is imported when the first remote server is connected. */
type Undici = typeof import("undici");

/** After this idle time, the kernel sends a TCP keep-alive probe, which also keeps NAT entries alive. */
const KEEP_ALIVE_PROBE_MS = 15_000;

/** An HTTP/2 session that does not answer within this time is given up, with every request on it. */
const HTTP2_PING_MS = 15_000;

/** The connections to one origin. Calls and streams use separate ones, so that no call waits for a stream to end. */
export interface ConnectionPool {
  readonly calls: Dispatcher;
  readonly streams: Dispatcher;
  /** The proxy between, without user and password. */
  readonly proxy: string | undefined;
  /** Gives the pool back. Its connections end when the last borrower does so. Idempotent. */
  release(): Promise<void>;
}

export interface PoolSettings {
  readonly tls?: TlsOptions | undefined;
  /** Whether to use the proxy that the environment variables name. */
  readonly proxy: boolean;
}

/** Shares connections between the sessions of one connector. */
export interface ConnectionPools {
  /** @throws ChannelFault `proxy-invalid`, or the error of Node.js about unusable keys. */
  acquire(origin: string, settings: PoolSettings): Promise<ConnectionPool>;
}

export function createConnectionPools(): ConnectionPools {
  const shared = new Map<string, SharedPool>();
  const numbers = new WeakMap<object, number>();
  let lastNumber = 0;
  /** Two sessions share connections only if they were given the same `TlsOptions` object. */
  const numberOf = (tls: TlsOptions | undefined) => {
    if (!tls) return 0;
    const number = numbers.get(tls) ?? ++lastNumber;
    numbers.set(tls, number);
    return number;
  };
  return {
    async acquire(origin, settings) {
      const undici = await import("undici");
      const key = `${origin} ${settings.proxy} ${numberOf(settings.tls)}`;
      const pool = shared.get(key) ?? new SharedPool(undici, origin, settings, () => shared.delete(key));
      shared.set(key, pool);
      return pool.lend();
    },
  };
}

class SharedPool {
  readonly #calls: Dispatcher;
  readonly #streams: Dispatcher;
  readonly #proxy: string | undefined;
  readonly #forget: () => void;
  #borrowers = 0;

  // Both are created at once, which opens no connection yet, so that `acquire` throws what is wrong with the settings.
  constructor(undici: Undici, origin: string, settings: PoolSettings, forget: () => void) {
    const proxy = settings.proxy ? chooseProxy(origin, process.env) : undefined;
    this.#calls = openDispatcher(undici, origin, settings.tls, proxy);
    this.#streams = openDispatcher(undici, origin, settings.tls, proxy);
    this.#proxy = proxy && new URL(proxy).origin;
    this.#forget = forget;
  }

  lend(): ConnectionPool {
    this.#borrowers += 1;
    let released: Promise<void> | undefined;
    return {
      calls: this.#calls,
      streams: this.#streams,
      proxy: this.#proxy,
      release: () => (released ??= this.#giveBack()),
    };
  }

  async #giveBack(): Promise<void> {
    this.#borrowers -= 1;
    if (this.#borrowers > 0) return;
    this.#forget();
    await Promise.all([this.#calls.destroy(), this.#streams.destroy()]);
  }
}

function openDispatcher(
  undici: Undici,
  origin: string,
  tls: TlsOptions | undefined,
  proxy: string | undefined,
): Dispatcher {
  const connect = {
    ...(tls && secureOptions(tls)),
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    preferH2: true,
  };
  const options: Agent.Options = { allowH2: true, connect, h2Options: { pingInterval: HTTP2_PING_MS } };
  if (proxy === undefined) return new undici.Pool(origin, options);
  // The same authorities may have signed the proxy's certificate. The client's certificate is only for the server.
  const proxied: ProxyAgent.Options = {
    ...options,
    uri: proxy,
    requestTls: connect,
    ...(tls && { proxyTls: secureOptions({ ca: tls.ca }) }),
  };
  return new undici.ProxyAgent(proxied);
}

/** The host's authorities are trusted in addition to those that Node.js trusts by default. */
function secureOptions({ ca, cert, key, passphrase }: TlsOptions) {
  return {
    ...(ca !== undefined && { ca: [...defaultAuthorities(), ...[ca].flat()] }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
  };
}

/** Loads `node:tls` on demand: this takes longer than starting a local server's process, and few servers have their own authority. */
function defaultAuthorities(): string[] {
  return process.getBuiltinModule("node:tls").getCACertificates("default");
}
