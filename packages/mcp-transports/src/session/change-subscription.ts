import { type JsonObject, type Logger, thrownText } from "@jackfield/mcp-core";
import type { SubscriptionFilter } from "@modelcontextprotocol/client";
import type { Channel } from "../channel.ts";
import { type Failure, httpStatusOf, readFailure } from "../errors/failure.ts";
import { isPassing } from "../http/passing-status.ts";
import { createReconnectPace } from "../http/reconnect-pace.ts";
import type { Unattended } from "../unattended.ts";
import type { Listening, ListenRequests } from "./listen-requests.ts";

/** How long a server may take to say what it will tell of, in milliseconds. */
const ACKNOWLEDGED_WITHIN_MS = 30_000;

/**
 * A subscription is not asked for more often in a row without being granted. Refusals for want of credentials are counted apart, or a single
 * fault after them would be the end.
 */
const MOST_FAILURES = 5;

/** What a server announces that its list of something may change with. */
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
  /** As that of the channel. Missing: nobody can renew what the server may want. */
  readonly onChallengeMet?: Channel["onChallengeMet"];
  /** It was lost and is back: what changed in between was not told. */
  onRestored(): void;
}

/**
 * From 2026-07-28 on a server tells of changes only to who has asked, and of what he has asked for (`subscriptions/listen`). One subscription
 * holds everything that is wanted: the lists that may change, and single resources. It is replaced whenever that differs.
 */
export interface ChangeSubscription {
  /**
   * Asks for what is wanted and waits for nothing: a session without such news is still a session. Nothing is done where that was asked
   * for already, unless it was refused for want of credentials: they may have been renewed elsewhere. After five such refusals in a row that
   * is believed only once a challenge was met.
   */
  open(): void;
  /** Resolves with whether the server will tell of the resource; rejects if it could not be asked. */
  add(uri: string): Promise<boolean>;
  /** Resolves when the server tells of the resource no more. */
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
  /** The replacements one after another. */
  #turn: Promise<void> = Promise.resolve();
  #granted: Granted | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOpened = false;
  #wasGranted = false;
  #failures = 0;
  /** How often in a row it was refused for want of credentials, and no challenge met since. */
  #unmet = 0;
  /** It was refused so last, and has not been asked for since. */
  #wantsLogin = false;
  /** Something may have changed while there was no subscription. */
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

  /** The new one is there before the old one goes, so that nothing is missed; something may be told twice. */
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
    const isRefused = isChallenged || isRefusal(failure, this.#wasGranted);
    if (!isRefused) this.#failures += 1;
    if (!isRefused && this.#failures < MOST_FAILURES) {
      this.#attemptLater();
      return;
    }
    if (!this.#wantsLogin) this.#unmet = 0;
    const status = httpStatusOf(failure);
    const fields = { server, error: status === undefined ? thrownText(error) : `HTTP ${status}` };
    log(isRefused ? "debug" : "warn", "The server does not tell of changes.", fields);
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
 * A server that has understood the question and refused it will refuse it again. A status alone says so only of one that has never granted it:
 * later it may be that of a gateway, while the server starts anew.
 */
function isRefusal(failure: Failure, wasGranted: boolean): boolean {
  const status = httpStatusOf(failure);
  if (status !== undefined) return !wasGranted && !isPassing(status);
  return ["rpc", "version", "unsupported", "invalid"].includes(failure.kind);
}

/** It is refused for want of credentials: where they can be renewed, this may pass. */
function isChallenge(failure: Failure): boolean {
  const facts =
    failure.kind === "channel" && failure.facts.kind === "http-refused" ? failure.facts : undefined;
  return facts !== undefined && (facts.status === 401 || facts.challenge !== undefined);
}
