import { isAbsolute, resolve } from "node:path";

/**
 * The home of the current user. A relative path, such as an empty `HOME`, would be in whatever project is open, so the home that
 * the system knows is used instead. If the system does not know the user, as in many containers, it is the root, to which container
 * runtimes set `HOME` in this case: only an administrator can put files there.
 */
export function ownHome(): string {
  // Not imported: a caller that gives the home does not need this module.
  const { homedir, userInfo } = process.getBuiltinModule("node:os");
  return absoluteBy(homedir) ?? absoluteBy(() => userInfo().homedir) ?? resolve("/");
}

function absoluteBy(look: () => string): string | undefined {
  try {
    const home = look();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}
