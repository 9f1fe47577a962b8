import { useLeakCheck } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import { callApproval, limitResults, openToolPins } from "../src/index.ts";

useLeakCheck();

/** Options as JavaScript may give them. */
const untyped = (options: object) => options as never;

test.each([
  ["callApproval", async () => callApproval(untyped({ rule: "never" })), "rule"],
  ["callApproval", async () => callApproval(untyped({ ask: "me" })), "ask"],
  ["limitResults", async () => limitResults(untyped({ maxResultChar: 5 })), "maxResultChars"],
  ["openToolPins", () => openToolPins(untyped({ polcy: "block-all" })), "policy"],
])(
  "%s refuses an option that it would ignore, and names the one that was meant",
  async (_name, make, meant) => {
    await expect(make()).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining(meant),
    });
  },
);
