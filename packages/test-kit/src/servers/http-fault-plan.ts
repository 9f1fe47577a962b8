import type { HttpFault, HttpFaultScript } from "./http-fault-script.ts";

/** Chooses the fault of each request. */
export interface HttpFaultPlan {
  /** Counts the request against the first fault of these places that is not used up, and returns what it meets. */
  next(places: readonly string[]): HttpFault;
}

const NO_FAULT: HttpFault = {};

/** Creates a plan that has counted no requests. */
export function createHttpFaultPlan({ on = {} }: HttpFaultScript): HttpFaultPlan {
  const counts = new Map<HttpFault, number>();

  /** Counts a request; `undefined` if the fault is used up. */
  const counted = (fault: HttpFault): HttpFault | undefined => {
    const { skip = 0, times = Number.POSITIVE_INFINITY } = fault;
    const count = counts.get(fault) ?? 0;
    if (count >= skip + times) return undefined;
    counts.set(fault, count + 1);
    return count < skip ? NO_FAULT : fault;
  };

  return {
    next(places) {
      for (const fault of places.flatMap((place) => on[place] ?? [])) {
        const found = counted(fault);
        if (found) return found;
      }
      return NO_FAULT;
    },
  };
}
