import { userInfo } from "node:os";
import { loseHome } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import { type CacheSurroundings, defaultCacheDirectory } from "../src/index.ts";

const cases: readonly [title: string, surroundings: CacheSurroundings, directory: string][] = [
  [
    "on Linux it is in ~/.cache",
    { platform: "linux", env: {}, home: "/home/ada" },
    "/home/ada/.cache/jackfield",
  ],
  [
    "on macOS it is in ~/Library/Caches",
    { platform: "darwin", env: {}, home: "/Users/ada" },
    "/Users/ada/Library/Caches/jackfield",
  ],
  [
    "on Windows it is in LOCALAPPDATA",
    { platform: "win32", env: { LOCALAPPDATA: "D:\\Local" }, home: "C:\\Users\\ada" },
    "D:\\Local\\jackfield\\Cache",
  ],
  [
    "on Windows without LOCALAPPDATA it is in AppData\\Local",
    { platform: "win32", env: {}, home: "C:\\Users\\ada" },
    "C:\\Users\\ada\\AppData\\Local\\jackfield\\Cache",
  ],
  [
    "XDG_CACHE_HOME moves it",
    { platform: "linux", env: { XDG_CACHE_HOME: "/var/cache/ada" }, home: "/home/ada" },
    "/var/cache/ada/jackfield",
  ],
  [
    "XDG_CACHE_HOME moves it on macOS too",
    { platform: "darwin", env: { XDG_CACHE_HOME: "/var/cache/ada" }, home: "/Users/ada" },
    "/var/cache/ada/jackfield",
  ],
  [
    "a relative XDG_CACHE_HOME is ignored",
    { platform: "linux", env: { XDG_CACHE_HOME: "cache" }, home: "/home/ada" },
    "/home/ada/.cache/jackfield",
  ],
  [
    "JACKFIELD_HOME beats everything else",
    {
      platform: "linux",
      env: { JACKFIELD_HOME: "/opt/jf", XDG_CACHE_HOME: "/var/cache" },
      home: "/home/ada",
    },
    "/opt/jf/cache",
  ],
  [
    "a relative JACKFIELD_HOME is ignored",
    { platform: "linux", env: { JACKFIELD_HOME: ".jackfield" }, home: "/home/ada" },
    "/home/ada/.cache/jackfield",
  ],
  [
    "an empty home is replaced by the user's own",
    { platform: "linux", env: {}, home: "" },
    `${userInfo().homedir}/.cache/jackfield`,
  ],
  [
    "a relative home is replaced by the user's own",
    { platform: "darwin", env: {}, home: "ada" },
    `${userInfo().homedir}/Library/Caches/jackfield`,
  ],
  [
    "empty variables count as unset",
    { platform: "linux", env: { JACKFIELD_HOME: "", XDG_CACHE_HOME: "" }, home: "/home/ada" },
    "/home/ada/.cache/jackfield",
  ],
];

test.each(cases)("the default cache directory: %s", (_title, surroundings, directory) => {
  expect(defaultCacheDirectory(surroundings)).toBe(directory);
});

test("without a home the default cache directory comes from a variable, or the error names one", () => {
  loseHome();
  const directory = (env: CacheSurroundings["env"]) => defaultCacheDirectory({ platform: "linux", env });
  expect(directory({ JACKFIELD_HOME: "/opt/jf" })).toBe("/opt/jf/cache");
  expect(directory({ XDG_CACHE_HOME: "/var/cache" })).toBe("/var/cache/jackfield");
  expect(() => directory({})).toThrow(
    expect.objectContaining({
      code: "MCP_STORAGE_FAILED",
      message: "This user's home directory is unknown; set JACKFIELD_HOME to a folder.",
    }),
  );
});
