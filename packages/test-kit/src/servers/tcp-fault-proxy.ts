import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createConditions } from "./condition.ts";
import { createProxiedConnection, type ProxiedConnection, type TcpConnection } from "./tcp-connection.ts";
import { createTcpPlanner, type TcpCut, type TcpPlan } from "./tcp-connection-plan.ts";

/** A proxy between a client and a server on this machine that simulates network faults. */
export interface TcpFaultProxy extends AsyncDisposable {
  /** The server's URL, with the proxy's port in place of the server's. */
  readonly url: string;
  readonly port: number;
  /** Every connection since the start, in order of arrival, with its current state. */
  readonly connections: readonly TcpConnection[];
  /** Resolves as soon as `test` returns true; it runs now and after each change of a connection. */
  until(test: (connections: readonly TcpConnection[]) => boolean): Promise<void>;
  /** Replaces the plan for future connections; a queue starts from its beginning. */
  setPlan(plan: TcpPlan): void;
  /** Holds back every byte and every end, of new connections too, until `resume`. Nothing is lost. */
  stall(): void;
  /**
   * Swallows every byte, end and reset until `resume`, as a network device does that has lost its state. Open connections never
   * recover; new ones are accepted and swallowed.
   */
  blackHole(): void;
  /** Cuts every open connection. Default `rst`. New ones are accepted. */
  cut(by?: TcpCut): void;
  /** Refuses new connections until `resume`; open ones continue. */
  refuse(): void;
  /**
   * Ends `stall`, `blackHole` and `refuse`; resolves when new connections are accepted again, on the same port.
   *
   * @throws Error if another program has taken the port meanwhile.
   */
  resume(): Promise<void>;
  /** Ends the proxy and every connection; resolves when no socket is left. Idempotent. */
  close(): Promise<void>;
}

/** Options of `startTcpFaultProxy`. */
export interface TcpFaultProxyOptions {
  /** Default: every connection is passed on unchanged. */
  readonly plan?: TcpPlan | undefined;
}

/**
 * Starts a proxy on 127.0.0.1 in front of the server at `url`, of which only host, port and path matter. The server need not
 * run yet: until it does, connections are reset.
 */
export async function startTcpFaultProxy(
  url: string | URL,
  { plan = {} }: TcpFaultProxyOptions = {},
): Promise<TcpFaultProxy> {
  const proxy = new PlannedProxy(new URL(url), plan);
  await proxy.resume();
  return proxy;
}

class PlannedProxy implements TcpFaultProxy {
  port = 0;
  readonly #target: URL;
  readonly #connections: ProxiedConnection[] = [];
  readonly #conditions = createConditions();
  #planOf: ReturnType<typeof createTcpPlanner>;
  #server: Server | undefined;
  #interference: "stall" | "black-hole" | undefined;
  #closed: Promise<void> | undefined;

  constructor(target: URL, plan: TcpPlan) {
    this.#target = target;
    this.#planOf = createTcpPlanner(plan);
  }

  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  get connections(): readonly TcpConnection[] {
    return [...this.#connections];
  }

  until(test: (connections: readonly TcpConnection[]) => boolean): Promise<void> {
    return this.#conditions.until(() => test(this.connections));
  }

  setPlan(plan: TcpPlan): void {
    this.#planOf = createTcpPlanner(plan);
  }

  stall(): void {
    this.#interference = "stall";
    for (const connection of this.#connections) connection.stall();
  }

  blackHole(): void {
    this.#interference = "black-hole";
    for (const connection of this.#connections) connection.swallow();
  }

  cut(by: TcpCut = "rst"): void {
    for (const connection of this.#connections) connection.cut(by);
  }

  refuse(): void {
    this.#server?.close(); // need not wait for the open connections
    this.#server = undefined;
  }

  async resume(): Promise<void> {
    this.#interference = undefined;
    for (const connection of this.#connections) connection.resume();
    if (this.#server || this.#closed) return;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
    this.port = (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const closed = this.#server && once(this.#server, "close");
    this.refuse();
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
    await closed;
  }

  #accept(client: Socket): void {
    // A client accepted while the proxy closes would otherwise never be destroyed.
    if (this.#closed) {
      client.destroy();
      return;
    }
    const number = this.#connections.length;
    const plan = this.#planOf(number);
    const target = { host: this.#target.hostname, port: Number(this.#target.port || 80) };
    const isLost = this.#interference === "black-hole";
    const connection = createProxiedConnection({
      number,
      client,
      target,
      plan: isLost ? { opening: "black-hole" } : plan,
      onChanged: () => this.#conditions.check(),
    });
    if (this.#interference === "stall") connection.stall();
    this.#connections.push(connection);
    this.#conditions.check();
  }
}
