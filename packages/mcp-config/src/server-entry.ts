import { isAbsolute } from "node:path";
import type {
  DefinedIn,
  Diagnostic,
  InProcessServerDefinition,
  McpError,
  ServerDefinition,
  ServerLimits,
  SourceLocation,
  ToolFilter,
} from "@jackfield/mcp-core";
import { anchorCommand, anchorPath } from "./anchored-path.ts";
import { invalidServer } from "./config-problem.ts";
import { createEntryFields, type EntryFields, type FaultAt } from "./entry-fields.ts";
import { isKnownField, isSelfApproval, meantField } from "./field-hints.ts";
import { isHeaderName, isHttpUrl } from "./http-syntax.ts";
import type { JsonPath } from "./json-path.ts";
import { isMap, type JsonMap, kindOf } from "./json-value.ts";
import { isLoaderVariable, LOADER_FAULT } from "./loader-variables.ts";
import { BOUNDARY_FAULT, climbsOut, isInside, projectRoot } from "./project-boundary.ts";
import { environmentNameFault } from "./safe-environment.ts";
import { quote, serverNameFault } from "./server-name.ts";
import { readTransport } from "./transport-field.ts";
import { hasVariables } from "./variables.ts";

/** Where an entry stands. */
export interface EntryPlace {
  readonly name: string;
  readonly definedIn: DefinedIn;
  /** What a relative `cwd`, `command` or `envFile` is relative to. */
  readonly directory: string;
  /** Written in code, so that it may hold a server itself. */
  readonly inCode: boolean;
  /** The place of something inside the entry; the empty path is the entry itself. */
  locate(path: JsonPath): SourceLocation;
}

/**
 * Makes a definition of one entry as it was written. Values stay unexpanded. A known field of the wrong type refuses the
 * entry, because a limit or a filter that is silently dropped protects nobody; unknown fields are kept in `extra`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` with the place of the first fault.
 */
export function readServerEntry(
  entry: unknown,
  place: EntryPlace,
  report: (diagnostic: Diagnostic) => void,
): ServerDefinition {
  const faultAt: FaultAt = (path, text) => invalidServer(place.name, place.locate(path), text);
  const nameFault = serverNameFault(place.name);
  if (nameFault) throw faultAt([], `${nameFault}; choose another.`);
  if (!isMap(entry)) {
    throw faultAt(
      [],
      `the entry must be an object, not ${kindOf(entry)}; write { "command": "…" } or { "url": "…" }.`,
    );
  }
  reportHints(entry, place, report);
  const fields = createEntryFields(entry, faultAt);
  const definition = readDefinition(fields, place, faultAt);
  const extra = fields.rest();
  reportUnused(Object.keys(extra ?? {}), definition, place, report);
  return extra ? { ...definition, extra } : definition;
}

function readDefinition(fields: EntryFields, place: EntryPlace, faultAt: FaultAt): ServerDefinition {
  const { name, definedIn } = place;
  const transport = readTransport(fields, place.inCode, faultAt);
  const common = {
    name,
    definedIn,
    enabled: readEnabled(fields),
    lazy: fields.flag("lazy"),
    limits: readLimits(fields),
    tools: readToolFilter(fields, faultAt),
  };
  if (transport === "in-process") return { ...common, transport, server: readInstance(fields, faultAt) };
  if (transport === "stdio") return { ...common, transport, ...readProcess(fields, place, faultAt) };
  return { ...common, transport, ...readRemote(fields, place, faultAt) };
}

function readProcess(fields: EntryFields, place: EntryPlace, faultAt: FaultAt) {
  return {
    command: readCommand(fields, place, faultAt),
    args: fields.texts("args"),
    ...readVariables(fields, place, faultAt),
    cwd: readPath("cwd", fields, place, faultAt),
  };
}

function readRemote(fields: EntryFields, place: EntryPlace, faultAt: FaultAt) {
  const url = fields.text("url") ?? "";
  if (!hasVariables(url) && !isHttpUrl(url)) {
    throw faultAt(["url"], `"url" must be a whole URL that begins with http:// or https://.`);
  }
  return {
    url,
    headers: fields.textMap("headers", (name) =>
      isHeaderName(name) ? undefined : "is no valid header name",
    ),
    ...readVariables(fields, place, faultAt),
  };
}

function readCommand(fields: EntryFields, { definedIn, directory }: EntryPlace, faultAt: FaultAt): string {
  const written = fields.text("command") ?? "";
  const root = projectRoot(definedIn);
  if (root !== undefined && !hasVariables(written) && climbsOut(written, root)) {
    throw faultAt(["command"], `"command" ${BOUNDARY_FAULT}.`);
  }
  return anchorCommand(written, directory);
}

