import type { DiscoverServersOptions } from "@jackfield/mcp-config";
import { placeOptions, shellWord } from "../searched-places.ts";

/** The options that decide which servers, which catalog and which lock file a command uses. */
export interface CommandPlaces {
  readonly configFiles?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly hosts?: readonly string[] | "all" | undefined;
  readonly servers?: DiscoverServersOptions["servers"];
  readonly inputs?: object | undefined;
  readonly projectVariables?: readonly string[] | undefined;
  readonly cache?: string | undefined;
  readonly lock?: string | undefined;
}

/**
 * A command to run next, with the options that make it use the same servers, values, catalog and lock file. Entries of `--mcp-server`
 * and answers of `--input` are not repeated, because they may be secret.
 */
export function nextCommand(
  command: string,
  { configFiles, cwd, hosts, servers = {}, inputs = {}, projectVariables = [], cache, lock }: CommandPlaces,
): string {
  return [
    `jackfield ${command}`,
    ...(Object.keys(servers).length === 0 ? [] : ["--mcp-server …"]),
    ...(Object.keys(inputs).length === 0 ? [] : ["--input …"]),
    ...projectVariables.flatMap((name) => option("--var", name)),
    ...placeOptions({ cwd, files: configFiles, hosts }),
    ...(hosts?.length === 0 ? ["--no-discover"] : []),
    ...option("--cache", cache),
    ...option("--lock", lock),
  ].join(" ");
}

/** An option with its value; a value that begins with a dash would be read as an option of its own after a space. */
function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`];
}
