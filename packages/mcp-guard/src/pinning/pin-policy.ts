import { McpError } from "@jackfield/mcp-core";

/**
 * What happens to a tool that differs from its accepted version. A server's first list is accepted as it is, except under
 * `require-approval`.
 *
 * - `off`: nothing is compared;
 * - `warn`: the tool is offered and reported;
 * - `block-changed`: a tool that changed, was added or was renamed is withheld until it is approved;
 * - `require-approval`: so is every tool that was never approved, including those of the first list.
 */
export type PinPolicy = (typeof PIN_POLICIES)[number];

const PIN_POLICIES = ["off", "warn", "block-changed", "require-approval"] as const;

/** @throws McpError `MCP_CONFIG_INVALID`: a misspelt policy must not be less strict than the intended one. */
export function parsePinPolicy(policy: unknown): PinPolicy {
  const known = PIN_POLICIES.find((name) => name === policy);
  if (known !== undefined) return known;
  const message = `The pin policy must be one of ${PIN_POLICIES.join(", ")}, not ${JSON.stringify(policy)}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