/** A path with variables is checked when they are filled in. */
function readPath(
  field: string,
  fields: EntryFields,
  { definedIn, directory }: EntryPlace,
  faultAt: FaultAt,
) {
  const written = fields.text(field);
  if (written === undefined) return undefined;
  const path = anchorPath(written, directory);
  const root = projectRoot(definedIn);
  if (root !== undefined && !hasVariables(path) && !isInside(path, root)) {
    throw faultAt([field], `${quote(field)} ${BOUNDARY_FAULT}.`);
  }
  return path;
}

function readVariables(fields: EntryFields, place: EntryPlace, faultAt: FaultAt) {
  const isOfProject = place.definedIn.scope === "project";
  const nameFault = (name: string) =>
    isOfProject && isLoaderVariable(name, process.platform) ? LOADER_FAULT : environmentNameFault(name);
  return { env: fields.textMap("env", nameFault), envFile: readPath("envFile", fields, place, faultAt) };
}

function readInstance(fields: EntryFields, faultAt: FaultAt): InProcessServerDefinition["server"] {
  const server = fields.value("server");
  const isInstance = isMap(server) && typeof server.connect === "function";
  if (!isInstance && typeof server !== "function") {
    const text = `"server" must be an MCP server or a function that makes one, not ${kindOf(server)}.`;
    throw faultAt(["server"], text);
  }
  return server as InProcessServerDefinition["server"];
}

/** Either switch turns the server off. */
function readEnabled(fields: EntryFields): false | undefined {
  const enabled = fields.flag("enabled");
  const disabled = fields.flag("disabled");
  return enabled === false || disabled === true ? false : undefined;
}

function readLimits(fields: EntryFields): ServerLimits | undefined {
  const timeout = fields.time("timeout");
  const limits: ServerLimits = {
    connectTimeoutMs: fields.time("connectTimeoutMs"),
    callTimeoutMs: fields.time("callTimeoutMs") ?? timeout,
    maxTotalMs: fields.time("maxTotalMs"),
    maxMessageBytes: fields.amount("maxMessageBytes"),
    trustAnnotations: fields.flag("trustAnnotations"),
  };
  const isAnySet = Object.values(limits).some((limit) => limit !== undefined);
  return isAnySet ? limits : undefined;
}

function readToolFilter(fields: EntryFields, faultAt: FaultAt): ToolFilter | undefined {
  const written = fields.value("tools");
  if (written === undefined) return undefined;
  if (!isMap(written)) {
    throw faultAt(
      ["tools"],
      `"tools" must be an object with "include" or "exclude", not ${kindOf(written)}.`,
    );
  }
  const filter = createEntryFields(written, (path, text): McpError => faultAt(["tools", ...path], text));
  const include = filter.texts("include");
  const exclude = filter.texts("exclude");
  const [stray] = Object.keys(filter.rest() ?? {});
  if (stray !== undefined) {
    throw faultAt(["tools", stray], `"tools" has "include" and "exclude" only, not ${quote(stray)}.`);
  }
  return { include, exclude };
}

function reportHints(entry: JsonMap, place: EntryPlace, report: (diagnostic: Diagnostic) => void): void {
  for (const field of Object.keys(entry)) {
    const location = { ...place.locate([field]), server: place.name };
    const meant = meantField(field);
    if (isSelfApproval(field)) {
      const message = `Server ${quote(place.name)}: ${quote(field)} is ignored; an entry cannot approve itself.`;
      report({ code: "self-approval", severity: "warning", message, ...location });
    } else if (meant) {
      const message = `Server ${quote(place.name)}: ${quote(field)} is not read; did you mean ${quote(meant)}?`;
      report({ code: "unknown-field", severity: "info", message, ...location });
    }
  }
}

function reportUnused(
  unread: readonly string[],
  definition: ServerDefinition,
  place: EntryPlace,
  report: (diagnostic: Diagnostic) => void,
): void {
  const server = place.name;
  for (const field of unread.filter(isKnownField)) {
    const message = `Server ${quote(server)}: ${quote(field)} means nothing for a server of type ${definition.transport}.`;
    report({ code: "unused-field", severity: "warning", message, ...place.locate([field]), server });
  }
  if (definition.transport !== "stdio" || definition.args !== undefined) return;
  if (/\s/.test(definition.command) && !isAbsolute(definition.command)) {
    const message = `Server ${quote(server)}: "command" is one executable and is never split; put arguments in "args".`;
    report({
      code: "command-has-spaces",
      severity: "warning",
      message,
      ...place.locate(["command"]),
      server,
    });
  }
}
