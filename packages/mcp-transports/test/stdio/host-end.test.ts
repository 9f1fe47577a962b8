import { describe, expect, test } from "vitest";
import { startHost, stubborn, stubbornOutside, telling } from "../host-process.ts";
import { gone, isRunning } from "../processes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

describe.each([
  ["in the server's session", stubborn],
  ["in a session of its own", stubbornOutside],
])("[R05] a server with a child %s ends together with the host", (_, script) => {
  test.each(SIGNALS)("on %s, which still kills the host", async (signal) => {
    const { host, pids, ended } = await startHost("stay", { script });
    host.kill(signal);
    expect(await ended()).toEqual([null, signal]);
    await gone(...pids);
  });

  test("on a SIGTERM that the host handles by exiting with its own code", async () => {
    const { host, pids, ended } = await startHost("handle-sigterm", { script });
    host.kill("SIGTERM");
    expect(await ended()).toEqual([7, null]);
    await gone(...pids);
  });

  test("on process.exit()", async () => {
    const { pids, ended } = await startHost("exit", { script });
    expect(await ended()).toEqual([3, null]);
    await gone(...pids);
  });

  test("on process.exit() when the host has an exit listener", async () => {
    const { pids, nextLine, ended } = await startHost("exit-hook", { script });
    expect(await nextLine()).toBe("bye 5");
    expect(await ended()).toEqual([5, null]);
    await gone(...pids);
  });

  test("on an uncaught error", async () => {
    const { pids, ended } = await startHost("throw", { script });
    expect(await ended()).toEqual([1, null]);
    await gone(...pids);
  });

  test("on an uncaught error whose handler in the host exits", async () => {
    const { pids, nextLine, ended } = await startHost("throw-caught", { script });
    expect(await nextLine()).toBe("caught the host's own fault");
    expect(await ended()).toEqual([9, null]);
    await gone(...pids);
  });

  test("on an unhandled rejection", async () => {
    const { pids, ended } = await startHost("reject", { script });
    expect(await ended()).toEqual([1, null]);
    await gone(...pids);
  });
});

describe("[R05] a host and its servers", () => {
  test("SIGINT ends the servers of all connectors in one process", async () => {
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
      "can still use its servers in the handler (added %s connecting)",
      async (when) => {
        const { host, pids, nextLine, ended } = await startHost(`handle-${when}`, { script: telling });
        host.kill("SIGINT");
        expect(await nextLine()).toBe("handled {}");
        expect(await ended()).toEqual([0, null]);
        await gone(...pids);
      },
    );

    test("dies of the signal if a library like signal-exit handles it", async () => {
      const { host, pids, nextLine, ended } = await startHost("yield", { script: telling });
      host.kill("SIGINT");
      expect(await nextLine()).toBe("library");
      expect(await ended()).toEqual([null, "SIGINT"]);
      await gone(...pids);
    });
  });

  test("twelve connectors share one listener per event", async () => {
    const { host, pids, nextLine, ended } = await startHost("count", { script: telling, servers: 12 });
    expect(await nextLine()).toBe("listeners 1,1,1,1");
    expect(await nextLine()).toBe("warnings 0");
    host.kill("SIGTERM");
    expect(await ended()).toEqual([null, "SIGTERM"]);
    await gone(...pids);
  });

  test("a host that closed its sessions has no listeners left and exits by itself", async () => {
    const { pids, nextLine, ended } = await startHost("close", { script: telling });
    expect(await nextLine()).toBe("listeners 0,0,0,0");
    expect(await ended()).toEqual([0, null]);
    await gone(...pids);
  });
});
