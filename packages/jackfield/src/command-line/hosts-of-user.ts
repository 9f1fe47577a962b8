import { ownFile } from "@jackfield/mcp-config";
import { fileSystem } from "@jackfield/mcp-core/node";
import type { CommonArguments } from "./arguments.ts";
import { readHosts } from "./option-values.ts";
import { UsageError } from "./wrong-usage.ts";

/**
 * The hosts whose files the command line reads if `--hosts` names none: those of `JACKFIELD_HOSTS`, else those in the line `"hosts": […]` of
 * your own `mcp.json`, else all. Their files belong to whoever runs the command; what a project brings waits for approval all the same.
 *
 * @throws UsageError for a host that is not known
 */
export function hostsOfUser(): NonNullable<CommonArguments["hosts"]> {
  const { JACKFIELD_HOSTS } = process.env;
  if (JACKFIELD_HOSTS) return readHosts(JACKFIELD_HOSTS, "JACKFIELD_HOSTS") ?? "all";
  const file = ownFile();
  const hosts = hostsLine(file);
  if (hosts === undefined || hosts === "all") return "all";
  if (!Array.isArray(hosts)) throw new UsageError(`"hosts" in ${file} must be a list of hosts, or "all".`);
  return hosts.length === 0 ? [] : (readHosts(hosts.join(","), `"hosts" in ${file}`) ?? "all");
}

/** A file that cannot be read, or is no JSON, is reported where its servers are read. */
function hostsLine(file: string | undefined): unknown {
  try {
    return file === undefined ? undefined : JSON.parse(fileSystem.readFileSync(file, "utf8")).hosts;
  } catch {
    return undefined;
  }
}
