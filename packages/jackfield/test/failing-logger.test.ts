import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { openMcp } from "../src/index.ts";
import { createSecrecy } from "../src/secrecy.ts";

useLeakCheck();

it("a logger that rejects disturbs nobody", async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", hear);
  let lines = 0;
  try {
    const mcp = await openMcp({
      servers: { s: { command: "jackfield-test-no-such-command" } },
      discover: false,
      cache: false,
      retry: { maxRetries: 0 },
      log: async () => {
        lines += 1;
        throw new Error("disk full");
      },
    });
    expect(mcp.report.failed).toHaveLength(1);
    await mcp.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off("unhandledRejection", hear);
  }
  expect(lines).toBeGreaterThan(0);
  expect(unhandled).toEqual([]);
});

it("a logger that throws disturbs nobody, not only where the manager tells it something", () => {
  const { log } = createSecrecy(() => {
    throw new Error("disk full");
  });
  expect(() => log("warn", "something")).not.toThrow();
});
