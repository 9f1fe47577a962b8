import { isRecord } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import { fieldName, type JsonPath } from "../documents/json-path.ts";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "../sources/config-problem.ts";
import type { HostDocument, ListVerdict } from "./host-dialect.ts";

/** Reads what documents say about servers outside their entries. Reports each unreadable value once. */
export class ListReader {
  readonly #report: Report;
  readonly #told = new Set<string>();
  #denyAllVerdict: ListVerdict | undefined;

  constructor(report: Report) {
    this.#report = report;
  }

  /**
   * The verdict on every server once a list, object or switch of an administrator cannot be read, since it might exclude any of
   * them. One of the user's own, or a project's, is only left out.
   */
  get denyAllVerdict(): ListVerdict | undefined {
    return this.#denyAllVerdict;
  }

  /**
   * The value at a path; `undefined` if there is none. Everything on the way must be an object. `outcome` is the message's sentence
   * on what happens if it is not; an administrator's has its own.
   */
  value(document: HostDocument, path: JsonPath, outcome?: string): unknown {
    let found: unknown = document.content;
    for (const [depth, step] of path.entries()) {
      if (!isRecord(found)) {
        this.#leaveOut(document, path.slice(0, depth), "an object", found, outcome);
        return undefined;
      }
      if (!Object.hasOwn(found, step)) return undefined;
      found = found[step];
    }
    return found;
  }

  /** A list at a path; `undefined` if there is none, or it is something else. */
  list(document: HostDocument, path: JsonPath): readonly unknown[] | undefined {
    const found = this.value(document, path);
    if (found === undefined || Array.isArray(found)) return found;
    this.#leaveOut(document, path, "a list", found);
    return undefined;
  }

  /** An object at a path; `undefined` if there is none, or it is something else. */
  map(document: HostDocument, path: JsonPath): JsonMap | undefined {
    const found = this.value(document, path);
    if (found === undefined || isRecord(found)) return found;
    this.#leaveOut(document, path, "an object", found);
    return undefined;
  }

  /** A switch at a path; `undefined` if there is none, or it is something else. `outcome` is as that of `value`. */
  flag(document: HostDocument, path: JsonPath, outcome: string): boolean | undefined {
    const found = this.value(document, path, outcome);
    if (found === undefined || typeof found === "boolean") return found;
    this.#leaveOut(document, path, "true or false", found, outcome);
    return undefined;
  }

  /** Reports that the value at a path must be something else; `outcome` is a sentence on what happens. */
  refuse({ document }: HostDocument, path: JsonPath, wanted: string, outcome: string): void {
    const location = document?.locate(path) ?? {};
    const message = `${describeLocation(location)}: ${quote(fieldName(path))} must be ${wanted}. ${outcome}`;
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#report(diagnose("invalid-field", message, location));
  }

  #leaveOut(
    document: HostDocument,
    path: JsonPath,
    wanted: string,
    found: unknown,
    outcome = "It is left out.",
  ): void {
    const isManaged = document.scope === "managed";
    const effect = isManaged ? "So no server is used." : outcome;
    this.refuse(document, path, `${wanted}, not ${kindOf(found)}`, effect);
    if (isManaged)
      this.#denyAllVerdict ??= { disabledBy: fieldName(path), because: "what it says cannot be read" };
  }
}

/** The verdict on every server if an administrator's file of this kind exists but cannot be read. */
export function brokenPolicy(documents: readonly HostDocument[], kind: string): ListVerdict | undefined {
  const broken = documents.find((document) => document.isBroken && document.kind === kind);
  return broken && { disabledBy: broken.file ?? kind, because: "the file cannot be read" };
}
