import { dirname } from "node:path";
import { anchorPath } from "../anchored-path.ts";
import type { JsonPath } from "../documents/json-path.ts";
import { createMap } from "../documents/json-value.ts";
import { placeOfPart } from "../project-boundary.ts";
import { expandVariables, NO_VARIABLES, type VariableReference } from "../variables.ts";
import type { EntryContext } from "./entry-context.ts";
import type { WrittenServer } from "./written-server.ts";

/**
 * For an entry that was joined from several files: makes file references absolute in fields that another file wrote than
 * `definedIn.file`. All other text stays as written.
 */
export function anchorReferences(written: WrittenServer, context: EntryContext): WrittenServer {
  const { definedIn, variables } = context;
  const anchored = <T extends string | null | undefined>(text: T, ...path: JsonPath) => {
    const { file } = placeOfPart(definedIn, path);
    if (!text || file === undefined || file === definedIn.file) return text;
    const isValue = path[0] !== "args" && path.length > 1;
    return expandVariables(text, (found) => anchoredFile(found, dirname(file)), variables, isValue) as T;
  };
  const anchoredAll = <T extends string | null>(
    field: string,
    texts: { readonly [name: string]: T } | undefined,
  ): { readonly [name: string]: T } | undefined => {
    if (texts === undefined) return undefined;
    const all = createMap<T>();
    for (const name of Object.keys(texts)) all[name] = anchored(texts[name] as T, field, name);
    return all;
  };
  const { command, args, cwd, url, env, headers, oauth } = written;
  return {
    ...written,
    command: anchored(command, "command"),
    args: args?.map((text, index) => anchored(text, "args", index)),
    cwd: anchored(cwd, "cwd"),
    url: anchored(url, "url"),
    env: anchoredAll("env", env),
    headers: anchoredAll("headers", headers),
    oauth: oauth && anchoredSettings(oauth, anchored),
  };
}

function anchoredSettings(
  oauth: Exclude<WrittenServer["oauth"], false | undefined>,
  anchored: (text: string, ...path: JsonPath) => string,
): WrittenServer["oauth"] {
  const all = Object.entries(oauth).map(([name, value]) => {
    return [name, typeof value === "string" ? anchored(value, "oauth", name) : value] as const;
  });
  return Object.fromEntries(all);
}

/** A reference cannot contain braces. Replacing them by `?` makes the file missing, so that no other one is read. */
function anchoredFile({ kind, name, written }: VariableReference, folder: string): string {
  if (kind !== "file" || name === "") return written;
  const at = written.lastIndexOf(name);
  const path = anchorPath(name, folder, NO_VARIABLES).replace(/[{}]/g, "?");
  return written.slice(0, at) + path + written.slice(at + name.length);
}
