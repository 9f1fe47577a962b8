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

/** Options that make a printed command look in the same places; its defaults are left out. */
export function placeOptions({ files = [], hosts = [], cwd = "." }: SearchedPlaces): readonly string[] {
  const folder = resolve(cwd);
  const searched = hosts === "all" ? hosts : hosts.join(",");
  return [
    ...files.map((file) => `--config ${shellWord(resolve(folder, file))}`),
    ...(searched === "" || searched === "jackfield" ? [] : [`--hosts ${shellWord(searched)}`]),
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
