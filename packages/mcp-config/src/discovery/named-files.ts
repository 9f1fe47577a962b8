import { resolve } from "node:path";
import type { DefinedIn } from "@jackfield/mcp-core";
import type { ConfigDiagnostic } from "../diagnostic-codes.ts";
import { kindOf } from "../documents/json-value.ts";
import type { FindingContext } from "../hosts/host-dialect.ts";
import { JACKFIELD } from "../hosts/jackfield.ts";
import { limitReport } from "../limited-report.ts";
import { readConfigFile } from "../sources/config-file.ts";
import { invalidSource } from "../sources/config-problem.ts";
import { parseHostText, problemOf } from "../sources/host-document.ts";
import { readHostServersSafely } from "../sources/host-servers.ts";
import type { ServerSource } from "../sources/server-source.ts";

const CONTEXT: FindingContext = {
  folders: [],
  isStandaloneFile: false,
  platform: process.platform,
  remark: () => {},
};

/** Reads files that were named by the caller, in Jackfield's own form. A file that is missing is a problem. */
export async function readNamedFiles(files: unknown, cwd: string): Promise<readonly ServerSource[]> {
  if (files === undefined) return [];
  if (!Array.isArray(files))
    return [unusable("/files", `it must be an array of paths, not ${kindOf(files)}.`)];
  const loaded = new Set<string>();
  const seen = new Set<string>();
  const sources = files.map((file: unknown, index) => {
    if (typeof file !== "string" || file === "") {
      const what = file === "" ? "an empty string" : kindOf(file);
      return unusable(
        `/files/${index}`,
        `it must be the path of a file, not ${what}; the other files are read.`,
      );
    }
    const path = resolve(cwd, file);
    if (seen.has(path)) return [];
    seen.add(path);
    return readNamedFile(path, loaded);
  });
  return (await Promise.all(sources)).flat();
}

function unusable(pointer: string, text: string): ServerSource {
  const definedIn: DefinedIn = { scope: "explicit", pointer: "/files" };
  const error = invalidSource({ pointer }, text);
  return { entries: [], problems: [{ definedIn, error, kind: "ConfigShapeError" }], diagnostics: [] };
}

/** @param loaded - the real paths of files already loaded: a file that two paths lead to is loaded once */
async function readNamedFile(file: string, loaded: Set<string>): Promise<ServerSource> {
  const diagnostics: ConfigDiagnostic[] = [];
  const { report, reportRest } = limitReport((diagnostic) => diagnostics.push(diagnostic));
  const source = { file, scope: "explicit", kind: "named", format: JACKFIELD.format } as const;
  const found = readConfigFile(file, report);
  if (!("text" in found)) {
    return { entries: [], problems: [problemOf(source, found.kind, found.error)], diagnostics };
  }
  const { text, realFile } = found;
  const itself = realFile ?? file;
  if (loaded.has(itself)) return { entries: [], problems: [], diagnostics: [] };
  loaded.add(itself);
  const { document, problem } = await parseHostText(
    { ...source, text, realFile, servers: JACKFIELD.servers, dialect: JACKFIELD },
    report,
  );
  const documents = document ? [document] : [];
  const host = { dialect: JACKFIELD, documents, isExclusive: false, isTrusted: true };
  const { entries, problems } = readHostServersSafely(host, CONTEXT, report);
  reportRest();
  return { entries, problems: problem ? [problem, ...problems] : problems, diagnostics };
}
