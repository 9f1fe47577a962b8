import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, test } from "vitest";
import { createFileVault } from "../../src/vault/file-vault.ts";
import { keyvTokenVault } from "../../src/vault/keyv-token-vault.ts";
import { createMemoryVault } from "../../src/vault/memory-vault.ts";
import type { TokenVault } from "../../src/vault/token-vault.ts";
import { SERVER_URL, sampleCredential } from "./sample-credential.ts";
import { SHARED_KEY, sharedStores } from "./shared-vaults.ts";
import { temporaryDirectory } from "./vault-process.ts";

useLeakCheck();

let opened = 0;
const VAULTS: readonly (readonly [where: string, open: () => TokenVault])[] = [
  ["in memory", () => createMemoryVault()],
  ["in files", () => createFileVault({ directory: temporaryDirectory() })],
  ["in a Map that is shared", () => keyvTokenVault(new Map(), { key: SHARED_KEY })],
  ...(await sharedStores()).map(([name, store]) => {
    // Each test has logins of its own.
    const open = () => keyvTokenVault(store, { key: SHARED_KEY, namespace: `${opened++}` });
    return [`in ${name}`, open] as const;
  }),
];

const patient = () => new AbortController().signal;

describe.each(VAULTS)("a vault %s", (_where, openVault) => {
  test("returns the last written credential until it is deleted", async () => {
    const vault = openVault();
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    await vault.write(sampleCredential({ number: 1 }));
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 1 }));
    await vault.write(sampleCredential({ number: 2 }));
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 2 }));
    expect(await vault.delete(SERVER_URL)).toBe(true);
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    expect(await vault.delete(SERVER_URL)).toBe(false);
  });

  test("keeps unknown members of a credential", async () => {
    const vault = openVault();
    const credential = { ...sampleCredential(), discovered: { at: 1 } };
    await vault.write(credential);
    expect(await vault.forServer(SERVER_URL)).toEqual(credential);
  });

  test.each([
    "https://server.example/mcp/",
    "https://server.example/MCP",
    "https://server.example/mcp?tenant=2",
    "https://server.example:8443/mcp",
    "http://server.example/mcp",
    "https://server.example/",
    "https://server.example.evil.example/mcp",
  ])("[T33] returns nothing for another server URL: %s", async (otherUrl) => {
    const vault = openVault();
    await vault.write(sampleCredential());
    expect(await vault.forServer(otherUrl)).toBeUndefined();
    expect(await vault.delete(otherUrl)).toBe(false);
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential());
  });

  test("treats two spellings of a URL as one server", async () => {
    const vault = openVault();
    await vault.write(sampleCredential({ serverUrl: "HTTPS://user:word@Server.Example:443/a/../mcp#part" }));
    expect(await vault.forServer(SERVER_URL)).toMatchObject({ serverUrl: SERVER_URL });
    expect(await vault.list()).toHaveLength(1);
  });

  test.each(["", "server.example/mcp", "file:///mcp", "javascript:1"])(
    "refuses an invalid server URL: '%s'",
    async (serverUrl) => {
      await expect(openVault().forServer(serverUrl)).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
    },
  );

  test("[T40] does not delete a credential that was renewed since it was read", async () => {
    const vault = openVault();
    const seen = sampleCredential({ number: 1 });
    await vault.write(seen);
    await vault.write(sampleCredential({ number: 2 }));
    expect(await vault.delete(SERVER_URL, seen)).toBe(false);
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 2 }));
    expect(await vault.delete(SERVER_URL, sampleCredential({ number: 2 }))).toBe(true);
  });

  test("keeps the logins of users apart", async () => {
    const vault = openVault();
    const [ann, bob] = ["ann", "bob"].map((user) => vault.forPrincipal?.(user)) as [TokenVault, TokenVault];
    await vault.write(sampleCredential({ number: 1 }));
    await ann.write(sampleCredential({ number: 2 }));
    expect(await bob.forServer(SERVER_URL)).toBeUndefined();
    expect(await bob.list()).toEqual([]);
    expect(await bob.delete(SERVER_URL)).toBe(false);
    expect(await ann.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 2 }));
    expect(await ann.delete(SERVER_URL)).toBe(true);
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 1 }));
    expect(await vault.forPrincipal?.("ann").forServer(SERVER_URL)).toBeUndefined();
  });

  test("[T40] replaces a credential only if it is still the expected one", async () => {
    const vault = openVault();
    const [first, second, third] = [1, 2, 3].map((number) => sampleCredential({ number }));
    expect(await vault.write(second as never, first)).toBe(false);
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    await vault.write(first as never);
    expect(await vault.write(second as never, first)).toBe(true);
    expect(await vault.write(third as never, first)).toBe(false);
    expect(await vault.forServer(SERVER_URL)).toEqual(second);
  });

  test("lists its logins without secrets", async () => {
    const vault = openVault();
    expect(await vault.list()).toEqual([]);
    const { refresh_token: _, ...tokens } = sampleCredential().tokens;
    await vault.write(sampleCredential());
    await vault.write({ ...sampleCredential({ serverUrl: "https://another.example/" }), tokens });
    const listed = await vault.list();
    expect(listed).toEqual([
      expect.objectContaining({ serverUrl: "https://another.example/", isRefreshable: false }),
      {
        serverUrl: SERVER_URL,
        issuer: "https://issuer.example",
        resource: SERVER_URL,
        clientId: "client",
        scopes: ["read", "write"],
        obtainedAt: 0,
        expiresAt: 3_600_000,
        isRefreshable: true,
      },
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/access-|refresh-0|secret/);
  });

  test("runs exclusive work for one server one at a time, in order", async () => {
    const vault = openVault();
    const events: string[] = [];
    const work = (name: string) =>
      vault.exclusively(
        SERVER_URL,
        async () => {
          events.push(`${name} begins`);
          await new Promise((resolve) => setImmediate(resolve));
          events.push(`${name} ends`);
          return name;
        },
        patient(),
      );
    expect(await Promise.all(["a", "b", "c"].map(work))).toEqual(["a", "b", "c"]);
    expect(events).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  test("runs exclusive work for different servers in parallel", async () => {
    const vault = openVault();
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const hold = () => {
      begun.resolve();
      return release.promise;
    };
    const first = vault.exclusively("https://one.example/", hold, patient());
    await begun.promise;
    // If the first one kept it waiting, it would give up and reject.
    const soon = AbortSignal.timeout(2_000);
    const second = vault.exclusively("https://two.example/", async () => "done", soon);
    await expect(second.finally(release.resolve)).resolves.toBe("done");
    await first;
  });

  test("continues after exclusive work that failed", async () => {
    const vault = openVault();
    const fails = vault.exclusively(SERVER_URL, () => Promise.reject(new Error("no")), patient());
    const succeeds = vault.exclusively(SERVER_URL, async () => "yes", patient());
    await expect(fails).rejects.toThrow("no");
    expect(await succeeds).toBe("yes");
  });

  test("lets a waiting caller give up without letting the next one in early", async () => {
    const vault = openVault();
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let isHeld = true;
    const holder = vault.exclusively(
      SERVER_URL,
      async () => {
        begun.resolve();
        await release.promise;
        isHeld = false;
      },
      patient(),
    );
    await begun.promise;
    const giveUp = new AbortController();
    const waits = vault.exclusively(SERVER_URL, async () => "never", giveUp.signal);
    const behind = vault.exclusively(SERVER_URL, async () => isHeld, patient());
    giveUp.abort();
    await expect(waits).rejects.toMatchObject({ code: "MCP_ABORTED" });
    await expect(vault.exclusively(SERVER_URL, async () => "never", giveUp.signal)).rejects.toMatchObject({
      code: "MCP_ABORTED",
    });
    release.resolve();
    expect(await behind).toBe(false);
    await holder;
  });
});
