import type { Agent, Dispatcher, EnvHttpProxyAgent } from "undici";
import type { TlsOptions } from "./http-options.ts";

/** undici as a module object: it is imported when the first remote server is connected. */
type Undici = typeof import("undici");

/** The kernel asks after so long whether the other side still lives, which also keeps address translation awake. */
const KEEP_ALIVE_PROBE_MS = 15_000;

/** An HTTP/2 session that does not answer within this time is given up, with every request on it. */
const HTTP2_PING_MS = 15_000;

const PROXY_VARIABLES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"] as const;

/** The connections to one origin. Calls and streams have their own, so that no call waits for a stream to end. */
export interface ConnectionPool {
  calls(): Dispatcher;
  streams(): Dispatcher;
  /** The last to give it back ends its connections. Idempotent. */
  release(): Promise<void>;
}

export interface PoolSettings {
  readonly tls?: TlsOptions | undefined;
  /** `false`: the variables of the environment are not asked. */
  readonly proxy: boolean;
}

/** Shares connections between the sessions of one connector. */
export interface ConnectionPools {
  acquire(origin: string, settings: PoolSettings): Promise<ConnectionPool>;
}

export function createConnectionPools(): ConnectionPools {
  const shared = new Map<string, SharedPool>();
  const numbers = new WeakMap<object, number>();
  let lastNumber = 0;
  /** Two sessions share connections only if they were given the very same keys. */
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
  readonly #open: () => Dispatcher;
  readonly #forget: () => void;
  #calls: Dispatcher | undefined;
  #streams: Dispatcher | undefined;
  #borrowers = 0;

  constructor(undici: Undici, origin: string, settings: PoolSettings, forget: () => void) {
    this.#open = () => openDispatcher(undici, origin, settings);
    this.#forget = forget;
  }

  lend(): ConnectionPool {
    this.#borrowers += 1;
    let released: Promise<void> | undefined;
    return {
      calls: () => (this.#calls ??= this.#open()),
      streams: () => (this.#streams ??= this.#open()),
      release: () => (released ??= this.#giveBack()),
    };
  }

  async #giveBack(): Promise<void> {
    this.#borrowers -= 1;
    if (this.#borrowers > 0) return;
    this.#forget();
    await Promise.all([this.#calls?.destroy(), this.#streams?.destroy()]);
  }
}

function openDispatcher(undici: Undici, origin: string, { tls, proxy }: PoolSettings): Dispatcher {
  const connect = {
    ...(tls && secureOptions(tls)),
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    preferH2: true,
  };
  const options: Agent.Options = { allowH2: true, connect, h2Options: { pingInterval: HTTP2_PING_MS } };
  if (!proxy || !isProxied(origin)) return new undici.Pool(origin, options);
  // The proxy may be vouched for by the same authorities; the client's certificate is none of its business.
  const proxied: EnvHttpProxyAgent.Options = {
    ...options,
    requestTls: connect,
    ...(tls && { proxyTls: secureOptions({ ca: tls.ca }) }),
  };
  return new undici.EnvHttpProxyAgent(proxied);
}

/** The host's authorities are believed in addition to those that Node.js believes anyway. */
function secureOptions({ ca, cert, key, passphrase }: TlsOptions) {
  return {
    ...(ca !== undefined && { ca: [...defaultAuthorities(), ...[ca].flat()] }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
  };
}

/** Not imported: loading it takes longer than starting a local server's process, and few servers have an authority of their own. */
function defaultAuthorities(): string[] {
  return process.getBuiltinModule("node:tls").getCACertificates("default");
}

/** A proxy could not reach this machine from where it stands, and should not learn what runs here. */
function isProxied(origin: string): boolean {
  const { hostname } = new URL(origin);
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]") return false;
  if (/^127\.\d+\.\d+\.\d+$/.test(hostname)) return false;
  return PROXY_VARIABLES.some((name) => process.env[name]);
}
