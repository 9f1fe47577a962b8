import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { openMcp } from "../src/index.ts";

useLeakCheck();

it("a logger that rejects causes no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const collect = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", collect);
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
    process.off("unhandledRejection", collect);
  }
  expect(lines).toBeGreaterThan(0);
  expect(unhandled).toEqual([]);
});
