import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { McpError } from "@jackfield/mcp-core";
import { cutText } from "./cut-text.ts";

/** Keeps the whole of results that were cut. */
export interface ResultStore {
  /** @returns how a model may name what was kept, or `undefined` if it could not be kept. */
  save(text: string): Promise<string | undefined>;
}

/** A part of a result that was kept. */
export interface ResultPage {
  readonly text: string;
  /** Where to go on, in UTF-16 units; `undefined` at the end. */
  readonly nextOffset: number | undefined;
}

export interface ResultDirectory extends ResultStore {
  /**
   * Reads on in a kept result: a tool that an agent can offer to its model.
   *
   * @param place as the notice names it.
   * @param offset from where, in UTF-16 units. Default 0.
   * @param length at most so many. Default 20,000.
   * @throws McpError `MCP_REQUEST_REJECTED` for a place this directory did not give out.
   */
  read(place: string, offset?: number, length?: number): Promise<ResultPage>;
}

const PAGE_LENGTH = 20_000;

/**
 * Keeps results as files of mode 0600 in a directory of mode 0700, which is made when missing. A file is named at random,
 * and only what this object wrote is ever read, so neither a server nor a model can name another file. The files stay
 * until somebody removes them.
 */
export function resultDirectory(directory: string): ResultDirectory {
  const kept = new Set<string>();
  return {
    async save(text) {
      const path = join(directory, `${randomUUID()}.txt`);
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeFile(path, text, { mode: 0o600, flag: "wx" });
      } catch {
        await rm(path, { force: true }).catch(() => undefined);
        // A full disk costs the model the rest of a text, not the call.
        return undefined;
      }
      kept.add(path);
      return path;
    },
    async read(place, offset = 0, length = PAGE_LENGTH) {
      if (!kept.has(place)) throw unknownPlace(place);
      const text = await readFile(place, "utf8");
      const page = cutText(text.slice(offset), length);
      const end = offset + page.length;
      return { text: page, nextOffset: end < text.length ? end : undefined };
    },
  };
}

function unknownPlace(place: string): McpError {
  const message = `No result was kept as "${place.slice(0, 200)}"; use the place that the notice names.`;
  return new McpError("MCP_REQUEST_REJECTED", message);
}
