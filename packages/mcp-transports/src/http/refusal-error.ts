import { ChannelFault } from "../channel-fault.ts";
import type { Sdk } from "../sdk.ts";
import type { Refusal } from "./http-call.ts";

/** Statuses whose headers say more than the SDK's error has room for. */
const CHALLENGES = new Set([401, 403]);
const WAITS = new Set([429, 503]);

/** A refusal as what it is for the SDK, which reads the era of a server from statuses, and for `errors/`. */
export function refusalError(sdk: Sdk, refusal: Refusal): Error {
  const { status, text, redirectedTo, retryAfterMs, challenge } = refusal;
  if (CHALLENGES.has(status)) return new ChannelFault({ kind: "http-refused", status, challenge });
  if (WAITS.has(status)) return new ChannelFault({ kind: "http-refused", status, retryAfterMs });
  const message =
    redirectedTo === undefined
      ? `it answered with HTTP ${status}`
      : `a redirect to ${redirectedTo} was not followed`;
  return new sdk.SdkHttpError(sdk.SdkErrorCode.ClientHttpNotImplemented, message, { status, text });
}
