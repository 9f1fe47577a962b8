import type { ErrorCode } from "@jackfield/mcp-core";
import { type Listing, type ModelDefinition, type ModelServer, newServer } from "./model-server.ts";

/** The policy the schedules run under; a session is stable from `stableAfterMs` on, and idle after `idleTimeoutMs`. */
export const POLICY = {
  delaysMs: [1_000, 3_000],
  stableAfterMs: 10_000,
  reviveAfterMs: 5_000,
  idleTimeoutMs: 20_000,
};

/** The state of a promise: pending, fulfilled, or rejected with a code. */
export type Outcome = "pending" | "done" | ErrorCode;

interface ModelCall {
  outcome: Outcome;
  readonly server: string;
  /** The tool was on offer when the call was made. */
  readonly isFound: boolean;
  /** `waiting`: for the session, and for its list: the tool is judged as it is when the call is sent. */
  stage: "waiting" | "sent";
  /** How many sessions could not be listed while the call waited for a tool that was never listed. */
  unlisted: number;
}

/** The rules of the manager, without promises or timers. */
export class ReferenceModel {
  now = 0;
  phase: "new" | "started" | "closed" = "new";
  servers = new Map<string, ModelServer>();
  /** Names of servers with a session that hangs while it closes. */
  readonly ending = new Set<string>();
  readonly calls: ModelCall[] = [];
  readonly reconnects: { readonly server: string; outcome: Outcome }[] = [];

  constructor(definitions: ReadonlyMap<string, ModelDefinition>) {
    for (const [name, definition] of definitions) this.servers.set(name, newServer(definition));
  }

  /** The tools on offer, in their order. */
  offered(): string[] {
    return [...this.servers]
      .filter(([, { isKnown }]) => isKnown)
      .flatMap(([name, { definition }]) => [`${name} other`, ...(definition.hidden ? [] : [`${name} work`])]);
  }

  inFlight(server: string): number[] {
    return [...this.calls.keys()].filter((id) => this.calls[id]?.server === server && this.#is(id, "sent"));
  }

  /** Whether an attempt to connect is pending. */
  isAsked(name: string): boolean {
    return this.servers.get(name)?.status === "connecting" && !this.ending.has(name);
  }

  start(): void {
    if (this.phase === "closed") {
      for (const [name, { definition }] of this.servers) this.servers.set(name, newServer(definition));
    }
    this.phase = "started";
    for (const server of this.servers.values()) this.#wake(server);
  }

  call(name: string): void {
    const server = this.servers.get(name);
    const isFound = server?.isKnown === true && !server.definition.hidden;
    const call: ModelCall = { outcome: "pending", server: name, isFound, stage: "waiting", unlisted: 0 };
    this.calls.push(call);
    if (this.phase === "closed") call.outcome = "MCP_CLOSED";
    else if (server === undefined) call.outcome = "MCP_SERVER_UNKNOWN";
    else {
      const isLongFailed = server.status === "failed" && this.now - server.at >= POLICY.reviveAfterMs;
      if (isLongFailed) this.#connect(server, server.attempt);
      this.#wake(server);
      this.#serve(name, server);
    }
  }

  answer(id: number): void {
    this.#end(id, "done");
  }

  abort(id: number): void {
    this.#end(id, "MCP_ABORTED");
  }

  open(name: string, listing: Listing): void {
    const server = this.#get(name);
    const isKnown = server.isKnown || listing === "in";
    Object.assign(server, {
      status: "ready",
      at: this.now,
      usedAt: this.now,
      listing,
      isKnown,
      isHeld: false,
    });
    this.#serve(name, server);
  }

  fail(name: string): void {
    this.#lose(name, "MCP_CONNECT_FAILED", undefined);
  }

  crash(name: string): void {
    for (const id of this.inFlight(name)) this.#end(id, "MCP_SESSION_LOST");
    this.#lose(name, "MCP_SERVER_EXITED", this.now - this.#get(name).at);
  }

  hold(name: string): void {
    this.#get(name).isHeld = true;
  }

  releaseHolds(): void {
    this.ending.clear();
    for (const server of this.servers.values()) {
      server.isHeld = false;
      if (server.status === "closing") server.status = "closed";
    }
  }

  disconnect(name: string): void {
    const server = this.#get(name);
    this.#release(name, server);
    Object.assign(server, { status: "idle", isDisconnected: true, isKnown: false });
    this.#rejectAll(name, "MCP_CLOSED");
  }

  reconnect(name: string): void {
    const isShared = this.reconnects.some(({ server, outcome }) => server === name && outcome === "pending");
    const reconnect = { server: name, outcome: "pending" as Outcome };
    this.reconnects.push(reconnect);
    const server = this.servers.get(name);
    if (this.phase === "closed") reconnect.outcome = "MCP_CLOSED";
    else if (server === undefined) reconnect.outcome = "MCP_SERVER_UNKNOWN";
    else if (!isShared) {
      this.#release(name, server);
      this.#connect(server, 1);
    }
  }

  reload(definitions: ReadonlyMap<string, ModelDefinition>): void {
    const before = this.servers;
    this.servers = new Map();
    for (const [name, definition] of definitions) {
      const known = before.get(name);
      const stays = known?.definition.version === definition.version;
      if (known !== undefined && !stays) this.#remove(name, known);
      const server = known !== undefined && stays ? known : newServer(definition);
      server.definition = definition;
      this.servers.set(name, server);
      if (!stays && this.phase === "started") this.#wake(server);
    }
    for (const [name, server] of before) if (!definitions.has(name)) this.#remove(name, server);
  }

  close(): void {
    this.phase = "closed";
    for (const [name, server] of this.servers) {
      const wasOpen = server.status === "ready" || server.status === "connecting";
      this.#remove(name, server);
      server.status = wasOpen && this.ending.has(name) ? "closing" : "closed";
      server.isKnown = false;
    }
  }

  elapse(ms: number): void {
    this.now += ms;
    for (const [name, server] of this.servers) {
      if (server.status === "backoff" && server.at <= this.now) this.#connect(server, server.attempt);
      const isUsed = this.inFlight(name).length > 0;
      const isIdle = server.status === "ready" && !isUsed && this.now - server.usedAt >= POLICY.idleTimeoutMs;
      if (!isIdle) continue;
      this.#release(name, server);
      server.status = "idle";
    }
  }

  #get(name: string): ModelServer {
    const server = this.servers.get(name);
    if (server === undefined) throw new Error(`the model knows no server "${name}"`);
    return server;
  }

