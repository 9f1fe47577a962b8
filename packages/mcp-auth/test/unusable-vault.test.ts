import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createFileVault, createMemoryVault } from "../src/index.ts";
import { remoteServer } from "./request.ts";
import { openScene } from "./scene.ts";
import { SERVER_URL, sampleCredential } from "./vault/sample-credential.ts";
import { temporaryDirectory } from "./vault/vault-process.ts";

useLeakCheck();

/** What can be wrong with the folder, and what the error says. */
const FOLDERS: readonly [what: string, says: string, place: (directory: string) => void][] = [
  [
    "other users may enter",
    "chmod 700",
    (directory) => {
      mkdirSync(directory);
      chmodSync(directory, 0o755);
    },
  ],
  ["is a link", "it is a link", (directory) => symlinkSync(temporaryDirectory(), directory)],
  ["is a file", "it is not a folder", (directory) => writeFileSync(directory, "")],
];

const openPlaced = async (place: (directory: string) => void) => {
  const directory = join(temporaryDirectory(), "logins");
  place(directory);
  return openScene({ oauth: { vault: createFileVault({ directory }) } });
};

describe.runIf(process.getuid).each(FOLDERS)("a login folder that %s", (_what, says, place) => {
  const refusal = { code: "MCP_STORAGE_FAILED", message: expect.stringContaining(says) };

  it("[T41] does not block requests that need no login, and is logged once", async () => {
    await using scene = await openPlaced(place);
    const other = remoteServer(`${scene.guarded.url}/other`, "other");
    for (const server of [scene.server, other, scene.server])
      expect(await scene.oauth.headers(server)).toEqual({});
    expect(scene.said).toEqual([
      {
        level: "warn",
        message: "Stored logins cannot be read; requests are sent without them.",
        fields: { reason: expect.stringContaining(says) },
      },
    ]);
  });

  it("[T41] fails a challenge, a login and a logout before a page is shown", async () => {
    await using scene = await openPlaced(place);
    const { signal } = new AbortController();
    await expect(scene.oauth.onChallenge(scene.server, { status: 401 }, { signal })).rejects.toMatchObject(
      refusal,
    );
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject(refusal);
    await expect(scene.oauth.logout(scene.server)).rejects.toMatchObject(refusal);
    expect(scene.pages).toEqual([]);
  });
});

it("a vault that throws a value without text does not block requests that need no login", async () => {
  const forServer = () => Promise.reject(Object.create(null));
  await using scene = await openScene({ oauth: { vault: { ...createMemoryVault(), forServer } } });
  expect(await scene.oauth.headers(scene.server)).toEqual({});
  expect(scene.said).toMatchObject([{ fields: { reason: "a value without a text" } }]);
});

describe("a login with a vault that cannot be written", () => {
  it.each<[string, string, (directory: string) => string]>([
    [
      "because the path is too long for a lock",
      "shorter path",
      (directory) => join(directory, ...Array.from({ length: 12 }, () => "d".repeat(50))),
    ],
    [
      "because a parent of the folder is a file",
      "ENOTDIR",
      (directory) => {
        writeFileSync(join(directory, "file"), "");
        return join(directory, "file", "logins");
      },
    ],
    [
      "because the lock file is a folder",
      "remove it",
      (directory) => {
        mkdirSync(join(directory, "write.lock"));
        return directory;
      },
    ],
  ])("fails before a page is shown, %s", async (_why, says, placed) => {
    const directory = placed(temporaryDirectory());
    await using scene = await openScene({ oauth: { vault: createFileVault({ directory }) } });
    await expect(scene.oauth.login(scene.server)).rejects.toMatchObject({
      code: "MCP_STORAGE_FAILED",
      message: expect.stringMatching(new RegExp(`${directory.slice(0, 40)}.*${says}`)),
    });
    expect(scene.pages).toEqual([]);
  });
});

describe("a logout", () => {
  it.runIf(process.getuid)("[T41] also removes the tokens in set-aside files and returns true", async () => {
    const directory = join(temporaryDirectory(), "logins");
    await using scene = await openScene({ oauth: { vault: createFileVault({ directory }) } });
    await scene.oauth.login(scene.server);
    const [name = ""] = readdirSync(directory).filter((each) => each.endsWith(".json"));
    const token = JSON.parse(readFileSync(join(directory, name), "utf8")).tokens.refresh_token;
    writeFileSync(join(directory, `${name}.0badcafe.draft`), readFileSync(join(directory, name)));
    chmodSync(join(directory, name), 0o666);
    const later = scene.again();
    expect(await later.headers(scene.server)).toEqual({});
    expect(readdirSync(directory)).toContain(`${name}.unusable-1`);
    expect(await later.logout(scene.server)).toBe(true);
    for (const each of readdirSync(directory))
      expect(readFileSync(join(directory, each), "utf8")).not.toContain(token);
    expect(await later.logout(scene.server)).toBe(false);
  });

  it("keeps the set-aside files of another server", async () => {
    const directory = join(temporaryDirectory(), "logins");
    const vault = createFileVault({ directory });
    await vault.write(sampleCredential());
    const [name = ""] = readdirSync(directory).filter((each) => each.endsWith(".json"));
    writeFileSync(join(directory, name), "damaged");
    expect(await vault.forServer(SERVER_URL)).toBeUndefined();
    expect(await vault.delete("https://other.example/")).toBe(false);
    expect(readdirSync(directory)).toContain(`${name}.unusable-1`);
  });
});
