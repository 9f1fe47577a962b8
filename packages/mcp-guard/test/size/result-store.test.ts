import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { resultDirectory } from "../../src/size/result-store.ts";

const PROVENANCE = { server: "bank", tool: "balance" };
let directory = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "jackfield-results-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

/** Makes everything that exists belong to another user. */
function becomeAnotherUser(): void {
  const user = process.getuid?.() ?? 0;
  vi.spyOn(process, "getuid").mockReturnValue(user + 1);
}

describe("a result directory", () => {
  test.each([
    ["0777", 0o777],
    ["0770", 0o770],
    ["0755", 0o755],
  ])("open to others (mode %s) stores nothing", async (_, mode) => {
    await chmod(directory, mode);
    expect(await resultDirectory(directory).save("the balance", PROVENANCE)).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
    await chmod(directory, 0o700);
    expect(await resultDirectory(directory).save("the balance", PROVENANCE)).toContain(directory);
  });

  test("that is a symbolic link stores nothing", async () => {
    const real = join(directory, "real");
    const link = join(directory, "link");
    await mkdir(real, { mode: 0o700 });
    await symlink(real, link);
    expect(await resultDirectory(link).save("the balance", PROVENANCE)).toBeUndefined();
    expect(await readdir(real)).toEqual([]);
  });

  test("owned by another user stores nothing", async () => {
    becomeAnotherUser();
    expect(await resultDirectory(directory).save("the balance", PROVENANCE)).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
  });

  test.each<[string, (place: string) => Promise<unknown>]>([
    ["a symbolic link", (place) => writeFile(`${place}2`, "planted").then(() => symlink(`${place}2`, place))],
    ["a directory", (place) => mkdir(place)],
    ["a missing file", async () => undefined],
    [
      "a file of another user",
      async (place) => {
        await rename(`${place}1`, place);
        becomeAnotherUser();
      },
    ],
  ])("refuses to read %s in place of a stored file", async (_, replace) => {
    const store = resultDirectory(directory);
    const place = (await store.save("the balance", PROVENANCE)) ?? "";
    expect(await store.read(place)).toMatchObject({ text: "the balance" });
    await rename(place, `${place}1`);
    await replace(place);
    await expect(store.read(place)).rejects.toMatchObject({ code: "MCP_REQUEST_REJECTED" });
  });
});
