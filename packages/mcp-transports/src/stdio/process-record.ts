import { isRecord } from "@jackfield/mcp-core";
import type { ProcessIdentity } from "./process-snapshot.ts";

/** The scope in which process numbers are meaningful: one machine, one boot, one PID namespace. */
export interface ProcessPlace {
  readonly machine: string;
  readonly boot: string;
  readonly pidNamespace: string;
}

/** A process tree as it is recorded. */
export interface RecordedTree {
  readonly server: string;
  readonly command: string;
  readonly processes: readonly ProcessIdentity[];
}

/** What one connector of a host has started. It holds no arguments and no variables, because they may be secrets. */
export interface ProcessRecord {
  readonly version: 1;
  readonly place: ProcessPlace;
  readonly host: ProcessIdentity;
  readonly trees: readonly RecordedTree[];
}

/** Reads a record; `undefined` for anything else. */
export function parseProcessRecord(text: string): ProcessRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isProcessRecord(value) ? value : undefined;
}

function isProcessRecord(value: unknown): value is ProcessRecord {
  if (!isRecord(value) || value.version !== 1 || !isRecord(value.place)) return false;
  const { machine, boot, pidNamespace } = value.place;
  return (
    [machine, boot, pidNamespace].every((value) => typeof value === "string") &&
    isIdentity(value.host) &&
    isListOf(value.trees, isTree)
  );
}

function isTree(value: unknown): value is RecordedTree {
  return (
    isRecord(value) &&
    typeof value.server === "string" &&
    typeof value.command === "string" &&
    isListOf(value.processes, isIdentity)
  );
}

/** A number of 1 or less is never a child process. A signal to it could reach every process. */
function isIdentity(value: unknown): value is ProcessIdentity {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value.pid) &&
    Number(value.pid) > 1 &&
    typeof value.start === "string"
  );
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}
