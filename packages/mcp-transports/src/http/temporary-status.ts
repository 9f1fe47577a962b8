/** The statuses below 500 of temporary refusals. */
const TEMPORARY = new Set([408, 409, 425, 429]);

/** Whether a refusal with this status is temporary: the same request may succeed a little later. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || TEMPORARY.has(status);
}
