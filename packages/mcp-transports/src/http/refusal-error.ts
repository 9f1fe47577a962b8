import { ChannelFault } from "../channel-fault.ts";
import type { Refusal } from "./http-call.ts";

/** Statuses whose error carries a header besides: the challenge, or the time to wait. */
const CHALLENGES = new Set([401, 403]);
const WAITS = new Set([429, 503]);

/** The HTTP status that a request was refused with, and the text of the body. */
export class StatusRefusal extends Error {
  readonly status: number;
  readonly data: { readonly status: number; readonly text: string | undefined };

  constructor(message: string, status: number, text: string | undefined) {
    super(message);
    this.name = "StatusRefusal";
    this.status = status;
    this.data = { status, text };
  }
}

/** The error of a refusal, which `errors/` converts further. */
export function refusalError({ status, text, redirectedTo, retryAfterMs, challenge }: Refusal): Error {
  if (CHALLENGES.has(status)) return new ChannelFault({ kind: "http-refused", status, challenge });
  if (WAITS.has(status)) return new ChannelFault({ kind: "http-refused", status, retryAfterMs });
  const message =
    redirectedTo === undefined
      ? `it answered with HTTP ${status}`
      : `a redirect to ${redirectedTo} was not followed`;
  return new StatusRefusal(message, status, text);
}

/** The error of a message whose session the server no longer knows. */
export function forgottenError(): Error {
  return refusalError({ status: 404, text: "Session not found" });
}
