import type { KeyObject } from "node:crypto";
import { isAbsolute, resolve } from "node:path";
import {
  type CatalogId,
  type CatalogIdentity,
  canonicalJson,
  type IdentifyOptions,
  type ResolvedServer,
  type ResolvedStdioServer,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import { cryptography, fileSystem } from "@jackfield/mcp-core/node";

/** What an identity depends on besides the server. */
export interface IdentityOptions extends IdentifyOptions {
  /** The secret key of this user or fleet. Without it, an identity reveals nothing. */
  readonly key: KeyObject;
  /** `credentialsHash` of no secrets, for callers that identify many servers: most have none. Default: computed here. */
  readonly noCredentials?: string | undefined;
  /** The running program. It distinguishes the in-process servers of two programs, which are otherwise known by name only. */
  readonly program: string;
  /** The working directory of a process whose entry names none. Default: the current one. */
  readonly directory?: string | undefined;
}

/** Replaces a secret. It cannot occur in an argument, variable, URL or header. */
const PLACEHOLDER = "\0";

/**
 * Identifies a server and the account as which it is reached. The id covers the entry as it is written, with the credentials that it
 * holds itself, and transport, command, arguments, directory, own variables, URL and headers once its variables are filled in, and
 * principal and login. In what was filled in, each secret is replaced by a placeholder, so that a renewed token leads to the same entry.
 * Without the entry nobody knows which secrets are renewed, so none is replaced.
 *
 * The server's name, limits and filters are not part of the id, except that an in-process server is identified by its name and the
 * program. If an entry names no directory, the current one is part of the id if an argument names something in it:
 * `node ./server.js` is another server elsewhere.
 *
 * `credentials` covers the secrets alone, sorted.
 */
export function catalogIdentity(server: ResolvedServer, options: IdentityOptions): CatalogIdentity {
  const secrets = [...new Set(server.secrets)].filter((secret) => secret !== "").sort();
  const { principal = null, account = null, definition } = options;
  const filledIn = connection(server, options);
  const subject =
    definition === undefined
      ? [principal, account, null, filledIn]
      : [principal, account, written(definition), withoutSecrets(filledIn, secrets)];
  return {
    id: keyedHash(options.key, "catalog", subject) as CatalogId,
    credentials:
      (secrets.length === 0 ? options.noCredentials : undefined) ?? credentialsHash(options.key, secrets),
  };
}

/** A keyed hash of secrets. */
export function credentialsHash(key: KeyObject, secrets: readonly string[]): string {
  return keyedHash(key, "credentials", secrets);
}

type Subject = string | null | readonly Subject[];

/** Fields of an entry that say nothing of where it leads, and as whom. */
const OTHER_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "definedIn",
  "enabled",
  "disabledBy",
  "shadows",
  "lazy",
  "shared",
  "limits",
  "tools",
  "server",
] satisfies (keyof ServerDefinition | "server")[]);

/** An entry as it is written, in any order of its fields. */
function written(definition: ServerDefinition): string {
  const fields = Object.entries(definition).filter(([field]) => !OTHER_FIELDS.has(field));
  return canonicalJson(Object.fromEntries(fields));
}

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

/** The directory, if an argument or the value of an option (`--name=value`) names something in it; otherwise `null`. */
function directoryOf(args: readonly string[], directory = process.cwd()): string | null {
  const isThere = (arg: string) => {
    const path = arg.startsWith("-") ? arg.slice(arg.indexOf("=") + 1 || arg.length) : arg;
    return path !== "" && !isAbsolute(path) && fileSystem.existsSync(resolve(directory, path));
  };
  return args.some(isThere) ? directory : null;
}

/** The variables that the entry sets. Inherited ones differ between terminals and do not identify the server. */
function ownVariables({ env, inherited = [] }: ResolvedStdioServer): [string, string][] {
  const own: [string, string][] = [];
  // Nearly all variables are inherited, so no list is made of those.
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
  // Longest first: otherwise a secret that is part of another would leave the rest of the longer one.
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

/** A secret as encoded in a URL. Text with lone surrogates cannot be encoded and is returned as it is. */
function urlSpelling(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret;
  }
}

/** The purpose keeps hashes of different kinds distinct. */
function keyedHash(key: KeyObject, purpose: string, subject: Subject): string {
  return cryptography()
    .createHmac("sha256", key)
    .update(JSON.stringify([purpose, subject]))
    .digest("hex");
}
