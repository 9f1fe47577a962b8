import type { KeyObject } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import type { CatalogId, CatalogIdentity, ResolvedServer, ResolvedStdioServer } from "@jackfield/mcp-core";
import { cryptography, fileSystem } from "./builtin-modules.ts";

/** What an identity depends on besides the server. */
export interface IdentityOptions {
  /** The secret of this user or fleet; without it nobody can tell what an identity stands for. */
  readonly key: KeyObject;
  /** `credentialsHash` of the key and nothing: most servers have no secret, and who asks for many takes it once. Default: it is taken. */
  readonly noCredentials?: string | undefined;
  /** Who connects, where one runtime serves several users. */
  readonly principal?: string | undefined;
  /** The program that runs. Tells apart the in-process servers of two programs, which have nothing but a name. */
  readonly program: string;
  /** Where a process runs whose entry names no directory. Default: the current one. */
  readonly directory?: string | undefined;
}

/** Stands where a secret stood. It can occur in no argument, variable, URL or header. */
const PLACEHOLDER = "\0";

/**
 * Names what is reached and as whom: transport, command, arguments, directory, the entry's own variables, URL, headers and
 * principal, each secret replaced by a placeholder, so that a renewed token leads to the same entry. The server's name, limits and
 * filters take no part; for an in-process server the name is all there is, so there the name and the program do. Where an entry names no
 * directory, the current one takes part if an argument names something in it: `node ./server.js` is another server elsewhere.
 *
 * `credentials` covers the secrets alone, in an order that does not depend on how they were found.
 */
export function catalogIdentity(server: ResolvedServer, options: IdentityOptions): CatalogIdentity {
  const secrets = [...new Set(server.secrets)].filter((secret) => secret !== "").sort();
  const subject = [options.principal ?? null, ...connection(server, options)];
  return {
    id: keyedHash(options.key, "catalog", withoutSecrets(subject, secrets)) as CatalogId,
    credentials:
      (secrets.length === 0 ? options.noCredentials : undefined) ?? credentialsHash(options.key, secrets),
  };
}

/** Covers secrets alone. */
export function credentialsHash(key: KeyObject, secrets: readonly string[]): string {
  return keyedHash(key, "credentials", secrets);
}

type Subject = string | null | readonly Subject[];

function connection(
  server: ResolvedServer,
  { program, directory }: Pick<IdentityOptions, "program" | "directory">,
): readonly Subject[] {
  switch (server.transport) {
    case "stdio": {
      const { command, args, cwd = directoryOf(args, directory) } = server;
      return ["stdio", command, args, cwd, sorted(ownVariables(server))];
    }
    case "http":
    case "sse":
      return [server.transport, server.url, sorted(lowerCaseNames(server.headers))];
    case "in-process":
      return ["in-process", server.name, program];
  }
}

/** The current directory, if an argument, or what an option is set to, names something in it. */
function directoryOf(args: readonly string[], directory = process.cwd()): string | null {
  const isThere = (arg: string) => {
    const path = arg.startsWith("-") ? arg.slice(arg.indexOf("=") + 1 || arg.length) : arg;
    return path !== "" && !isAbsolute(path) && fileSystem.existsSync(resolve(directory, path));
  };
  return args.some(isThere) ? directory : null;
}

/** What the entry gives its process. What the process inherits differs from terminal to terminal and makes no other server. */
function ownVariables({ env, inherited = [] }: ResolvedStdioServer): [string, string][] {
  const own: [string, string][] = [];
  // Nearly all of it is inherited, so no list is made of that.
  for (const name of Object.keys(env)) if (!inherited.includes(name)) own.push([name, env[name] as string]);
  return own;
}

/** Header names are case-insensitive (RFC 9110, section 5.1). */
function lowerCaseNames(headers: { readonly [name: string]: string }): readonly [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
}

function sorted(pairs: readonly [string, string][]): readonly Subject[] {
  return pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function withoutSecrets(subject: Subject, secrets: readonly string[]): Subject {
  if (secrets.length === 0) return subject;
  // The longest first, so that a secret that is part of another does not leave the rest of it standing.
  const spellings = secrets
    .flatMap((secret) => [secret, urlSpelling(secret)])
    .sort((a, b) => b.length - a.length);
  const clean = (value: Subject): Subject => {
    if (value === null) return null;
    if (typeof value !== "string") return value.map(clean);
    return spellings.reduce((text, secret) => text.replaceAll(secret, PLACEHOLDER), value);
  };
  return clean(subject);
}

/** A secret as it stands in a URL. Text that is not well-formed has no such spelling. */
function urlSpelling(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret;
  }
}

/** The purpose keeps hashes of one kind from ever meeting those of another. */
function keyedHash(key: KeyObject, purpose: string, subject: Subject): string {
  return cryptography
    .createHmac("sha256", key)
    .update(JSON.stringify([purpose, subject]))
    .digest("hex");
}
