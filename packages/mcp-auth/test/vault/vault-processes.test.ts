import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFileVault } from "../../src/vault/file-vault.ts";
import type { RefreshManner, RefreshMessage } from "./fixtures/vault-process.ts";
import { SERVER_URL, sampleCredential } from "./sample-credential.ts";
import {
  endProcess,
  nextMessage,
  startProcessForTest,
  startVaultProcess,
  temporaryDirectory,
} from "./vault-process.ts";

useLeakCheck();

const PROCESSES = 12;

/** Redeems each refresh token once, for the next one. A replayed token gets nothing. */
class RotatingServer {
  rotations = 0;
  replays = 0;

  redeem(refreshToken: string): number | undefined {
    if (refreshToken !== `refresh-${this.rotations}`) {
      this.replays += 1;
      return undefined;
    }
    this.rotations += 1;
    return this.rotations;
  }
}

/** Lets each process refresh once, at the same time as the others, and returns what they report. */
async function refreshAll(children: readonly ChildProcess[], manner: RefreshManner, server: RotatingServer) {
  const refresh = async (child: ChildProcess) => {
    child.send({ manner });
    for (;;) {
      const said = (await nextMessage(child)) as RefreshMessage;
      if ("report" in said) return said.report;
      child.send({ granted: server.redeem(said.redeem) });
    }
  };
  return Promise.all(children.map(refresh));
}

describe("twelve processes", () => {
  let directory = "";
  let children: readonly ChildProcess[] = [];
  const server = new RotatingServer();

  // They start as fast as the machine lets them, which is no part of what is tested.
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "jackfield-vault-"));
    await createFileVault({ directory }).write(sampleCredential({ number: 0 }));
    children = Array.from({ length: PROCESSES }, () => startVaultProcess(directory, "refresh"));
    await Promise.all(children.map(nextMessage));
  });
  afterAll(async () => {
    await Promise.all(children.map(endProcess));
    rmSync(directory, { recursive: true, force: true });
  });

  test("[T40] that find the same old token redeem it once and all use the new one", async () => {
    const reports = await refreshAll(children, "if-old", server);
    expect([server.rotations, server.replays]).toEqual([1, 0]);
    expect(reports.filter(({ hasRedeemed }) => hasRedeemed)).toHaveLength(1);
    expect(reports.map(({ token }) => token)).toEqual(reports.map(() => "access-1-"));
  });

  test.each([1, 2])(
    "[T40] that all rotate the token each get a turn and lose no rotation: round %i",
    async () => {
      const before = server.rotations;
      const reports = await refreshAll(children, "always", server);
      expect([server.rotations, server.replays]).toEqual([before + PROCESSES, 0]);
      expect(reports.every(({ hasRedeemed }) => hasRedeemed)).toBe(true);
      const last = await createFileVault({ directory }).forServer(SERVER_URL);
      expect(last?.tokens.refresh_token).toBe(`refresh-${server.rotations}`);
    },
  );
});

test("[T40] a killed process releases its lock", async () => {
  const directory = temporaryDirectory();
  const child = startProcessForTest(directory, "hold");
  await nextMessage(child);
  const vault = createFileVault({ directory });
  let isKilled = false;
  const turn = vault.exclusively(SERVER_URL, async () => isKilled, new AbortController().signal);
  await vault.write(sampleCredential()); // takes longer than many attempts at the lock, and is not hindered by it
  isKilled = true;
  await endProcess(child);
  expect(await turn).toBe(true);
});

test("[T40] a process keeps its lock after another one has waited and given up", async () => {
  const directory = temporaryDirectory();
  const child = startProcessForTest(directory, "hold");
  await nextMessage(child);
  const vault = createFileVault({ directory });
  const giveUp = new AbortController();
  const turn = vault.exclusively(SERVER_URL, async () => "taken", giveUp.signal);
  await vault.write(sampleCredential());
  giveUp.abort();
  await expect(turn).rejects.toMatchObject({ code: "MCP_ABORTED" });
  let isReleased = false;
  const next = vault.exclusively(SERVER_URL, async () => isReleased, new AbortController().signal);
  await vault.write(sampleCredential());
  isReleased = true;
  child.send("release");
  expect(await next).toBe(true);
});

test("[T40] a second vault in one process neither takes nor releases the first one's lock", async () => {
  const directory = temporaryDirectory();
  const [first, second] = [createFileVault({ directory }), createFileVault({ directory })];
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const held = first.exclusively(
    SERVER_URL,
    async () => {
      begun.resolve();
      await release.promise;
    },
    new AbortController().signal,
  );
  await begun.promise;
  const giveUp = new AbortController();
  const refused = second.exclusively(SERVER_URL, async () => "taken", giveUp.signal);
  const child = startProcessForTest(directory, "wait");
  expect(await nextMessage(child)).toBe("waits");
  giveUp.abort();
  await expect(refused).rejects.toMatchObject({ code: "MCP_ABORTED" });
  const other = startProcessForTest(directory, "wait");
  expect(await nextMessage(other)).toBe("waits"); // the wait that has ended did not release the lock either
  release.resolve();
  expect(await Promise.all([held, nextMessage(child), nextMessage(other)])).toEqual([
    undefined,
    "held",
    "held",
  ]);
});

test("[T40] a waiting process gets the lock although another one keeps asking for it", async () => {
  const directory = temporaryDirectory();
  const child = startProcessForTest(directory, "wait");
  const vault = createFileVault({ directory });
  let hasChildHeld = false;
  const childHeld = nextMessage(child).then(async (first) => {
    if (first === "waits") await nextMessage(child);
    hasChildHeld = true;
  });
  // This process always has a waiting caller; without a pause it would hand the lock from one to the next of its own.
  const keepLocking = async () => {
    for (let turn = 0; turn < 1_000 && !hasChildHeld; turn += 1)
      await vault.exclusively(SERVER_URL, async () => {}, new AbortController().signal);
  };
  await Promise.all([keepLocking(), keepLocking()]);
  expect(hasChildHeld).toBe(true);
  await childHeld;
});

test.each([1, 2, 5, 20])(
  "[T41] a process killed while writing, after %i writes, leaves a complete credential",
  async (writes) => {
    const directory = temporaryDirectory();
    const vault = createFileVault({ directory });
    const child = startProcessForTest(directory, "rewrite");
    let reported = 0;
    child.on("message", (number: number) => {
      reported = number;
    });
    const exited = once(child, "exit");
    while (reported < writes) {
      await nextMessage(child);
      const found = await vault.forServer(SERVER_URL);
      expect(found?.tokens.access_token).toBe(`access-${found?.obtainedAt}-${"x".repeat(900_000)}`);
    }
    child.kill("SIGKILL");
    await exited;
    expect((await vault.forServer(SERVER_URL))?.obtainedAt).toBeGreaterThanOrEqual(reported);
    await vault.write(sampleCredential({ number: 1_000 }));
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 1_000 }));
    expect(readdirSync(directory).filter((name) => /draft|unusable/.test(name))).toEqual([]);
  },
);
