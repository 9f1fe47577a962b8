import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Logger } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, test } from "vitest";
import { createFileVault } from "../../src/vault/file-vault.ts";
import { SERVER_URL, sampleCredential } from "./sample-credential.ts";
import { temporaryDirectory, writeFromShell } from "./vault-process.ts";

useLeakCheck();

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

/** A vault that holds one credential, its paths and its warnings. */
async function openFilledVault() {
  const directory = join(temporaryDirectory(), "vault");
  const warnings: string[] = [];
  const log: Logger = (level, message) => warnings.push(`${level}: ${message}`);
  const vault = createFileVault({ directory, log });
  await vault.write(sampleCredential({ number: 1 }));
  const [name = ""] = readdirSync(directory).filter((name) => name.endsWith(".json"));
  return { directory, vault, warnings, file: join(directory, name) };
}

describe.runIf(process.getuid)("access by other users", () => {
  test.each(["umask 000", "umask 022", "umask 077"])(
    "[T41] files get mode 600 and folders 700, after %s",
    async (umask) => {
      const outer = join(temporaryDirectory(), "outer");
      await writeFromShell(umask, join(outer, "vault"));
      const found = readdirSync(outer, { recursive: true, encoding: "utf8" }).map((name) =>
        join(outer, name),
      );
      expect(found.length).toBeGreaterThanOrEqual(3);
      for (const path of [outer, ...found])
        expect(modeOf(path), path).toBe(statSync(path).isDirectory() ? "700" : "600");
    },
  );

  test("[T41] a credential that others can read is made private, with one warning", async () => {
    const { vault, warnings, file } = await openFilledVault();
    chmodSync(file, 0o644);
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 1 }));
    expect(modeOf(file)).toBe("600");
    expect(warnings).toEqual([
      `warn: Other users could read the stored login for ${SERVER_URL}; their access was removed.`,
    ]);
    await vault.forServer(SERVER_URL);
    expect(warnings).toHaveLength(1);
  });

  test.each([0o755, 0o770, 0o777, 0o701])(
    "[T41] a folder that other users may enter is refused: mode %o",
    async (mode) => {
      const { directory, vault } = await openFilledVault();
      chmodSync(directory, mode);
      const refusal = { code: "MCP_STORAGE_FAILED", message: expect.stringContaining("chmod 700") };
      await expect(vault.forServer(SERVER_URL)).rejects.toMatchObject(refusal);
      await expect(vault.write(sampleCredential())).rejects.toMatchObject(refusal);
      await expect(vault.delete(SERVER_URL)).rejects.toMatchObject(refusal);
      await expect(vault.list()).rejects.toMatchObject(refusal);
      const { signal } = new AbortController();
      await expect(vault.exclusively(SERVER_URL, async () => {}, signal)).rejects.toMatchObject(refusal);
      expect(modeOf(directory)).toBe(mode.toString(8));
    },
  );

  test.runIf(process.getuid?.() === 0)("[T41] a folder of another user is refused", async () => {
    const { directory, vault } = await openFilledVault();
    chownSync(directory, 12_345, 12_345);
    await expect(vault.forServer(SERVER_URL)).rejects.toMatchObject({ code: "MCP_STORAGE_FAILED" });
  });
});

test("[T41] a folder that is a link is refused", async () => {
  const { directory } = await openFilledVault();
  const link = join(temporaryDirectory(), "link");
  symlinkSync(directory, link);
  await expect(createFileVault({ directory: link }).forServer(SERVER_URL)).rejects.toMatchObject({
    code: "MCP_STORAGE_FAILED",
  });
});

test("[T41] reading, deleting and listing create no folder", async () => {
  const directory = join(temporaryDirectory(), "vault");
  const vault = createFileVault({ directory });
  expect(await vault.forServer(SERVER_URL)).toBeUndefined();
  expect(await vault.delete(SERVER_URL)).toBe(false);
  expect(await vault.list()).toEqual([]);
  expect(existsSync(directory)).toBe(false);
});

test("[T41] file names do not reveal the server", async () => {
  const { directory } = await openFilledVault();
  expect(readdirSync(directory).join()).not.toContain("example");
});

/** What can be wrong with a file, and what the warning says. */
const DAMAGES: readonly [what: string, why: string, damage: (file: string) => void][] = [
  ["is empty", "the file is damaged", (file) => writeFileSync(file, "")],
  ["is cut off", "the file is damaged", (file) => writeFileSync(file, readFileSync(file).subarray(0, 100))],
  ["is not JSON", "the file is damaged", (file) => writeFileSync(file, "\0\xff garbage")],
  ["holds other JSON", "the file is damaged", (file) => writeFileSync(file, '["credential"]')],
  ["lacks its token", "the file is damaged", (file) => edit(file, { tokens: { token_type: "Bearer" } })],
  ["has a number as its token", "the file is damaged", (file) => edit(file, { tokens: { access_token: 1 } })],
  [
    "has a token that no header can carry",
    "the file is damaged",
    (file) => edit(file, { tokens: { access_token: "at\r\nX-Evil: 1", token_type: "Bearer" } }),
  ],
  ["lacks its issuer", "the file is damaged", (file) => edit(file, { issuer: undefined })],
  ["lacks its client", "the file is damaged", (file) => edit(file, { client: {} })],
  [
    "has a number as its configured resource",
    "the file is damaged",
    (file) => edit(file, { configuredResource: 1 }),
  ],
  ["has an invalid time", "the file is damaged", (file) => edit(file, { obtainedAt: "yesterday" })],
  [
    "is for another server",
    "the file belongs to another server",
    (file) => edit(file, { serverUrl: "https://x/" }),
  ],
  ["is huge", "it is too large", (file) => writeFileSync(file, Buffer.alloc(1024 * 1024 + 1, " "))],
  [
    "is a link to a valid file",
    "it is a link",
    (file) => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
  ],
  [
    "is a link to nowhere",
    "it is a link",
    (file) => {
      renameSync(file, `${file}.real`);
      symlinkSync("/nowhere", file);
    },
  ],
  [
    "is a folder",
    "it is not a file",
    (file) => {
      renameSync(file, `${file}.real`);
      mkdirSync(file);
    },
  ],
  [
    "is a pipe without a writer",
    "it is not a file",
    (file) => {
      renameSync(file, `${file}.real`);
      execFileSync("mkfifo", [file]);
    },
  ],
  ["is writable by other users", "other users can write to it", (file) => chmodSync(file, 0o622)],
];