  #is(id: number, stage: ModelCall["stage"]): boolean {
    return this.calls[id]?.outcome === "pending" && this.calls[id]?.stage === stage;
  }

  #end(id: number, outcome: Outcome): void {
    const call = this.calls[id];
    if (call === undefined) return;
    const server = this.servers.get(call.server);
    if (call.stage === "sent" && server?.status === "ready") server.usedAt = this.now;
    call.outcome = outcome;
  }

  #wake(server: ModelServer): void {
    if (server.status === "idle" && !server.isDisconnected) this.#connect(server, 1);
  }

  #connect(server: ModelServer, attempt: number): void {
    Object.assign(server, { status: "connecting", attempt, isDisconnected: false });
  }

  /** Settles or sends the calls that wait for this server, as far as its state allows. */
  #serve(name: string, server: ModelServer): void {
    if (server.status === "idle") this.#rejectWaiting(name, "MCP_CLOSED");
    if (server.status === "failed" && server.error !== undefined) this.#rejectWaiting(name, server.error);
    if (server.status !== "ready") return;
    this.#settleReconnects(name, "done");
    const isUnusable = server.listing === "unsent" && this.#waiting(name).length > 0;
    if (isUnusable) this.#giveUpListing(name);
    if (isUnusable) this.#lose(name, "MCP_SESSION_LOST", this.now - server.at); // The waiting call notices.
    for (const call of server.listing === "unsent" ? [] : this.#waiting(name)) {
      if (server.listing === "brokenOff" && !call.isFound) call.outcome = "MCP_SESSION_LOST";
      else if (server.definition.hidden) call.outcome = "MCP_TOOL_UNKNOWN";
      else call.stage = "sent";
    }
  }

  /** A call that waits for a list tries one more session, and no third. */
  #giveUpListing(name: string): void {
    for (const call of this.#waiting(name).filter(({ isFound }) => !isFound)) {
      call.unlisted += 1;
      if (call.unlisted > 1) call.outcome = "MCP_SESSION_LOST";
    }
  }

  #lose(name: string, error: ErrorCode, upForMs: number | undefined): void {
    const server = this.#get(name);
    if (server.status === "ready") this.#release(name, server);
    const wasStable = upForMs !== undefined && upForMs >= POLICY.stableAfterMs;
    const retries = wasStable ? 1 : server.attempt;
    const delayMs = POLICY.delaysMs[retries - 1];
    server.error = error;
    this.#settleReconnects(name, error);
    const attempt = retries + 1;
    if (delayMs === undefined) Object.assign(server, { status: "failed", at: this.now });
    else Object.assign(server, { status: "backoff", at: this.now + delayMs, attempt });
    this.#serve(name, server);
  }

  /** Releases the open session, and with it the calls in flight. */
  #release(name: string, server: ModelServer): void {
    if (server.status !== "ready") return;
    if (server.isHeld) this.ending.add(name);
    server.isHeld = false;
    for (const id of this.inFlight(name)) this.#end(id, "MCP_CLOSED");
  }

  #remove(name: string, server: ModelServer): void {
    this.#release(name, server);
    this.#rejectAll(name, "MCP_CLOSED");
  }

  #rejectAll(name: string, code: ErrorCode): void {
    this.#rejectWaiting(name, code);
    this.#settleReconnects(name, code);
  }

  #settleReconnects(name: string, outcome: Outcome): void {
    for (const reconnect of this.reconnects)
      if (reconnect.server === name && reconnect.outcome === "pending") reconnect.outcome = outcome;
  }

  #rejectWaiting(name: string, code: ErrorCode): void {
    for (const call of this.#waiting(name)) call.outcome = code;
  }

  #waiting(name: string): readonly ModelCall[] {
    return this.calls.filter(
      ({ server, outcome, stage }) => server === name && outcome === "pending" && stage !== "sent",
    );
  }
}
