import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { promisify } from "node:util";
import { McpError } from "@jackfield/mcp-core";
import { fileSystem, PrivateFolder } from "@jackfield/mcp-core/node";
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

/** Texts may be large: writing and reading them does not hold up the process. */
const readFile = promisify(fileSystem.readFile);
const writeFile = promisify(fileSystem.writeFile);

const PAGE_LENGTH = 20_000;
/** A page too short for a whole character would be followed by the same page for ever. */
const SHORTEST_PAGE = 2;

/**
 * Keeps results as private files in a private directory (`PrivateFolder`), which is created if missing. Nothing is kept in a directory
 * that is a link, belongs to another user or grants others any access. File names are random, and only files that this object wrote
 * are ever read, so neither a server nor a model can name another file. The files stay until somebody removes them.
 */
export function resultDirectory(directory: string): ResultDirectory {
  const kept = new Map<string, Provenance>();
  const folder = new PrivateFolder(directory);
  return {
    async save(text, provenance) {
      const name = `${randomUUID()}.txt`;
      try {
        const file = folder.create(name);
        await writeFile(file, text).finally(() => fileSystem.closeSync(file));
      } catch {
        // A full disk, or a directory that cannot be used, costs the model the rest of a text, not the call.
        await discard(folder, name);
        return undefined;
      }
      kept.set(folder.pathOf(name), provenance);
      return folder.pathOf(name);
    },
    async read(place, offset = 0, length = PAGE_LENGTH) {
      const provenance = kept.get(place);
      if (provenance === undefined) throw unknownPlace(place);
      const text = await readOwnFile(folder, place);
      const from = Math.max(0, Math.trunc(offset) || 0);
      const page = cutText(text.slice(from), Math.max(SHORTEST_PAGE, Math.trunc(length) || PAGE_LENGTH));
      const end = from + page.length;
      return { text: page, provenance, nextOffset: end < text.length ? end : undefined };
    },
  };
}

async function discard(folder: PrivateFolder, name: string): Promise<void> {
  try {
    folder.remove(name);
  } catch {
    // The directory is not usable, so nothing is in it.
  }
}

async function readOwnFile(folder: PrivateFolder, place: string): Promise<string> {
  const file = openOwnFile(folder, place);
  if (file === undefined) throw unknownPlace(place);
  return readFile(file, "utf8").finally(() => fileSystem.closeSync(file));
}

function openOwnFile(folder: PrivateFolder, place: string): number | undefined {
  try {
    const file = folder.open(basename(place));
    return typeof file === "number" ? file : undefined;
  } catch {
    return undefined;
  }
}

function unknownPlace(place: string): McpError {
  const message = `No result is stored as "${place.slice(0, 200)}"; use the place named in the notice.`;
  return new McpError("MCP_REQUEST_REJECTED", message);
}
