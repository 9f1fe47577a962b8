import { isMcpError, McpError } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  type FakeAttempt,
  type FakeSession,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { vi } from "vitest";
import { createMcpManager, type McpManager } from "../../src/index.ts";
import { tool } from "../manager-fixture.ts";
import type { Listing, ModelDefinition } from "./model-server.ts";
import { type Outcome, POLICY } from "./reference-model.ts";

const FAILURES = {
  brokenOff: new McpError("MCP_SESSION_LOST", "cut off", { outcome: "unknown" }),
  unsent: new McpError("MCP_SESSION_LOST", "refused", { outcome: "not-sent" }),
};

/** A manager with fake servers, driven step by step by a schedule. */
export class RealWorld {
  readonly manager: McpManager;
  /** The outcome of each call and of each other promise, in the order they were made. */
  readonly calls: Outcome[] = [];
  readonly reconnects: Outcome[] = [];
  readonly others: Outcome[] = [];
  readonly #aborts: AbortController[] = [];
  readonly #answers = new Map<number, () => void>();
  /** How often each call reached a session. */
  readonly #sent = new Map<number, number>();
  readonly #attempts = new Map<string, FakeAttempt>();
  readonly #sessions = new Map<string, FakeSession>();
  /** Sessions that are open or still closing, by server. */
  readonly #alive = new Map<string, Set<FakeSession>>();
  readonly #releases: (() => void)[] = [];

  constructor(definitions: ReadonlyMap<string, ModelDefinition>) {
    const { connect } = createFakeConnector({
      onAttempt: (attempt) => {
        this.#expectNoLiveSession(attempt.server.name);
        this.#attempts.set(attempt.server.name, attempt);
      },
    });
    this.manager = createMcpManager({
      servers: definitionsOf(definitions),
      connect,
      resolve: passThroughResolver,
      limits: {
        connectTimeoutMs: 0,
        callTimeoutMs: 0,
        maxTotalMs: 0,
        idleTimeoutMs: POLICY.idleTimeoutMs,
        closeTimeoutMs: 2_000_000_000,
      },
      retry: {
        delaysMs: POLICY.delaysMs,
        jitter: "none",
        stableAfterMs: POLICY.stableAfterMs,
        maxDelayMs: POLICY.reviveAfterMs,
      },
    });
  }

  /** Runs everything that does not wait for a timer. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  start(): void {
    this.#follow(this.manager.start(), this.others);
  }

  call(server: string): void {
    const id = this.calls.length;
    const abort = new AbortController();
    this.#aborts.push(abort);
    const options = { signal: abort.signal };
    this.#follow(this.manager.callTool({ server, tool: "work" }, { id }, options), this.calls);
  }

  answer(id: number): void {
    this.#answers.get(id)?.();
  }

  abort(id: number): void {
    this.#aborts[id]?.abort();
  }

  open(server: string, listing: Listing): void {
    const session = createFakeSession({
      tools: [tool("work"), tool("other")],
      answer: (_method, params) => {
        const { id } = params.arguments as { id: number };
        this.#sent.set(id, (this.#sent.get(id) ?? 0) + 1);
        return new Promise((resolve) => this.#answers.set(id, () => resolve({ content: [] })));
      },
    });
    if (listing !== "in") session.failLists(FAILURES[listing]);
    this.#expectNoLiveSession(server);
    this.#alive.set(server, (this.#alive.get(server) ?? new Set()).add(session));
    this.#sessions.set(server, session);
    this.#attempts.get(server)?.open(session);
    session.onClose(() => {
      if (!this.#held.has(session)) this.#alive.get(server)?.delete(session);
    });
  }

  fail(server: string): void {
    this.#attempts.get(server)?.fail(new McpError("MCP_CONNECT_FAILED", "refused", { server }));
  }

  crash(server: string): void {
    this.#sessions.get(server)?.lose(new McpError("MCP_SERVER_EXITED", "exited", { server }));
  }

  readonly #held = new Set<FakeSession>();

  hold(server: string): void {
    const session = this.#sessions.get(server);
    if (session === undefined || this.#held.has(session)) return;
    const release = session.holdClose();
    this.#held.add(session);
    this.#releases.push(() => {
      this.#held.delete(session);
      if (session.closed) this.#alive.get(server)?.delete(session);
      release();
    });
  }

  releaseHolds(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  disconnect(server: string): void {
    this.#follow(this.manager.disconnect(server), this.others);
  }

  reconnect(server: string): void {
    this.#follow(this.manager.reconnect(server), this.reconnects);
  }

  reload(definitions: ReadonlyMap<string, ModelDefinition>): void {
    this.#follow(this.manager.reload(definitionsOf(definitions)), this.others);
  }

  close(): void {
    this.#follow(this.manager.close(), this.others);
  }

  elapse(ms: number): void {
    vi.advanceTimersByTime(ms);
  }

  /** Violations of the rules that hold independently of the model. */
  brokenRules(): string[] {
    const twice = [...this.#sent].filter(([, times]) => times > 1).map(([id]) => `call ${id} was sent twice`);
    const crowded = [...this.#alive].filter(([, sessions]) => sessions.size > 1);
    return [...twice, ...crowded.map(([server]) => `${server} has two live sessions`)];
  }

  /** What is left after a close; must be empty. */
  leftovers(): string[] {
    const alive = [...this.#alive].filter(([, sessions]) => sessions.size > 0).map(([server]) => server);
    const pending = [...this.calls, ...this.reconnects, ...this.others].filter((each) => each === "pending");
    const timers = vi.getTimerCount();
    return [...alive, ...pending, ...(timers > 0 ? [`${timers} timers`] : [])];
  }

  #expectNoLiveSession(server: string): void {
    if ((this.#alive.get(server)?.size ?? 0) > 0)
      throw new Error(`${server} is connected before its last session is gone`);
  }

  #follow(promise: Promise<unknown>, outcomes: Outcome[]): void {
    const index = outcomes.push("pending") - 1;
    promise.then(
      () => {
        outcomes[index] = "done";
      },
      (error: unknown) => {
        outcomes[index] = isMcpError(error) ? error.code : "MCP_INTERNAL";
      },
    );
  }
}

function definitionsOf(definitions: ReadonlyMap<string, ModelDefinition>) {
  return [...definitions].map(([name, { version, hidden }]) =>
    stdioDefinition(name, { args: [`v${version}`], ...(hidden ? { tools: { exclude: ["work"] } } : {}) }),
  );
}
