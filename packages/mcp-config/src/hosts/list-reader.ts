import { diagnose, type Report } from "../diagnostic-codes.ts";
import { fieldName, type JsonPath } from "../documents/json-path.ts";
import { isMap, type JsonMap, kindOf } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "../sources/config-problem.ts";
import type { HostDocument, ListVerdict } from "./host-dialect.ts";

/** Reads what documents say about servers outside their entries. Reports each unreadable value once. */
export interface ListReader {
  /** The value at a path; `undefined` if there is none. Everything on the way must be an object. */
  value(document: HostDocument, path: JsonPath): unknown;
  /** A list at a path; `undefined` if there is none, or it is something else. */
  list(document: HostDocument, path: JsonPath): readonly unknown[] | undefined;
  /** An object at a path; `undefined` if there is none, or it is something else. */
  map(document: HostDocument, path: JsonPath): JsonMap | undefined;
  /**
   * A switch at a path; `undefined` if there is none, or it is something else. `outcome` is the message's sentence on what happens
   * if it cannot be read; an administrator's has its own.
   */
  flag(document: HostDocument, path: JsonPath, outcome: string): boolean | undefined;
  /** Reports that the value at a path must be something else; `outcome` is a sentence on what happens. */
  refuse(document: HostDocument, path: JsonPath, wanted: string, outcome: string): void;
  /**
   * The verdict on every server once a list, object or switch of an administrator cannot be read, since it might exclude any of
   * them. One of the user's own, or a project's, is only left out.
   */
  readonly denyAllVerdict: ListVerdict | undefined;
}

export function createListReader(report: Report): ListReader {
  const told = new Set<string>();
  let denyAllVerdict: ListVerdict | undefined;
  const refuse: ListReader["refuse"] = ({ document }, path, wanted, outcome) => {
    const location = document?.locate(path) ?? {};
    const message = `${describeLocation(location)}: ${quote(fieldName(path))} must be ${wanted}. ${outcome}`;
    if (told.has(message)) return;
    told.add(message);
    report(diagnose("invalid-field", message, location));
  };
  const leaveOut = (
    document: HostDocument,
    path: JsonPath,
    wanted: string,
    found: unknown,
    outcome = "It is left out.",
  ) => {
    const isManaged = document.scope === "managed";
    refuse(document, path, `${wanted}, not ${kindOf(found)}`, isManaged ? "So no server is used." : outcome);
    if (isManaged) denyAllVerdict ??= { disabledBy: fieldName(path), because: "what it says cannot be read" };
  };
  const valueAt = (document: HostDocument, path: JsonPath, outcome?: string) => {
    let found: unknown = document.content;
    for (const [depth, step] of path.entries()) {
      if (!isMap(found)) {
        leaveOut(document, path.slice(0, depth), "an object", found, outcome);
        return undefined;
      }
      if (!Object.hasOwn(found, step)) return undefined;
      found = found[step];
    }
    return found;
  };
  const value: ListReader["value"] = (document, path) => valueAt(document, path);
  return {
    value,
    list(document, path) {
      const found = value(document, path);
      if (found === undefined || Array.isArray(found)) return found;
      leaveOut(document, path, "a list", found);
      return undefined;
    },
    map(document, path) {
      const found = value(document, path);
      if (found === undefined || isMap(found)) return found;
      leaveOut(document, path, "an object", found);
      return undefined;
    },
    flag(document, path, outcome) {
      const found = valueAt(document, path, outcome);
      if (found === undefined || typeof found === "boolean") return found;
      leaveOut(document, path, "true or false", found, outcome);
      return undefined;
    },
    refuse,
    get denyAllVerdict() {
      return denyAllVerdict;
    },
  };
}

/** The verdict on every server if an administrator's file of this kind exists but cannot be read. */
export function brokenPolicy(documents: readonly HostDocument[], kind: string): ListVerdict | undefined {
  const broken = documents.find((document) => document.isBroken && document.kind === kind);
  return broken && { disabledBy: broken.file ?? kind, because: "the file cannot be read" };
}
