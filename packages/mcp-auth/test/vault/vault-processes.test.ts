import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { useLeakCheck } from "@jackfield/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { createFileVault } from "../../src/vault/file-vault.ts";
import { SERVER_URL, sampleCredential } from "./sample-credential.ts";
import { endProcess, startVaultProcess, temporaryDirectory } from "./vault-process.ts";

useLeakCheck();

const PROCESSES = 12;

/** Takes each refresh token once and gives the next one for it. Who brings an old one is refused, as the whole family would be. */
async function startRotatingServer() {
  let current = 0;
  let replays = 0;
  const server = createServer(async (request, response) => {
    const token = Buffer.concat(await request.toArray()).toString();
    if (token !== `refresh-${current}`) {
      replays += 1;
      response.writeHead(400).end("invalid_grant");
      return;
    }
    current += 1;
    response.end(String(current));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, rotations: () => current, replays: () => replays };
}

/** Starts as many processes that refresh as there are, lets them go at once, and returns what each says at its end. */
async function refreshInProcesses(directory: string, ...rest: readonly string[]) {
  const children = Array.from({ length: PROCESSES }, () => startVaultProcess(directory, "refresh", ...rest));
  await Promise.all(children.map((child) => once(child, "message")));
  const ends = children.map((child) => once(child, "message"));
  for (const child of children) child.send("go");
  return (await Promise.all(ends)).map(([end]) => end as { redeemed: number; token: string });
}

test("[T40] of twelve processes that find the same old token one redeems it, and all go on with what it got", async () => {
  const directory = temporaryDirectory();
  const server = await startRotatingServer();
  await createFileVault({ directory }).write(sampleCredential({ number: 0 }));
  const ends = await refreshInProcesses(directory, server.url, "1", "share");
  expect(server.rotations()).toBe(1);
  expect(server.replays()).toBe(0);
  expect(ends.reduce((sum, { redeemed }) => sum + redeemed, 0)).toBe(1);
  expect(ends.map(({ token }) => token)).toEqual(ends.map(() => "access-1-"));
});

test("[T40] twelve processes that all rotate lose no rotation, and every one has its turn", async () => {
  const directory = temporaryDirectory();
  const server = await startRotatingServer();
  await createFileVault({ directory }).write(sampleCredential({ number: 0 }));
  const ends = await refreshInProcesses(directory, server.url, "5");
  expect(ends.map(({ redeemed }) => redeemed)).toEqual(ends.map(() => 5));
  expect([server.rotations(), server.replays()]).toEqual([PROCESSES * 5, 0]);
  const last = await createFileVault({ directory }).forServer(SERVER_URL);
  expect(last?.tokens.refresh_token).toBe(`refresh-${PROCESSES * 5}`);
});

test("[T40] a process that is killed in its turn does not keep it", async () => {
  const directory = temporaryDirectory();
  const child = startVaultProcess(directory, "hold");
  await once(child, "message");
  const vault = createFileVault({ directory });
  let isKilled = false;
  const turn = vault.exclusively(SERVER_URL, async () => isKilled, new AbortController().signal);
  isKilled = true;
  await endProcess(child);
  expect(await turn).toBe(true);
});

test("[T40] a process that holds its turn keeps it, also if another in between has looked and given up", async () => {
  const directory = temporaryDirectory();
  const child = startVaultProcess(directory, "hold");
  await once(child, "message");
  const vault = createFileVault({ directory });
  const giveUp = new AbortController();
  const turn = vault.exclusively(SERVER_URL, async () => "taken", giveUp.signal);
  await vault.write(sampleCredential()); // takes longer than many attempts at the lock, and is not hindered by it
  giveUp.abort();
  await expect(turn).rejects.toMatchObject({ code: "MCP_ABORTED" });
  const next = vault.exclusively(SERVER_URL, async () => child.exitCode, new AbortController().signal);
  const exited = once(child, "exit");
  child.send("release");
  await exited;
  expect(await next).toBe(0);
});

test("[T40] two vaults of one process do not take a lock from each other, nor for other processes", async () => {
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
  const child = startVaultProcess(directory, "hold");
  let isHeldByChild = false;
  const childHolds = once(child, "message").then(() => {
    isHeldByChild = true;
  });
  for (let write = 0; write < 20; write += 1) await second.write(sampleCredential({ number: write }));
  giveUp.abort();
  await expect(refused).rejects.toMatchObject({ code: "MCP_ABORTED" });
  for (let write = 0; write < 20; write += 1) await second.write(sampleCredential({ number: write }));
  expect(isHeldByChild).toBe(false);
  release.resolve();
  await Promise.all([held, childHolds]);
});

test.each([1, 2, 5, 20, 60])(
  "[T41] a process that is killed while it writes, after %i writes, leaves the old credential or the new one",
  async (writes) => {
    const directory = temporaryDirectory();
    const vault = createFileVault({ directory });
    const child = startVaultProcess(directory, "rewrite");
    let told = 0;
    child.on("message", (number: number) => {
      told = number;
    });
    const exited = once(child, "exit");
    while (told < writes) {
      await once(child, "message");
      const found = await vault.forServer(SERVER_URL);
      expect(found?.tokens.access_token).toBe(`access-${found?.obtainedAt}-${"x".repeat(100_000)}`);
    }
    child.kill("SIGKILL");
    await exited;
    expect((await vault.forServer(SERVER_URL))?.obtainedAt).toBeGreaterThanOrEqual(told);
    await vault.write(sampleCredential({ number: 1_000 }));
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 1_000 }));
    expect(readdirSync(directory).filter((name) => /draft|unusable/.test(name))).toEqual([]);
  },
);
