import { isRecord, type JsonObject, type Logger, McpError, thrownText } from "@jackfield/mcp-core";
import type { SubscriptionFilter } from "@modelcontextprotocol/client";
import { type Failure, readFailure, refusalOf } from "../errors/failure.ts";
import { isTemporaryStatus } from "../errors/wording.ts";
import { ReconnectPace } from "../http/reconnect-pace.ts";
import type { Transport, Unattended } from "../transport.ts";
import type { Connection, ServerMessage } from "./connection.ts";
import { ENVELOPE_KEYS } from "./handshake.ts";
import { type PendingRequest, resultOf } from "./pending-request.ts";
import { isText } from "./results.ts";

/** How long a server may take to acknowledge a subscription, in milliseconds. */
const ACKNOWLEDGED_WITHIN_MS = 30_000;

/**
 * The most failed attempts in a row. Refusals for missing credentials are counted apart: otherwise a single fault after them would be the
 * last attempt.
 */
const MOST_FAILURES = 5;

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** For each capability, the member of the filter that asks for changes of its list. */
const LISTS = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;

export interface SubscriptionOptions {
  readonly connection: Connection;
  readonly capabilities: JsonObject;
  readonly server: string;
  readonly log: Logger;
  /** The transport's `onChallengeMet`. Missing if nothing can renew the credentials. */
  readonly onChallengeMet?: Transport["onChallengeMet"];
  /** Called when a lost subscription is back. Changes in between were not reported. */
  onRestored(): void;
}

/** A subscription that the server has acknowledged. */
interface Granted {
  readonly wanted: string;
  /** The resources whose changes the server will report. */
  readonly resources: readonly string[];
  close(): void;
}

/**
 * From 2026-07-28 on, a server reports only the changes that a client has asked for (`subscriptions/listen`). One subscription holds
 * everything that is wanted: the lists that may change, and single resources. It is replaced whenever that differs.
 */
export class ChangeSubscription {
  readonly #options: SubscriptionOptions;
  readonly #lists: SubscriptionFilter;
  readonly #resources = new Set<string>();
  readonly #pace = new ReconnectPace();
  readonly #closing = new AbortController();
  /** Makes the replacements run one after another. */
  #turn: Promise<void> = Promise.resolve();
  #granted: Granted | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOpened = false;
  #wasGranted = false;
  #failures = 0;
  /** Refusals for missing credentials in a row, since a challenge was last met. */
  #unmet = 0;
  /** The last attempt was refused for missing credentials, and no other has been scheduled since. */
  #wantsLogin = false;
  /** There was a time without a subscription, in which changes may have been missed. */
  #isLost = false;
  /** Called with the server's acknowledgements, by the id of the request. */
  readonly #unacknowledged = new Map<PendingRequest, (resources: readonly string[]) => void>();

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#lists = changingLists(options.capabilities);
    options.onChallengeMet?.(() => this.#reconsider());
  }

