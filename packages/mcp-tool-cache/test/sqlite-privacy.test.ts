import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleEntry, sampleId, temporaryDirectory } from "./catalog-samples.ts";
import { openCache } from "./open-cache.ts";

const id = sampleId("files");

function modes(directory: string): { [name: string]: number } {
  const names = readdirSync(directory);
  return Object.fromEntries(names.map((name) => [name, statSync(join(directory, name)).mode & 0o777]));
}

describe.runIf(process.platform !== "win32")("file permissions", () => {
  test("the directory is 0700 and every file in it 0600, whatever the umask is", async () => {
    const before = process.umask(0);
    try {
      const directory = join(temporaryDirectory(), "a", "b");
      const { cache } = openCache(directory);
      await cache.set(id, sampleEntry());
      expect(modes(directory)).toEqual({
        "catalog.sqlite": 0o600,
        "catalog.sqlite-shm": 0o600,
        "catalog.sqlite-wal": 0o600,
        "identity.key": 0o600,
      });
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      expect(statSync(join(directory, "..")).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  test("catalog files that others could read become 0600", async () => {
    const directory = temporaryDirectory();
    const first = openCache(directory);
    await first.cache.set(id, sampleEntry());
    const files = readdirSync(directory).filter((name) => name.startsWith("catalog"));
    for (const name of files) chmodSync(join(directory, name), 0o644);
    const { cache } = openCache(directory);
    expect((await cache.getMany([id])).size).toBe(1);
    expect(new Set(Object.values(modes(directory)))).toEqual(new Set([0o600]));
  });

  test("an existing directory keeps its mode", async () => {
    const directory = join(temporaryDirectory(), "mine");
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    await openCache(directory).cache.set(id, sampleEntry());
    expect(statSync(directory).mode & 0o777).toBe(0o755);
  });

  test("files written by a repair are 0600 too", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "catalog.sqlite"), "garbage", { mode: 0o644 });
    await openCache(directory).cache.set(id, sampleEntry());
    expect(new Set(Object.values(modes(directory)))).toEqual(new Set([0o600]));
  });
});

const SECRETS = Array.from({ length: 50 }, (_, index) => `sk-planted-${index}-4f9a1c`);

test("[T80] no secret, address or argument is written to disk", async () => {
  const { cache, directory } = openCache();
  const open = [
    "planted.example",
    "--planted-argument",
    "planted-command",
    "/planted/directory",
    "planted-principal",
    "PLANTED_VARIABLE",
    "planted-value",
  ];
  const url = `https://planted.example/mcp?key=${SECRETS[0]}`;
  const headers = SECRETS.slice(0, 20).map((secret, index) => [`X-Header-${index}`, `Bearer ${secret}`]);
  const variables = SECRETS.slice(20, 40).map((secret, index) => [`PLANTED_VARIABLE_${index}`, secret]);
  const remote = await cache.identify(
    {
      name: "api",
      transport: "http",
      url,
      headers: { ...Object.fromEntries(headers), "X-Plain": "planted-value" },
      secrets: SECRETS.slice(0, 20),
    },
    { principal: "planted-principal" },
  );
  const local = await cache.identify({
    name: "local",
    transport: "stdio",
    command: "planted-command",
    args: ["--planted-argument", ...SECRETS.slice(40)],
    cwd: "/planted/directory",
    env: { ...Object.fromEntries(variables), PLANTED_VARIABLE: "planted-value" },
    secrets: SECRETS.slice(20),
  });
  await cache.set(remote.id, sampleEntry({ credentials: remote.credentials, server: "api" }));
  await cache.set(local.id, sampleEntry({ credentials: local.credentials, server: "local" }));

  const whileOpen = everyByteOf(directory);
  expect(whileOpen).toContain("Does read.");
  await cache.close();
  const written = whileOpen + everyByteOf(directory);
  for (const value of [...SECRETS, ...open]) {
    for (const encoding of ["utf8", "base64", "hex"] as const) {
      const spelled = Buffer.from(value).toString(encoding).replace(/=+$/, "");
      expect(written.includes(spelled), `${value} as ${encoding}`).toBe(false);
    }
  }
});

function everyByteOf(directory: string): string {
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), "latin1"))
    .join("\n");
}
