import type { KeyObject } from "node:crypto";
import type { CatalogId, CatalogIdentity, ResolvedServer, ResolvedStdioServer } from "@jackfield/mcp-core";
import { cryptography } from "./builtin-modules.ts";

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
}

/** Stands where a secret stood. It can occur in no argument, variable, URL or header. */
const PLACEHOLDER = "\0";

/**
 * Names what is reached and as whom: transport, command, arguments, directory, the entry's own variables, URL, headers and
 * principal, each secret replaced by a placeholder, so that a renewed token leads to the same entry. The server's name, limits and
 * filters take no part; for an in-process server the name is all there is, so there the name and the program do.
 *
 * `credentials` covers the secrets alone, in an order that does not depend on how they were found.
 */
export function catalogIdentity(server: ResolvedServer, options: IdentityOptions): CatalogIdentity {
  const secrets = [...new Set(server.secrets)].filter((secret) => secret !== "").sort();
  const subject = [options.principal ?? null, ...connection(server, options.program)];
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

function connection(server: ResolvedServer, program: string): readonly Subject[] {
  switch (server.transport) {
    case "stdio":
      return ["stdio", server.command, server.args, server.cwd ?? null, sorted(ownVariables(server))];
    case "http":
    case "sse":
      return [server.transport, server.url, sorted(lowerCaseNames(server.headers))];
    case "in-process":
      return ["in-process", server.name, program];
  }
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
