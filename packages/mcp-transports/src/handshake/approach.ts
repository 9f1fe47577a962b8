import type { JsonObject } from "@jackfield/mcp-core";

/** How the era is determined: adopted from an earlier session without a round trip, assumed to be legacy, or probed. */
export type Approach =
  | { readonly kind: "adopt"; readonly discover: JsonObject }
  | { readonly kind: "legacy" | "probe" };
