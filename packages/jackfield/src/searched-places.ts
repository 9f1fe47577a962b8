import { resolve } from "node:path";
import type { DiscoverServersOptions } from "@jackfield/mcp-config";
import type { OpenMcpOptions } from "./open-mcp-options.ts";

/** Where servers were looked for. */
export type SearchedPlaces = Pick<DiscoverServersOptions, "cwd" | "files" | "hosts">;

/** Where a runtime looks for its servers. */
export function searchedPlaces({ cwd = ".", configFiles = [], discover }: OpenMcpOptions): SearchedPlaces {
  const files = configFiles.map((file) => resolve(cwd, file));
  return discover === false ? { cwd, files, hosts: [] } : { cwd, ...discover, files };
}

/** What a command that is printed must be told to look where others have looked; nothing of what it does by itself. */
export function placeOptions({ files = [], hosts = [], cwd = "." }: SearchedPlaces): readonly string[] {
  const folder = resolve(cwd);
  const searched = hosts === "all" ? hosts : hosts.join(",");
  return [
    ...files.map((file) => `--config ${shellWord(resolve(folder, file))}`),
    ...(searched === "" || searched === "jackfield" ? [] : [`--hosts ${shellWord(searched)}`]),
    ...(folder === process.cwd() ? [] : [`--cwd ${shellWord(folder)}`]),
  ];
}

/** What may stand in a command that somebody copies: nothing in it means anything to a shell, and it is no option. */
const PLAIN_NAME = /^\w[\w.@-]*$/;

/** Whether a shell takes the name of a server for a word and nothing else. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

function shellWord(text: string): string {
  if (/^[\w:/.,@-]+$/.test(text)) return text;
  return process.platform === "win32" ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