function edit(file: string, change: object): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...change }));
}

describe.runIf(process.platform !== "win32")("a stored login that", () => {
  test.each(DAMAGES)("[T41] %s is not used and is set aside", async (_what, why, damage) => {
    const { vault, warnings, file, directory } = await openFilledVault();
    damage(file);
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    expect(warnings).toEqual([`warn: The stored login for ${SERVER_URL} is not used: ${why}. Log in again.`]);
    expect(lstatSync(`${file}.unusable-1`)).toBeDefined();
    if (lstatSync(`${file}.unusable-1`).isFile()) expect(modeOf(`${file}.unusable-1`)).toBe("600");
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    expect(warnings).toHaveLength(1);
    await vault.write(sampleCredential({ number: 2 }));
    expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 2 }));
    expect(modeOf(file)).toBe("600");
    expect(readdirSync(directory).filter((name) => name.includes("draft"))).toEqual([]);
  });

  test.each(DAMAGES)("[T41] %s does not hide other logins from the list", async (_what, _why, damage) => {
    const { vault, file } = await openFilledVault();
    await vault.write(sampleCredential({ serverUrl: "https://other.example/" }));
    damage(file);
    expect((await vault.list()).map(({ serverUrl }) => serverUrl)).toEqual(["https://other.example/"]);
  });

  test.runIf(process.getuid?.() === 0)("[T41] belongs to another user is not used", async () => {
    const { vault, warnings, file } = await openFilledVault();
    chownSync(file, 12_345, 12_345);
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining("it belongs to another user")]);
  });
});

test("[T41] a link in place of a credential is replaced, and its target stays as it is", async () => {
  const { vault, file } = await openFilledVault();
  const target = join(temporaryDirectory(), "precious");
  writeFileSync(target, "precious");
  renameSync(file, `${file}.real`);
  symlinkSync(target, file);
  await vault.write(sampleCredential({ number: 2 }));
  expect(readFileSync(target, "utf8")).toBe("precious");
  expect(lstatSync(file).isFile()).toBe(true);
});

test.each(["directory", "link"])("[T41] a %s in place of the lock file makes a write fail", async (what) => {
  const { directory, vault } = await openFilledVault();
  const lock = join(directory, "write.lock");
  const target = join(temporaryDirectory(), "precious");
  writeFileSync(target, "precious");
  renameSync(lock, `${lock}.real`);
  if (what === "directory") mkdirSync(lock);
  else symlinkSync(target, lock);
  await expect(vault.write(sampleCredential())).rejects.toMatchObject({ code: "MCP_STORAGE_FAILED" });
  expect(readFileSync(target, "utf8")).toBe("precious");
});

test("[T41] at most nine unusable files are kept", async () => {
  const { directory, vault, file } = await openFilledVault();
  for (let time = 0; time < 15; time += 1) {
    writeFileSync(file, "damaged");
    await vault.forServer(SERVER_URL);
  }
  expect(readdirSync(directory).filter((name) => name.includes("unusable"))).toHaveLength(9);
});

test("an invalid credential does not overwrite a valid one", async () => {
  const { vault } = await openFilledVault();
  const half = { ...sampleCredential({ number: 2 }), tokens: { access_token: "", token_type: "Bearer" } };
  await expect(vault.write(half)).rejects.toMatchObject({ code: "MCP_INTERNAL" });
  expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 1 }));
});

test("[T41] a write replaces the whole file, so an open reader still sees the old one", async () => {
  const { vault, file } = await openFilledVault();
  const before = readFileSync(file, "utf8");
  const opened = openSync(file, "r");
  try {
    await vault.write(sampleCredential({ number: 2 }));
    expect(readFileSync(opened, "utf8")).toBe(before);
  } finally {
    closeSync(opened);
  }
  expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 2 }));
});

test("[T41] the draft of a killed process is never read, and the next write removes it", async () => {
  const { directory, vault, file } = await openFilledVault();
  writeFileSync(`${file}.0badcafe.draft`, readFileSync(file, "utf8").replaceAll("access-1", "access-9"));
  expect(await vault.forServer(SERVER_URL)).toEqual(sampleCredential({ number: 1 }));
  expect(await vault.list()).toHaveLength(1);
  await vault.write(sampleCredential({ serverUrl: "https://other.example/" }));
  expect(readdirSync(directory).filter((name) => name.includes("draft"))).toEqual([]);
});

test("errors of the file system become MCP_STORAGE_FAILED", async () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  const refusal = { code: "MCP_STORAGE_FAILED", message: expect.stringContaining("ENOTDIR") };
  const vault = createFileVault({ directory: join(file, "vault") });
  await expect(vault.write(sampleCredential())).rejects.toMatchObject(refusal);
  const { signal } = new AbortController();
  await expect(vault.exclusively(SERVER_URL, async () => {}, signal)).rejects.toMatchObject(refusal);
  await expect(createFileVault({ directory: file }).forServer(SERVER_URL)).rejects.toMatchObject({
    code: "MCP_STORAGE_FAILED",
  });
});
