import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary directory in which every measured process runs. */
export interface Workplace extends AsyncDisposable {
  readonly directory: string;
  /** Where the catalog is kept that belongs to a name, or to so many servers. */
  catalogDirectory(owner: string | number): string;
  /** Where servers write down their starts. */
  readonly notes: string;
}

/** Makes the directory; disposing of it removes it with everything in it. */
export async function openWorkplace(): Promise<Workplace> {
  const directory = await mkdtemp(join(tmpdir(), "jackfield-bench-"));
  return {
    directory,
    catalogDirectory: (owner) => join(directory, `catalog-${owner}`),
    notes: join(directory, "notes"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/**
 * The environment of every measured process: this one's, without what changes how Node or Jackfield behaves, and with a home
 * of its own for whatever Jackfield writes.
 */
export function measuredEnvironment(
  environment: NodeJS.ProcessEnv,
  { directory }: Pick<Workplace, "directory">,
): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^(NODE_|JACKFIELD_)/i.test(name));
  return { ...Object.fromEntries(kept), JACKFIELD_HOME: join(directory, "home") };
}
