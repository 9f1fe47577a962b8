import type { TlsOptions } from "@jackfield/mcp-core";
import { authoritiesWith, chooseProxy, loadUndici, type ProxyChoice } from "@jackfield/mcp-core/node";
import type { Agent, Dispatcher, ProxyAgent } from "undici";
import { TransportFault } from "../faults.ts";

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
export class ConnectionPools {
  readonly #shared = new Map<string, SharedPool>();
  readonly #numbers = new WeakMap<object, number>();
  #lastNumber = 0;

  /** @throws TransportFault `proxy-invalid`, or the error of Node.js about unusable keys. */
  async acquire(origin: string, settings: PoolSettings): Promise<ConnectionPool> {
    const undici = await loadUndici<Undici>();
    const key = `${origin} ${settings.proxy} ${this.#numberOf(settings.tls)}`;
    const pool =
      this.#shared.get(key) ?? new SharedPool(undici, origin, settings, () => this.#shared.delete(key));
    this.#shared.set(key, pool);
    return pool.lend();
  }

  /** Two sessions share connections only if they were given the same `TlsOptions` object. */
  #numberOf(tls: TlsOptions | undefined): number {
    if (!tls) return 0;
    const number = this.#numbers.get(tls) ?? ++this.#lastNumber;
    this.#numbers.set(tls, number);
    return number;
  }
}

class SharedPool {
  readonly #calls: Dispatcher;
  readonly #streams: Dispatcher;
  readonly #proxy: string | undefined;
  readonly #forget: () => void;
  #borrowers = 0;

  // Both are created at once, which opens no connection yet, so that `acquire` throws what is wrong with the settings.
  constructor(undici: Undici, origin: string, settings: PoolSettings, forget: () => void) {
    const { proxy, invalidVariable }: ProxyChoice = settings.proxy ? chooseProxy(origin, process.env) : {};
    if (invalidVariable !== undefined)
      throw new TransportFault({ kind: "proxy-invalid", variable: invalidVariable });
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
    ...(ca !== undefined && { ca: authoritiesWith(ca) }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
  };
}
