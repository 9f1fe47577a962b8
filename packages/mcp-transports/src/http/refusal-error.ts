import { ChannelFault } from "../channel-fault.ts";
import type { Sdk } from "../sdk.ts";
import type { Refusal } from "./http-call.ts";

/** Statuses whose headers say more than an error by status has room for. */
const CHALLENGES = new Set([401, 403]);
const WAITS = new Set([429, 503]);

/** A request that was refused by an HTTP status, and what came with it. */
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

/** A refusal as it is explained by `errors/`. */
export function refusalError({ status, text, redirectedTo, retryAfterMs, challenge }: Refusal): Error {
  if (CHALLENGES.has(status)) return new ChannelFault({ kind: "http-refused", status, challenge });
  if (WAITS.has(status)) return new ChannelFault({ kind: "http-refused", status, retryAfterMs });
  const message =
    redirectedTo === undefined
      ? `it answered with HTTP ${status}`
      : `a redirect to ${redirectedTo} was not followed`;
  return new StatusRefusal(message, status, text);
}

/** The refusal of a session that its server does not know any more. */
export function forgottenError(): Error {
  return refusalError({ status: 404, text: "Session not found" });
}

/** An error as the SDK's client knows it: it reads the era of a server from statuses. */
export function sdkErrorOf(error: unknown, sdk: Sdk): unknown {
  if (!(error instanceof StatusRefusal)) return error;
  const { message, data } = error;
  return new sdk.SdkHttpError(sdk.SdkErrorCode.ClientHttpNotImplemented, message, data);
}
