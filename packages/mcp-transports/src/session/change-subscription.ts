import { type JsonObject, type Logger, thrownText } from "@jackfield/mcp-core";
import type { SubscriptionFilter } from "@modelcontextprotocol/client";
import type { Channel } from "../channel.ts";
import { type Failure, httpStatusOf, readFailure } from "../errors/failure.ts";
import { createReconnectPace } from "../http/reconnect-pace.ts";
import { isTemporaryStatus } from "../http/temporary-status.ts";
import type { Unattended } from "../unattended.ts";
import type { Listening, ListenRequests } from "./listen-requests.ts";

/** How long a server may take to acknowledge a subscription, in milliseconds. */
const ACKNOWLEDGED_WITHIN_MS = 30_000;

/**
 * The most failed attempts in a row. Refusals for missing credentials are counted apart: otherwise a single fault after them would be the
 * last attempt.
 */
const MOST_FAILURES = 5;

/** For each capability, the member of the filter that asks for changes of its list. */
const LISTS = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const;

export interface ChangeSubscriptionOptions {
  readonly listens: Pick<ListenRequests, "open">;
  readonly capabilities: JsonObject;
  readonly server: string;
  readonly log: Logger;
  /** The channel's `onChallengeMet`. Missing if nothing can renew the credentials. */
  readonly onChallengeMet?: Channel["onChallengeMet"];
  /** Called when a lost subscription is back. Changes in between were not reported. */
  onRestored(): void;
}

/**
 * From 2026-07-28 on, a server reports only the changes that a client has asked for (`subscriptions/listen`). One subscription holds
 * everything that is wanted: the lists that may change, and single resources. It is replaced whenever that differs.
 */
export interface ChangeSubscription {
  /**
   * Requests the subscription and does not wait for it: a session works without one. Does nothing if it was requested already, unless it
   * was refused for missing credentials, which may have been renewed elsewhere. After five such refusals in a row, it is requested again
   * only once a challenge was met.
   */
  open(): void;
  /** Resolves with whether the server will report changes of the resource. Rejects if the request failed. */
  add(uri: string): Promise<boolean>;
  /** Resolves when the server no longer reports changes of the resource. */
  remove(uri: string): Promise<void>;
  close(): void;
}

export function createChangeSubscription(options: ChangeSubscriptionOptions): ChangeSubscription {
  return new RenewedSubscription(options);
}

/** A subscription that was granted. */
interface Granted {
  readonly wanted: string;
  readonly listening: Listening;
}

class RenewedSubscription implements ChangeSubscription {
  readonly #options: ChangeSubscriptionOptions;
  readonly #lists: SubscriptionFilter;
  readonly #resources = new Set<string>();
  readonly #pace = createReconnectPace({ now: Date.now, random: Math.random });
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

  constructor(options: ChangeSubscriptionOptions) {
    this.#options = options;
    this.#lists = changingLists(options.capabilities);
    options.onChallengeMet?.(() => this.#reconsider());
  }

  open(): void {
    if (this.#wantsLogin) {
      if (this.#unmet < MOST_FAILURES) this.#attemptLater();
    } else if (!this.#isOpened) {
      this.#isOpened = true;
      void this.#attempt();
    }
  }

  async add(uri: string): Promise<boolean> {
    const isNew = !this.#resources.has(uri);
    this.#resources.add(uri);
    try {
      await this.#renew();
    } catch (error) {
      if (isNew) this.#resources.delete(uri);
      throw error;
    }
    const isHonored = this.#granted?.listening.resources.includes(uri) === true;
    if (!isHonored) this.#resources.delete(uri);
    return isHonored;
  }

  async remove(uri: string): Promise<void> {
    if (this.#resources.delete(uri)) await this.#renew();
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
    else await this.#listen(filter, wanted, unattended);
    before?.listening.close();
  }

  async #listen(
    filter: SubscriptionFilter,
    wanted: string,
    unattended: Unattended | undefined,
  ): Promise<void> {
    const { listens, onRestored } = this.#options;
    const { signal } = this.#closing;
    const listening = await listens.open(filter, { timeoutMs: ACKNOWLEDGED_WITHIN_MS, signal, unattended });
    this.#wasGranted = true;
    const granted = { wanted, listening };
    this.#granted = granted;
    clearTimeout(this.#timer);
    void listening.closed.then(() => this.#ended(granted));
    this.#pace.recovered();
    this.#failures = 0;
    this.#unmet = 0;
    this.#wantsLogin = false;
    const wasLost = this.#isLost;
    this.#isLost = false;
    if (wasLost) onRestored();
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
    const { server, log, onChallengeMet } = this.#options;
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
    const status = httpStatusOf(failure);
    const fields = { server, error: status === undefined ? thrownText(error) : `HTTP ${status}` };
    log(isRefused ? "debug" : "warn", "The server does not report changes.", fields);
  }
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
  const status = httpStatusOf(failure);
  if (status !== undefined) return !wasGranted && !isTemporaryStatus(status);
  return ["rpc", "version", "unsupported", "invalid"].includes(failure.kind);
}

/** The request was refused for missing credentials. If they can be renewed, a later attempt may succeed. */
function isChallenge(failure: Failure): boolean {
  const facts =
    failure.kind === "channel" && failure.facts.kind === "http-refused" ? failure.facts : undefined;
  return facts !== undefined && (facts.status === 401 || facts.challenge !== undefined);
}
