import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { McpError } from "@jackfield/mcp-core";
import type { Provenance } from "../marking/boundary.ts";
import { cutText } from "./cut-text.ts";

/** Keeps the full text of results that were cut. */
export interface ResultStore {
  /** @returns the name by which a model may refer to the text, or `undefined` if it could not be kept. */
  save(text: string, provenance: Provenance): Promise<string | undefined>;
}

/** A part of a kept result. */
export interface ResultPage {
  /** As the server sent it: enclose it (`encloseUntrusted`) before a model reads it. */
  readonly text: string;
  readonly provenance: Provenance;
  /** Where to go on, in UTF-16 units; `undefined` at the end. */
  readonly nextOffset: number | undefined;
}

/** A directory of kept results that can be read page by page. */
export interface ResultDirectory extends ResultStore {
  /**
   * Reads a page of a kept result: a tool that an agent can offer to its model.
   *
   * @param place - as the notice names it.
   * @param offset - where to begin, in UTF-16 units. Default 0.
   * @param length - maximum number of UTF-16 units to read; at least 2, which one character may take. Default 20,000.
   * @throws McpError `MCP_REQUEST_REJECTED` for a place that this directory did not give out, or whose file is gone.
   */
  read(place: string, offset?: number, length?: number): Promise<ResultPage>;
}

const OTHERS_MAY_ANYTHING = 0o077;
const PAGE_LENGTH = 20_000;
/** A page too short for a whole character would be followed by the same page for ever. */
const SHORTEST_PAGE = 2;

/**
 * Keeps results as files of mode 0600 in a directory of mode 0700, which is created if missing. An existing directory must be
 * private: nothing is kept in a link, or in a directory that belongs to another user or grants others any access. File names
 * are random, and only files that this object wrote are ever read, so neither a server nor a model can name another file. The
 * files stay until somebody removes them.
 */
export function resultDirectory(directory: string): ResultDirectory {
  const kept = new Map<string, Provenance>();
  return {
    async save(text, provenance) {
      const path = join(directory, `${randomUUID()}.txt`);
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        // `mkdir` sets the mode only of a directory that it creates.
        const found = await lstat(directory);
        if (!found.isDirectory() || !isOwn(found, OTHERS_MAY_ANYTHING)) return undefined;
        await writeFile(path, text, { mode: 0o600, flag: "wx" });
      } catch {
        await rm(path, { force: true }).catch(() => undefined);
        // A full disk costs the model the rest of a text, not the call.
        return undefined;
      }
      kept.set(path, provenance);
      return path;
    },
    async read(place, offset = 0, length = PAGE_LENGTH) {
      const provenance = kept.get(place);
      if (provenance === undefined) throw unknownPlace(place);
      const text = await readOwnFile(place);
      const from = Math.max(0, Math.trunc(offset) || 0);
      const page = cutText(text.slice(from), Math.max(SHORTEST_PAGE, Math.trunc(length) || PAGE_LENGTH));
      const end = from + page.length;
      return { text: page, provenance, nextOffset: end < text.length ? end : undefined };
    },
  };
}

/** Windows has neither owners nor modes: there a directory is private because it lies in the user's profile. */
function isOwn({ uid, mode }: Stats, refusedModes = 0): boolean {
  const user = process.getuid?.();
  return user === undefined || (uid === user && (mode & refusedModes) === 0);
}

/** Neither blocks on a pipe nor follows a link that somebody may have put in the place of the file. */
const READ_ONLY_IN_PLACE = constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readOwnFile(place: string): Promise<string> {
  const file = await open(place, READ_ONLY_IN_PLACE).catch(() => undefined);
  try {
    const found = await file?.stat();
    if (file !== undefined && found?.isFile() && isOwn(found)) return await file.readFile("utf8");
  } finally {
    await file?.close();
  }
  throw unknownPlace(place);
}

function unknownPlace(place: string): McpError {
  const message = `No result is stored as "${place.slice(0, 200)}"; use the place named in the notice.`;
  return new McpError("MCP_REQUEST_REJECTED", message);
}
