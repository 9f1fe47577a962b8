import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type ChangedServersFile, changeServersFile, type ServerChange } from "@jackfield/mcp-config";
import type { CommonArguments } from "./arguments.ts";
import type { Page } from "./page.ts";
import { printable } from "./terminal.ts";
import { writeWholeFile } from "./whole-file.ts";
import { UsageError } from "./wrong-usage.ts";

/** Which file is changed, as typed. */
export interface TypedFile {
  readonly to: string | undefined;
  readonly inProject: boolean;
}

/**
 * Makes a change in a file of servers.
 *
 * @throws McpError as `changeServersFile` and `writeWholeFile` do; UsageError for options that name servers elsewhere
 */
export async function changeFile(
  change: ServerChange,
  { to, inProject }: TypedFile,
  { cwd = ".", configFiles, servers }: CommonArguments,
): Promise<ChangedServersFile> {
  if (configFiles.length > 0 || Object.keys(servers).length > 0)
    throw new UsageError("This command changes the file of a host: name it with --to or --project.");
  const changed = await changeServersFile({ host: to, inProject, cwd, change });
  const { file, text, isChanged } = changed;
  if (!isChanged) return changed;
  await mkdir(dirname(file), { recursive: true });
  await writeWholeFile(file, text, { replaces: true, cwd });
  return changed;
}

/** What stands in the file now, and what to do next. */
export function changedText(
  done: string,
  { file, entry }: Pick<ChangedServersFile, "file" | "entry">,
  next: string,
): (page: Page) => string {
  const shown = entry === undefined ? "" : `\n${printable(JSON.stringify(entry, undefined, 2))}\n`;
  return () => `${done} ${printable(file)}.\n${shown}${next === "" ? "" : `\n${next}\n`}`;
}
