import type { HttpFault, HttpFaultScript } from "./http-fault-script.ts";

/** Tells which fault the next request meets. */
export interface HttpFaultPlan {
  /** Counts the request at the first of the places that has a fault which is not used up. */
  next(places: readonly string[]): HttpFault;
}

const NO_FAULT: HttpFault = {};

/** Makes a plan in which nothing has been counted yet. */
export function createHttpFaultPlan({ on = {} }: HttpFaultScript): HttpFaultPlan {
  const counts = new Map<HttpFault, number>();

  /** Nothing if the fault is used up. */
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
