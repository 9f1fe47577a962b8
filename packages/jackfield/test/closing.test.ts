import { expect, it, vi } from "vitest";
import { createMcp } from "../src/mcp.ts";

it("frees what was opened for the manager also where that cannot be closed", async () => {
  const release = vi.fn(async () => {});
  const manager = { close: () => Promise.reject(new Error("stuck")) };
  const merged = { problems: [], diagnostics: [], blocked: [] };
  const configuration = { merged, broken: () => [], waiting: () => [] };
  const opening = { started: { failed: [] }, configuration, leftovers: [], secrecy: {} };
  const mcp = createMcp(manager as never, opening as never, release);
  await expect(mcp.close()).rejects.toThrow("stuck");
  expect(release).toHaveBeenCalledOnce();
});