  /**
   * Requests the subscription and does not wait for it: a session works without one. Does nothing if it was requested already, unless it
   * was refused for missing credentials, which may have been renewed elsewhere. After five such refusals in a row, it is requested again
   * only once a challenge was met.
   */
  open(): void {
    if (this.#wantsLogin) {
      if (this.#unmet < MOST_FAILURES) this.#attemptLater();
    } else if (!this.#isOpened) {
      this.#isOpened = true;
      void this.#attempt();
    }
  }

  /** @throws McpError if the server will not report changes of the resource; otherwise whatever the request fails with */
  async subscribe(uri: string): Promise<void> {
    if (await this.add(uri)) return;
    const { server } = this.#options;
    const message = `Server "${server}" does not report changes of the resource "${uri}"; read it again instead.`;
    throw new McpError("MCP_REQUEST_REJECTED", message, { server, outcome: "rejected" });
  }

  /** Resolves with whether the server will report changes of the resource. Rejects if the request failed. */
  async add(uri: string): Promise<boolean> {
    const isNew = !this.#resources.has(uri);
    this.#resources.add(uri);
    try {
      await this.#renew();
    } catch (error) {
      if (isNew) this.#resources.delete(uri);
      throw error;
    }
    const isHonored = this.#granted?.resources.includes(uri) === true;
    if (!isHonored) this.#resources.delete(uri);
    return isHonored;
  }

  /** Resolves when the server no longer reports changes of the resource. */
  async remove(uri: string): Promise<void> {
    if (this.#resources.delete(uri)) await this.#renew();
  }

  /** Takes a message about a subscription. Returns whether it is one. */
  take({ method, params }: ServerMessage): boolean {
    const named = method === ACKNOWLEDGED ? metaOf(params)[ENVELOPE_KEYS.subscriptionId] : params?.requestId;
    if (method !== ACKNOWLEDGED && method !== "notifications/cancelled") return false;
    const request = [...this.#unacknowledged.keys()].find(({ id }) => String(id) === String(named));
    if (!request) return method === ACKNOWLEDGED;
    if (method === ACKNOWLEDGED) this.#unacknowledged.get(request)?.(resourcesIn(params?.notifications));
    else request.end({ kind: "failed", error: new Error("the server withdrew the subscription") });
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#wantsLogin = false;
    this.#closing.abort(new Error("the session ends"));
  }

  #renew(unattended?: Unattended): Promise<void> {
    this.#isOpened = true;
    const turn = this.#turn.catch(() => {}).then(() => this.#replace(unattended));
    this.#turn = turn;
    return turn;
  }

  /** Opens the new subscription before it closes the old one, so that no change is missed. A change may be reported twice. */
  async #replace(unattended: Unattended | undefined): Promise<void> {
    const before = this.#granted;
    const filter = this.#filter();
    const wanted = JSON.stringify(filter);
    if (before?.wanted === wanted || this.#closing.signal.aborted) return;
    if (wanted === "{}") this.#granted = undefined;
    else this.#accept(await this.#listen(filter, wanted, unattended));
    before?.close();
  }

  /** Resolves when the server has acknowledged the subscription. The request goes on until either side ends it. */
  #listen(filter: SubscriptionFilter, wanted: string, unattended: Unattended | undefined): Promise<Granted> {
    const closing = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, closing.signal]);
    return new Promise((resolve, reject) => {
      let granted: Granted | undefined;
      const ended = (error: unknown) => {
        reject(error);
        if (granted) this.#ended(granted);
      };
      let sent: PendingRequest | undefined;
      this.#options.connection
        .request({
          method: "subscriptions/listen",
          params: { notifications: filter },
          options: { signal, timeoutMs: ACKNOWLEDGED_WITHIN_MS, maxTotalMs: 0 },
          unattended,
          begun: (request) => {
            sent = request;
            this.#unacknowledged.set(request, (resources) => {
              request.stayOpen();
              granted ??= { wanted, resources, close: () => closing.abort() };
              resolve(granted);
            });
          },
          owner: { read: resultOf },
        })
        .then(() => ended(new Error("the server ended the subscription")), ended)
        .finally(() => sent && this.#unacknowledged.delete(sent));
    });
  }

  #accept(granted: Granted): void {
    this.#wasGranted = true;
    this.#granted = granted;
    clearTimeout(this.#timer);
    this.#failures = 0;
    this.#unmet = 0;
    this.#wantsLogin = false;
    const wasLost = this.#isLost;
    this.#isLost = false;
    if (wasLost) this.#options.onRestored();
  }

  #filter(): SubscriptionFilter {
    const resourceSubscriptions = [...this.#resources].sort();
    return resourceSubscriptions.length === 0 ? this.#lists : { ...this.#lists, resourceSubscriptions };
  }

  #ended(granted: Granted): void {
    if (this.#granted !== granted || this.#closing.signal.aborted) return;
    this.#granted = undefined;
    this.#isLost = true;
    this.#attemptLater();
  }

  #reconsider(): void {
    if (this.#unmet === 0 || this.#closing.signal.aborted) return;
    this.#unmet = 0;
    this.#attemptLater(this.#pace.soonestDelayMs());
  }

  #attemptLater(delayMs = this.#pace.nextDelayMs(undefined)): void {
    clearTimeout(this.#timer);
    this.#wantsLogin = false;
    this.#timer = setTimeout(() => void this.#attempt(), delayMs);
  }

  async #attempt(): Promise<void> {
    this.#pace.opened();
    try {
      await this.#renew({ wasGranted: this.#wasGranted });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#isLost = true;
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { log, onChallengeMet } = this.#options;
    const failure = readFailure(error);
    const isChallenged = isChallenge(failure);
    this.#wantsLogin = isChallenged && onChallengeMet !== undefined;
    if (this.#wantsLogin) this.#unmet += 1;
    const isRefused = isChallenged || isFinalRefusal(failure, this.#wasGranted);
    if (!isRefused) this.#failures += 1;
    if (!isRefused && this.#failures < MOST_FAILURES) {
      this.#attemptLater();
      return;
    }
    if (!this.#wantsLogin) this.#unmet = 0;
    const status = refusalOf(failure)?.status;
    const reason = status === undefined ? thrownText(error) : `HTTP ${status}`;
    log(isRefused ? "debug" : "warn", "The server does not report changes.", { error: reason });
  }
}

function metaOf(params: ServerMessage["params"]): { readonly [key: string]: unknown } {
  return isRecord(params?._meta) ? params._meta : {};
}

function resourcesIn(notifications: unknown): readonly string[] {
  const resources = isRecord(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(resources) ? resources.filter(isText) : [];
}

function changingLists(capabilities: JsonObject): SubscriptionFilter {
  const filter: SubscriptionFilter = {};
  for (const [kind, flag] of Object.entries(LISTS)) {
    const announced = capabilities[kind] as { readonly listChanged?: unknown } | undefined;
    if (announced?.listChanged === true) filter[flag] = true;
  }
  return filter;
}

/**
 * A server that has understood the request and refused it will refuse it again. An HTTP status alone shows that only if the server has
 * never granted the subscription: later, it may come from a gateway while the server restarts.
 */
function isFinalRefusal(failure: Failure, wasGranted: boolean): boolean {
  const status = refusalOf(failure)?.status;
  if (status !== undefined) return !wasGranted && !isTemporaryStatus(status);
  return ["rpc", "version", "unsupported", "invalid"].includes(failure.kind);
}

/** The request was refused for missing credentials. If they can be renewed, a later attempt may succeed. */
function isChallenge(failure: Failure): boolean {
  const refusal = refusalOf(failure);
  return refusal?.status === 401 || refusal?.challenge !== undefined;
}
