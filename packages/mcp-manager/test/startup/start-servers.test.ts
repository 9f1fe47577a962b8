import { passThroughResolver } from "@jackfield/test-kit";
import { expect, it, vi } from "vitest";
import { resolveOptions } from "../../src/options.ts";
import { startAllOrNone, startServers } from "../../src/startup.ts";
import { createFixture } from "../manager-fixture.ts";

it.each([startServers, startAllOrNone])("%o leaves no listener on the signal of the run", async (start) => {
  const { signal } = new AbortController();
  const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
  const { connect } = createFixture([]).connector;
  await start([], resolveOptions({ servers: [], connect, resolve: passThroughResolver }), signal);
  const listeners = (calls: readonly unknown[][]) => calls.map(([, listener]) => listener);
  expect(added).toHaveBeenCalled();
  expect(listeners(removed.mock.calls)).toEqual(listeners(added.mock.calls));
});
