import { describe, expect, test } from "vitest";
import { startHost, stubborn, stubbornOutside, telling } from "../host-process.ts";
import { gone, isRunning } from "../processes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

describe.each([
  ["in the server's session", stubborn],
  ["in a session of its own", stubbornOutside],
])("[R05] when the host ends, no server outlives it, nor a child %s", (_, script) => {
  test.each(SIGNALS)("on %s, by which the host still dies", async (signal) => {
    const { host, pids, ended } = await startHost("stay", { script });
    host.kill(signal);
    expect(await ended()).toEqual([null, signal]);
    await gone(...pids);
  });

  test("on SIGTERM that the host handles, with its exit code", async () => {
    const { host, pids, ended } = await startHost("handle-sigterm", { script });
    host.kill("SIGTERM");
    expect(await ended()).toEqual([7, null]);
    await gone(...pids);
  });

  test("on an exit", async () => {
    const { pids, ended } = await startHost("exit", { script });
    expect(await ended()).toEqual([3, null]);
    await gone(...pids);
  });

  test("on an exit that the host has a hook for", async () => {
    const { pids, nextLine, ended } = await startHost("exit-hook", { script });
    expect(await nextLine()).toBe("bye 5");
    expect(await ended()).toEqual([5, null]);
    await gone(...pids);
  });

  test("on an error that nobody catches", async () => {
    const { pids, ended } = await startHost("throw", { script });
    expect(await ended()).toEqual([1, null]);
    await gone(...pids);
  });

  test("on an error that the host catches to exit by itself", async () => {
    const { pids, nextLine, ended } = await startHost("throw-caught", { script });
    expect(await nextLine()).toBe("caught the host's own fault");
    expect(await ended()).toEqual([9, null]);
    await gone(...pids);
  });

  test("on a rejection that nobody handles", async () => {
    const { pids, ended } = await startHost("reject", { script });
    expect(await ended()).toEqual([1, null]);
    await gone(...pids);
  });
});

describe("[R05] whichever way a host ends", () => {
  test("on SIGINT with several connectors in one process", async () => {
    const { host, pids, ended } = await startHost("stay", { servers: 2 });
    host.kill("SIGINT");
    expect(await ended()).toEqual([null, "SIGINT"]);
    expect(pids).toHaveLength(4);
    await gone(...pids);
  });

  test("a host that survives an error keeps its servers", async () => {
    const { host, pids, nextLine, ended } = await startHost("throw-survived");
    expect(await nextLine()).toBe("survived");
    expect(pids.every(isRunning)).toBe(true);
    host.kill("SIGTERM");
    expect(await ended()).toEqual([null, "SIGTERM"]);
    await gone(...pids);
  });

  describe("a host that handles a signal itself", () => {
    test.each(["before", "after"])(
      "%s it connected decides alone what it means, and its servers still answer",
      async (when) => {
        const { host, pids, nextLine, ended } = await startHost(`handle-${when}`, { script: telling });
        host.kill("SIGINT");
        expect(await nextLine()).toBe("handled {}");
        expect(await ended()).toEqual([0, null]);
        await gone(...pids);
      },
    );

    test("through a library that yields like we do dies as it should", async () => {
      const { host, pids, nextLine, ended } = await startHost("yield", { script: telling });
      host.kill("SIGINT");
      expect(await nextLine()).toBe("library");
      expect(await ended()).toEqual([null, "SIGINT"]);
      await gone(...pids);
    });
  });

  test("a dozen connectors have one listener for each", async () => {
    const { host, pids, nextLine, ended } = await startHost("count", { script: telling, servers: 12 });
    expect(await nextLine()).toBe("listeners 1,1,1,1");
    expect(await nextLine()).toBe("warnings 0");
    host.kill("SIGTERM");
    expect(await ended()).toEqual([null, "SIGTERM"]);
    await gone(...pids);
  });

  test("a host that closed its sessions ends by itself, without a listener of ours", async () => {
    const { pids, nextLine, ended } = await startHost("close", { script: telling });
    expect(await nextLine()).toBe("listeners 0,0,0,0");
    expect(await ended()).toEqual([0, null]);
    await gone(...pids);
  });
});
