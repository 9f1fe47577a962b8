import { randomBytes } from "node:crypto";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { type KeyvTokenVaultOptions, keyvTokenVault } from "../../src/index.ts";
import { SERVER_URL, sampleCredential } from "./sample-credential.ts";

useLeakCheck();

const KEY = randomBytes(32);
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((number) => ({
  ...sampleCredential({ number }),
  loginId: "one",
})) as [
  ReturnType<typeof sampleCredential>,
  ReturnType<typeof sampleCredential>,
  ReturnType<typeof sampleCredential>,
];

/** A store that somebody else can read and write, and the vault of one user in it. */
function openVault({
  store = new Map<string, unknown>(),
  log,
}: { store?: Map<string, unknown> } & Pick<KeyvTokenVaultOptions, "log"> = {}) {
  const vault = keyvTokenVault(store, { key: KEY, log });
  return {
    store,
    vault,
    ann: vault.forPrincipal?.("ann") ?? vault,
    bob: vault.forPrincipal?.("bob") ?? vault,
  };
}

const dump = (store: Map<string, unknown>) => JSON.stringify([...store]);
/** The entry of the one login in the store. */
function loginIn(store: Map<string, unknown>, before: ReadonlySet<string> = new Set()) {
  return [...store].filter(([name]) => !before.has(name)) as [string, { text: string }][];
}

describe("in a store that somebody else", () => {
  it("reads, no token, secret, user or server is to be found", async () => {
    const { store, ann } = openVault();
    await ann.write(FIRST);
    await ann.notes?.put("state-of-ann", "verifier-of-ann", 60_000);
    expect(store.size).toBeGreaterThan(2);
    expect(dump(store)).not.toMatch(/access|refresh|secret|ann|server\.example|verifier/i);
  });

  it("writes, a changed login is not used, and a new one takes its place", async () => {
    const warnings: string[] = [];
    const { store, ann } = openVault({
      log: (_level, message) => void warnings.push(message),
    });
    await ann.write(FIRST);
    for (const [name, kept] of loginIn(store)) {
      const { text } = kept;
      store.set(name, { ...kept, text: `${text.slice(0, -3)}${text.endsWith("AAA") ? "BBB" : "AAA"}` });
    }
    expect(await ann.forServer(SERVER_URL)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining("Log in again")]);
    await ann.write(SECOND);
    expect(await ann.forServer(SERVER_URL)).toEqual(SECOND);
  });

  it("writes, nobody gets the login of another user, server or namespace", async () => {
    const { store, ann, bob } = openVault();
    await ann.write(FIRST);
    const [anns] = loginIn(store);
    const known = new Set(store.keys());
    await bob.write(SECOND);
    for (const [name] of loginIn(store, known)) store.set(name, anns?.[1]);
    expect(await bob.forServer(SERVER_URL)).toBeUndefined();
    const other = "https://other.example/mcp";
    const before = new Set(store.keys());
    await ann.write({ ...sampleCredential({ serverUrl: other }) });
    for (const [name] of loginIn(store, before)) store.set(name, anns?.[1]);
    expect(await ann.forServer(other)).toBeUndefined();
    const apart = keyvTokenVault(store, { key: KEY, namespace: "apart" }).forPrincipal?.("ann");
    for (const [name, kept] of [...store]) store.set(name.replace(/^[^:]*/, "apart"), kept);
    expect(await apart?.forServer(SERVER_URL)).toBeUndefined();
  });

  it("writes, an older login that is put back is noticed by whoever saw the newer one", async () => {
    const { store, ann } = openVault();
    await ann.write(FIRST);
    const old = [...store];
    await ann.write(SECOND, FIRST);
    for (const [name, kept] of old) store.set(name, kept);
    expect(await ann.forServer(SERVER_URL)).toBeUndefined();
  });
});

describe("a key", () => {
  it("that was replaced opens what it has sealed, and seals nothing any more", async () => {
    const next = randomBytes(32);
    const { store, ann } = openVault();
    await ann.write(FIRST);
    const both = keyvTokenVault(store, { key: [next, KEY] }).forPrincipal?.("ann");
    expect(await both?.forServer(SERVER_URL)).toEqual(FIRST);
    await both?.write(SECOND, FIRST);
    const only = keyvTokenVault(store, { key: next }).forPrincipal?.("ann");
    expect(await only?.forServer(SERVER_URL)).toEqual(SECOND);
  });

  it("that a machine lacks is an error, so that no login is asked for and overwritten", async () => {
    const { store, ann } = openVault();
    await ann.write(FIRST);
    const stranger = keyvTokenVault(store, { key: randomBytes(32) }).forPrincipal?.("ann");
    await expect(stranger?.forServer(SERVER_URL)).rejects.toMatchObject({ code: "MCP_STORAGE_FAILED" });
    await expect(stranger?.write(SECOND)).rejects.toThrow("same list of keys");
    expect(await ann.forServer(SERVER_URL)).toEqual(FIRST);
  });

  it.each([
    ["short", randomBytes(31)],
    ["missing", []],
    ["a text", "0123456789abcdef0123456789abcdef" as never],
  ])("that is %s is refused", (_, key) => {
    expect(() => keyvTokenVault(new Map(), { key })).toThrow("at least 32 bytes");
  });

  it("is refused with a store that cannot compare and replace", () => {
    const store = { get: async () => undefined, set: async () => undefined };
    expect(() => keyvTokenVault(store, { key: KEY })).toThrow("@keyv/redis");
  });
});

describe("a refresh token", () => {
  const { signal } = new AbortController();

  it("[T40] that was claimed is nobody else's to send, until its holder gives it back or stores the next one", async () => {
    const { ann, store } = openVault();
    const elsewhere = openVault({ store }).ann;
    await ann.write(FIRST);
    await ann.exclusively(
      SERVER_URL,
      async () => {
        expect(await ann.claim?.(FIRST)).toBe(true);
        expect(await ann.claim?.(FIRST)).toBe(true);
        await ann.unclaim?.(FIRST);
        expect(await ann.claim?.(FIRST)).toBe(true);
        expect(await ann.write(SECOND, FIRST)).toBe(true);
      },
      signal,
    );
    await elsewhere.exclusively(
      SERVER_URL,
      async () => {
        expect(await elsewhere.claim?.(FIRST)).toBe(false);
        expect(await elsewhere.claim?.(SECOND)).toBe(true);
        expect(await elsewhere.write(THIRD, SECOND)).toBe(true);
      },
      signal,
    );
    expect(await ann.write(SECOND, FIRST)).toBe(false);
    expect(await ann.forServer(SERVER_URL)).toEqual(THIRD);
  });

  it("[T40] cannot be claimed by a machine that has lost its lease without knowing", async () => {
    const { ann, store } = openVault();
    await ann.write(FIRST);
    await ann.exclusively(
      SERVER_URL,
      async () => {
        for (const name of [...store.keys()].filter((each) => each.endsWith(":lease"))) store.delete(name);
        expect(await ann.claim?.(FIRST)).toBe(false);
      },
      signal,
    );
  });
});
