import type { Diagnostic } from "@jackfield/mcp-core";
import { createMcpManager } from "@jackfield/mcp-manager";
import { createFakeConnector, passThroughResolver } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { joinManager } from "../src/joined-source.ts";

/** A joined manager without servers, and how many listeners of diagnostics were added and removed. */
function joined() {
  const { connect } = createFakeConnector();
  const manager = createMcpManager({ servers: [], connect, resolve: passThroughResolver });
  const counts = { added: 0, removed: 0 };
  const listeners = new Set<(diagnostic: Diagnostic) => void>();
  const source = joinManager(manager, {
    entries: () => [],
    diagnosticFeed: {
      on(listener) {
        counts.added += 1;
        listeners.add(listener);
        return () => {
          counts.removed += 1;
          listeners.delete(listener);
        };
      },
    },
    hideIn: (error) => error,
    log: () => {},
  });
  return { source, counts, listeners };
}

it("listeners of a view that come and go leave nothing behind", async () => {
  const { source, counts, listeners } = joined();
  const view = source.view({});
  const nested = view.view({});
  for (let time = 0; time < 10_000; time += 1) {
    view.on("diagnostic", () => {})();
    nested.on("diagnostic", () => {})();
  }
  expect(listeners.size).toBe(0);
  await nested.close();
  await view.close();
  // A view that remembers them would remove them once more when it closes.
  expect(counts).toEqual({ added: 20_000, removed: 20_000 });
  await source.close();
});

it("closing a view removes the listeners it still has, once", async () => {
  const { source, counts, listeners } = joined();
  const view = source.view({});
  const stops = Array.from({ length: 100 }, () => view.on("diagnostic", () => {}));
  await view.close();
  expect(listeners.size).toBe(0);
  expect(counts.removed).toBe(100);
  await view.close();
  expect(counts.removed).toBe(100);
  for (const stop of stops) stop();
  expect(listeners.size).toBe(0);
  await source.close();
});
