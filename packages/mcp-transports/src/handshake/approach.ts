import type { JsonObject } from "@jackfield/mcp-core";

/** How the era is settled: taken over without a round trip, taken as legacy, or asked for. */
export type Approach =
  | { readonly kind: "adopt"; readonly discover: JsonObject }
  | { readonly kind: "legacy" | "probe" };
