import { McpError } from "@jackfield/mcp-core";

/**
 * What happens to a tool that is not as it was accepted. A server's first list is accepted as it is, unless approval is required.
 *
 * - `off`: nothing is compared;
 * - `warn`: it is offered and reported;
 * - `block-changed`: a tool that changed, was added or was renamed is withheld until it is approved;
 * - `require-approval`: so is every tool that was never approved, those of the first list as well.
 */
export type PinPolicy = (typeof PIN_POLICIES)[number];

const PIN_POLICIES = ["off", "warn", "block-changed", "require-approval"] as const;

/** @throws McpError `MCP_CONFIG_INVALID`: what is misspelt must not be less strict than what was meant. */
export function parsePinPolicy(policy: unknown): PinPolicy {
  const known = PIN_POLICIES.find((name) => name === policy);
  if (known !== undefined) return known;
  const message = `The pin policy must be one of ${PIN_POLICIES.join(", ")}, not ${JSON.stringify(policy)}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
