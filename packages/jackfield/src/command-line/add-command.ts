import { realpath } from "node:fs/promises";
import { discoverServers, type NewServer } from "@jackfield/mcp-config";
import type { Logger } from "@jackfield/mcp-core";
import { openApprovals } from "../approval-store.ts";
import { isPlainName } from "../searched-places.ts";
import type { AddArguments, CommonArguments } from "./arguments.ts";
import type { CommandResult } from "./command-result.ts";
import { printableName } from "./lines.ts";
import { nextCommand } from "./next-command.ts";
import { changedText, changeFile } from "./servers-file.ts";
import { UsageError } from "./wrong-usage.ts";

/**
 * Adds a server to a file, and shows what was written. One in a project's file is approved: the user asked for it and sees it.
 *
 * @throws UsageError, and McpError as `changeFile` does
 */
export async function add(args: CommonArguments & AddArguments, log: Logger): Promise<CommandResult> {
  const { server: name, inProject, force: replaces, cwd } = args;
  const server = newServer(args);
  const changed = await changeFile({ kind: "add", name, server, replaces }, args, args);
  const { file, title, host, entry } = changed;
  const isApproved = inProject && (await approve(name, file, args, log));
  const command = nextCommand(isPlainName(name) ? `status ${name}` : "status", { cwd });
  const literal = Object.keys({ ...server.env, ...server.headers }).length > 0;
  const next = [
    ...(literal
      ? ["What you gave as a value stands in the file as it is; a secret is better a variable."]
      : []),
    ...(isApproved ? ["Approved, because you asked for it."] : []),
    host === "jackfield" ? `Try it with "${command}".` : `${title} reads it with its next start.`,
  ].join(" ");
  return {
    json: { file, host, server: name, entry, approved: inProject ? isApproved : undefined },
    text: changedText(`Added ${printableName(name)} to`, changed, next),
    exitCode: 0,
  };
}

function newServer({ url, program, env, headers }: AddArguments): NewServer {
  if (url !== undefined) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new UsageError(
        `${JSON.stringify(url)} is no URL; a command stands behind "--": add NAME -- COMMAND.`,
      );
    if (env.length > 0) throw new UsageError('"--env" is for a command; a URL takes "--header".');
    return { url, headers: headers.length === 0 ? undefined : pairs(headers, "--header") };
  }
  if (headers.length > 0) throw new UsageError('"--header" is for a URL; a command takes "--env".');
  const values = env.filter((one) => one.includes("="));
  return {
    program,
    env: pairs(values, "--env"),
    envReferences: env.filter((one) => !one.includes("=")),
  };
}

function pairs(typed: readonly string[], option: string): { readonly [name: string]: string } {
  return Object.fromEntries(
    typed.map((one) => {
      const [, name, value] = /^([^=:\s]+)\s*[=:]\s*(.*)$/s.exec(one) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`"${option}" must be NAME=VALUE, for example ${option} X-Team=a.`);
      return [name, value];
    }),
  );
}

/** Whether what was written could be found and approved. */
async function approve(
  name: string,
  file: string,
  { cwd, to }: CommonArguments & AddArguments,
  log: Logger,
): Promise<boolean> {
  const real = await realpath(file);
  const { servers } = await discoverServers({ cwd, hosts: [to ?? "jackfield"] });
  const written = servers.find(
    ({ name: other, definedIn }) =>
      other === name && [file, real].includes(definedIn.realFile ?? definedIn.file ?? ""),
  );
  if (written !== undefined) await openApprovals(undefined, log).approve(written);
  return written !== undefined;
}
