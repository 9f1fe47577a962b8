import type {
  McpError,
  McpEvents,
  ServerNotification,
  ServerSnapshot,
  ServerStatus,
  ToolDefinition,
  ToolsChanged,
} from "@jackfield/mcp-core";
import type { Emitter } from "../emitter.ts";
import { preparedList } from "../tools/long-lists.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { FailureLog, NextAttempt } from "./failure-log.ts";

/** What the relays of all servers share. */
export interface RelayTargets {
  readonly registry: ToolRegistry;
  readonly events: Emitter<McpEvents>;
  readonly failures: FailureLog;
}

/**
 * Tells a manager's listeners, its registry and its log what one server does. A replaced or removed server changes nothing any more; only
 * the status changes of a removed one are still emitted.
 */
export class ServerRelay {
  readonly #name: string;
  readonly #targets: RelayTargets;
  /** Whether the server is the one that has the name now. */
  readonly isCurrent: () => boolean;
  /** Whether no other server was made under the name since. */
  readonly #isNewest: () => boolean;

  constructor(
    name: string,
    targets: RelayTargets,
    { isCurrent, isNewest }: { readonly isCurrent: () => boolean; readonly isNewest: () => boolean },
  ) {
    this.#name = name;
    this.#targets = targets;
    this.isCurrent = isCurrent;
    this.#isNewest = isNewest;
  }

  /** These are the server's tools now. */
  offer(tools: readonly ToolDefinition[], origin: "live" | "cache"): void {
    if (this.isCurrent()) this.#announce(this.#targets.registry.replace(this.#name, tools, origin));
  }

  /** Prepares a long list of the server's tools for `offer`; see `preparedList`. */
  prepare(
    listed: readonly ToolDefinition[],
    origin: "live" | "cache",
    { known, isWanted }: { readonly known: readonly ToolDefinition[]; readonly isWanted: () => boolean },
  ): Promise<readonly ToolDefinition[]> | undefined {
    const { registry } = this.#targets;
    const preparation = () => registry.preparation(this.#name, listed, origin);
    return preparedList(listed, { known, isWanted, preparation });
  }

  /** No tool of the server is offered any more. */
  withdraw(): void {
    if (this.isCurrent()) this.#announce(this.#targets.registry.remove(this.#name));
  }

  /** How many of its tools are on offer. */
  offered(): number {
    return this.isCurrent() ? this.#targets.registry.count(this.#name) : 0;
  }

  statusChanged(before: ServerStatus, snapshot: () => ServerSnapshot): void {
    if (this.#isNewest()) this.#targets.events.emit("statusChanged", { before, snapshot: snapshot() });
  }

  notified({ method, params }: ServerNotification): void {
    this.#emit("notification", { server: this.#name, method, params });
  }

  /** The list of resources or prompts has changed. */
  catalogChanged(kind: "resources" | "prompts"): void {
    this.#emit("catalogChanged", { server: this.#name, kind });
  }

  /** A subscribed resource has changed. */
  resourceUpdated(uri: string): void {
    this.#emit("resourceUpdated", { server: this.#name, uri });
  }

  /** The server does not answer pings; its session is about to be dropped. */
  unhealthy({ code, message }: McpError): void {
    this.#emit("unhealthy", { server: this.#name, error: { code, message, at: Date.now() } });
  }

  /** A connection or a list failed in the background. @param next - the attempt that follows, if one is scheduled */
  failed(error: McpError, next?: NextAttempt): void {
    this.#targets.failures.failed(this, this.#name, error, next);
  }

  /** Its tools are there. */
  worked(): void {
    this.#targets.failures.worked(this.#name);
  }

  #announce(changes: readonly ToolsChanged[]): void {
    for (const change of changes) this.#targets.events.emit("toolsChanged", change);
  }

  #emit<E extends keyof McpEvents>(event: E, value: McpEvents[E]): void {
    if (this.isCurrent()) this.#targets.events.emit(event, value);
  }
}
