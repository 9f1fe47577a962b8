import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { type DiscoverServersOptions, discoverServers } from "../../src/index.ts";

/** A user's home with a project in it, and what discovery finds there. */
export interface HomeFolder {
  readonly home: string;
  /** A repository below the home. */
  readonly project: string;
  /** Writes a file by its path in the home. */
  write(path: string, content: unknown): Promise<void>;
  discover(options?: DiscoverServersOptions): ReturnType<typeof discoverServers>;
}

/** Makes a home for a test, with files by their path in it; the project is `work`. All are removed after the test. */
export function useHomeFolder(): (files?: { [path: string]: unknown }) => Promise<HomeFolder> {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  return async (files = {}) => {
    const home = await realpath(await mkdtemp(join(tmpdir(), "mcp-home-")));
    folders.push(home);
    const project = join(home, "work");
    await mkdir(join(project, ".git"), { recursive: true });
    const write = async (path: string, content: unknown) => {
      const file = join(home, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
      // Independent of the umask: discovery refuses a file that everybody can write.
      await chmod(file, 0o600);
    };
    for (const [path, content] of Object.entries(files)) await write(path, content);
    const discover = (options: DiscoverServersOptions = {}) =>
      discoverServers({ home, cwd: project, env: {}, platform: "linux", ...options });
    return { home, project, write, discover };
  };
}
