import { type Logger, silentLogger } from "./logger.ts";
import { Redactor } from "./redactor.ts";
import type { ResolveServer } from "./resolved-server.ts";
import { isSameJson } from "./values.ts";

/** How many resolutions of a server are remembered for each user: an error may contain a credential that was renewed since. */
const REMEMBERED_RESOLUTIONS = 4;

/**
 * The credentials of all servers and users of a runtime, which it hides in what it says: where a log line leaves, and in errors. What
 * servers send is data and passes unchanged.
 */
export class KnownCredentials extends Redactor {
  /** By principal, and then by what the credentials were filled into. */
  readonly #resolutions = new Map<string | undefined, Map<string, (readonly string[])[]>>();
  /** The number of admissions by principal. */
  readonly #admissions = new Map<string, number>();

  /**
   * Admits a principal for whom servers are reached, and returns a function that ends the admission. When the last admission of a
   * principal ends, its credentials are forgotten. `undefined`, the owner, needs none.
   */
  admit(principal: string | undefined): () => void {
    if (principal === undefined) return () => {};
    this.#admissions.set(principal, (this.#admissions.get(principal) ?? 0) + 1);
    let isPresent = true;
    return () => {
      if (!isPresent) return;
      isPresent = false;
      const others = (this.#admissions.get(principal) ?? 0) - 1;
      if (others > 0) this.#admissions.set(principal, others);
      else this.#forgetAllOf(principal);
    };
  }

  /**
   * Hides what was filled in for a principal from now on, unless the principal is not admitted: a resolver may finish after its principal
   * has left, and then nothing would ever remove the credentials.
   *
   * @param into - what they were filled into; of each, the last few lists are remembered
   */
  record(principal: string | undefined, into: readonly string[], credentials: readonly string[]): void {
    if (credentials.length === 0) return;
    if (principal !== undefined && !this.#admissions.has(principal)) return;
    const subject = JSON.stringify(into);
    const own = this.#resolutions.get(principal) ?? new Map<string, (readonly string[])[]>();
    this.#resolutions.set(principal, own);
    const earlier = own.get(subject) ?? [];
    const same = earlier.find((one) => isSameJson(one, credentials));
    // A repeated list moves to the end: lists that alternate must not push out rare ones.
    const lists = [...earlier.filter((one) => one !== same), same ?? credentials];
    if (same === undefined) this.add(credentials);
    for (const outdated of lists.splice(0, lists.length - REMEMBERED_RESOLUTIONS)) this.remove(outdated);
    own.set(subject, lists);
  }

  /** The same resolver. The credentials of what it resolves are recorded, and its errors contain none. */
  recording(resolve: ResolveServer): ResolveServer {
    return async (definition, options) => {
      const server = await this.hiding(resolve(definition, options));
      this.record(options.principal, [definition.name], server.secrets);
      return server;
    };
  }

  /** The same answer; if it is an error, without credentials. */
  hiding<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      throw this.hideIn(error);
    });
  }

  /** The same logger, which gets no credentials. Whatever it throws is ignored: there is nowhere left to report it. */
  logger(log: Logger): Logger {
    if (log === silentLogger) return log;
    return (level, message, fields) => {
      const line = [level, this.hide(message), this.hideIn(fields)] as const;
      try {
        const answer: unknown = log(...line);
        if (answer !== undefined) Promise.resolve(answer).catch(() => {});
      } catch {}
    };
  }

  #forgetAllOf(principal: string): void {
    this.#admissions.delete(principal);
    for (const lists of this.#resolutions.get(principal)?.values() ?? [])
      for (const list of lists) this.remove(list);
    this.#resolutions.delete(principal);
  }
}
