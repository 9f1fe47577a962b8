import { CONFIGURED_SERVERS, projectIn } from "./configuration-files.ts";
import type { Figures } from "./measurement.ts";
import { cpuMilliseconds, millisecondsSince } from "./stopwatch.ts";

/** The process that finds what is configured in a home, or does nothing at all if none is given. */
const [, , json = "", startedAt = ""] = process.argv;
const { home } = JSON.parse(json) as { readonly home?: string };
const found = home === undefined ? undefined : await findAll(home);
const figures: Figures = { readyMs: millisecondsSince(startedAt), readyCpuMs: cpuMilliseconds() };
if (found !== undefined) check(found);
process.stdout.write(JSON.stringify(figures));

async function findAll(directory: string) {
  const { discoverServers } = await import("@jackfield/mcp-config");
  const place = { home: directory, cwd: projectIn(directory), env: {}, platform: "linux" } as const;
  return discoverServers({ ...place, hosts: "all" });
}

/** Every host must accept its files without a remark. */
function check({ servers, problems, diagnostics }: Awaited<ReturnType<typeof findAll>>): void {
  if (servers.length === CONFIGURED_SERVERS && problems.length === 0 && diagnostics.length === 0) return;
  const remarks = `${problems.length} problems and ${diagnostics.length} remarks`;
  throw new Error(`Found ${servers.length} servers with ${remarks}.`);
}
