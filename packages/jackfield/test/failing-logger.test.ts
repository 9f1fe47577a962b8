import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";

useLeakCheck();

it.each([
  ["rejects", async () => Promise.reject(new Error("disk full"))],
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
])("a logger that %s disturbs nobody", async (_what, fail) => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", hear);
  const log = vi.fn(fail);
  try {
    const mcp = await openMcp({
      servers: { s: { command: "jackfield-test-no-such-command" } },
      discover: false,
      cache: false,
      retry: { maxRetries: 0 },
      log,
    });
    expect(mcp.report.failed).toHaveLength(1);
    await mcp.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off("unhandledRejection", hear);
  }
  expect(log).toHaveBeenCalled();
  expect(unhandled).toEqual([]);
});
