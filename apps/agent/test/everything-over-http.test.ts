import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openMcp } from "jackfield";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { demoServers } from "../src/demo-servers.ts";
import { startEverythingOverHttp } from "../src/everything-over-http.ts";

const LONG_MS = 60_000;

let temporary: string;
let home: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "http-test-"));
  home = await mkdtemp(join(tmpdir(), "http-home-"));
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("JACKFIELD_HOME", home);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const folder of [temporary, home]) await rm(folder, { recursive: true });
});

/** Whether a server listens there. */
function answers(target: { port: number; host: string } | { path: string }): Promise<boolean> {
  const socket = connect(target);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).then((answered) => {
    socket.destroy();
    return answered === true;
  });
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

describe("server-everything over Streamable HTTP", () => {
  it("answers, does not see our environment, and stops at close", { timeout: LONG_MS }, async () => {
    vi.stubEnv("A_SECRET", "do-not-tell");
    const http = await startEverythingOverHttp({ preferredPort: 0 });
    const { "everything-http": entry } = demoServers({ folder: temporary, everythingUrl: http.url });
    if (entry === undefined) throw new Error("The demo has no such server.");
    const runtime = await openMcp({ servers: { "everything-http": entry }, discover: false, cache: false });
    const shown = await runtime.callTool("mcp__everything-http__get-env");
    expect(JSON.stringify(shown)).toContain("PORT");
    expect(JSON.stringify(shown)).not.toContain("do-not-tell");
    await runtime.close();
    await Promise.all([http.close(), http.close()]);
    expect(await answers({ port: portOf(http.url), host: "127.0.0.1" })).toBe(false);
    expect(await readdir(temporary)).toEqual([]);
  });

  it("is reachable from this machine only", { timeout: LONG_MS }, async () => {
    const http = await startEverythingOverHttp({ preferredPort: 0 });
    const port = portOf(http.url);
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, scopeid }) => !internal && !scopeid)
      .map(({ address }) => address);
    expect(await answers({ port, host: "127.0.0.1" })).toBe(true);
    // A server that listens on every interface answers on 127.0.0.2 as well.
    for (const host of ["127.0.0.2", "::1", ...others]) expect(await answers({ port, host })).toBe(false);
    await http.close();
  });

  it("uses the preferred port, or another one if that is in use", { timeout: LONG_MS }, async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const address = blocker.address();
    if (address === null || typeof address === "string") throw new Error("No port.");
    const other = await startEverythingOverHttp({ preferredPort: address.port });
    await other.close();
    blocker.close();
    await once(blocker, "close");
    const wanted = await startEverythingOverHttp({ preferredPort: address.port });
    await wanted.close();
    expect(portOf(other.url)).not.toBe(address.port);
    expect(portOf(wanted.url)).toBe(address.port);
  });

  it("rejects when aborted, and leaves no files", async () => {
    const started = startEverythingOverHttp({ signal: AbortSignal.abort(new Error("too late")) });
    await expect(started).rejects.toThrow("server-everything did not start");
    expect(await readdir(temporary)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "ends when the program that started it is killed",
    { timeout: LONG_MS },
    async () => {
      const module = new URL("../src/everything-over-http.ts", import.meta.url).href;
      const script = `const { startEverythingOverHttp } = await import(${JSON.stringify(module)});
        console.log((await startEverythingOverHttp({ preferredPort: 0 })).url);`;
      const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(createInterface({ input: parent.stdout }), "line");
      const [folder = ""] = await readdir(temporary);
      const path = join(temporary, folder, "mcp.sock");
      expect(await answers({ path })).toBe(true);
      parent.kill("SIGKILL");
      await once(parent, "exit");
      await vi.waitFor(async () => expect(await answers({ path })).toBe(false), { timeout: LONG_MS });
    },
  );
});
