import { resolve } from "node:path";
import type { DiscoverServersOptions } from "@jackfield/mcp-config";
import type { DiscoverOptions, OpenMcpOptions } from "./open-mcp-options.ts";

/** Where servers were looked for. */
export type SearchedPlaces = Pick<DiscoverServersOptions, "cwd" | "files" | "hosts">;

/** The options of a runtime's search. It looks in the runtime's `cwd` unless it has one of its own. */
export function discoveryOptions({ cwd, discover }: OpenMcpOptions): DiscoverOptions {
  return discover === false ? { cwd, hosts: [] } : { ...discover, cwd: discover?.cwd ?? cwd };
}

/** Where a runtime looks for its servers. Files and hosts that are no texts are left out: reading them reports them. */
export function searchedPlaces(options: OpenMcpOptions): SearchedPlaces {
  const { cwd, hosts } = discoveryOptions(options);
  const files = textsIn(options.configFiles) ?? [];
  return {
    cwd: cwd ?? ".",
    files: files.map((file) => resolve(options.cwd ?? ".", file)),
    hosts: hosts === "all" ? hosts : textsIn(hosts),
  };
}

/** `undefined` if it is no list. An empty text counts as none: as a path, it would mean the folder. */
function textsIn(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.filter((element) => typeof element === "string" && element !== "");
}

/** Options that make a printed command look in the same places. By default the command line reads the files of all hosts. */
export function placeOptions({ files = [], hosts = [], cwd = "." }: SearchedPlaces): readonly string[] {
  const folder = resolve(cwd);
  const searched = hosts === "all" ? hosts : hosts.join(",");
  return [
    ...files.map((file) => `--config ${shellWord(resolve(folder, file))}`),
    ...(searched === "" || searched === "jackfield" || searched === "all"
      ? []
      : [`--hosts ${shellWord(searched)}`]),
    ...(folder === process.cwd() ? [] : [`--cwd ${shellWord(folder)}`]),
  ];
}

/** A name that is safe in a command to copy: no shell syntax, and no option. */
const PLAIN_NAME = /^\w[\w.@-]*$/;

/** Whether a shell reads the name of a server as one plain word. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** A text as one word of a shell command. */
export function shellWord(text: string): string {
  if (/^[\w:/.,@-]+$/.test(text)) return text;
  return process.platform === "win32" ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
