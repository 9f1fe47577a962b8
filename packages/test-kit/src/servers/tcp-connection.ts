import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TcpConnectionPlan, TcpCut, TcpDirectionPlan } from "./tcp-connection-plan.ts";
import { createTcpDirection, type TcpDirection } from "./tcp-direction.ts";

/** The current state of a connection that a proxy has accepted. */
export interface TcpConnection {
  /** Counts from 0 over the proxy's life. */
  readonly number: number;
  /** How many bytes were passed on to the server. */
  readonly requestBytes: number;
  /** How many bytes were passed on to the client. */
  readonly answerBytes: number;
  /** Whether one of its two sockets is still open. */
  readonly isOpen: boolean;
  /** How the proxy cut the connection; missing if it did not. */
  readonly cutBy?: TcpCut | undefined;
}

/** A connection with the operations of its proxy. */
export interface ProxiedConnection extends TcpConnection {
  /** Holds back both directions until `resume`. */
  stall(): void;
  resume(): void;
  /** Swallows both directions for good, including ends and resets. */
  swallow(): void;
  cut(by: TcpCut): void;
  /** Drops both sockets; resolves when they are closed. */
  destroy(): Promise<void>;
}

/** Options of `createProxiedConnection`. */
export interface TcpConnectionOptions {
  readonly number: number;
  readonly client: Socket;
  readonly target: { readonly host: string; readonly port: number };
  readonly plan: TcpConnectionPlan;
  /** Called whenever a field of the connection has changed. */
  onChanged(): void;
}

/** Handles an accepted client as the plan says. */
export function createProxiedConnection(options: TcpConnectionOptions): ProxiedConnection {
  return new PlannedConnection(options);
}

class PlannedConnection implements ProxiedConnection {
  readonly number: number;
  cutBy: TcpCut | undefined;
  readonly #sockets: readonly Socket[];
  readonly #request: TcpDirection | undefined;
  readonly #answer: TcpDirection | undefined;
  readonly #onChanged: () => void;
  #isSwallowing = false;

  constructor({ number, client, target, plan, onChanged }: TcpConnectionOptions) {
    this.number = number;
    this.#onChanged = onChanged;
    const { opening = "pass", request = {}, answer = {} } = plan;
    if (opening !== "pass") {
      this.#sockets = [client];
      this.#watch(client, undefined);
      if (opening === "reset") this.cut("rst");
      else client.resume();
      return;
    }
    const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
    this.#sockets = [client, server];
    this.#watch(client, server);
    this.#watch(server, client);
    this.#request = this.#direction(client, server, request);
    this.#answer = this.#direction(server, client, answer);
  }

  get requestBytes(): number {
    return this.#request?.passedBytes ?? 0;
  }

  get answerBytes(): number {
    return this.#answer?.passedBytes ?? 0;
  }

  get isOpen(): boolean {
    return this.#sockets.some((socket) => !socket.closed);
  }

  stall(): void {
    this.#request?.stall();
    this.#answer?.stall();
  }

  resume(): void {
    this.#request?.resume();
    this.#answer?.resume();
  }

  swallow(): void {
    this.#isSwallowing = true;
    this.#request?.swallow();
    this.#answer?.swallow();
  }

  cut(by: TcpCut): void {
    if (this.cutBy !== undefined || !this.isOpen) return;
    this.cutBy = by;
    // Data that still arrives is read and dropped: a socket closed with unread bytes would send a reset instead of an end.
    this.#request?.swallow();
    this.#answer?.swallow();
    for (const socket of this.#sockets) {
      if (by === "rst") reset(socket);
      else socket.end();
    }
    this.#onChanged();
  }

  async destroy(): Promise<void> {
    this.#request?.stop();
    this.#answer?.stop();
    await Promise.all(
      this.#sockets.map(async (socket) => {
        if (socket.closed) return;
        const closed = once(socket, "close");
        socket.destroy();
        await closed;
      }),
    );
  }

  #direction(from: Socket, to: Socket, plan: TcpDirectionPlan): TcpDirection {
    const cut = () => this.cut(plan.cutBy ?? "rst");
    return createTcpDirection({ from, to, cut, onPassed: this.#onChanged }, plan);
  }

  /** Passes the loss of one side on to the other, unless the connection is swallowing. */
  #watch(socket: Socket, other: Socket | undefined): void {
    socket.on("error", () => {
      if (!this.#isSwallowing && other !== undefined) reset(other);
    });
    socket.on("close", () => this.#onChanged());
  }
}

/**
 * Resets a socket. One that is being ended cannot be reset: the system refuses it, and Node then leaves the socket open for good. Such a
 * socket is destroyed.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
