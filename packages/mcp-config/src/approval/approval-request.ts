import type { ServerDefinition } from "@jackfield/mcp-core";
import { type VariableKind, variableKind } from "../loader-variables.ts";
import type { PartPlace } from "../project-boundary.ts";
import { withoutDerived } from "./approved-fields.ts";
import { type LaunchedPackage, launchedPackage } from "./package-pin.ts";
import { quotedText, visibleText } from "./visible-text.ts";

/** What the user is asked to approve: a definition, and what is notable about it. */
export interface ServerApprovalRequest {
  /** Approval covers exactly this content, even if its file changes later. */
  readonly definition: ServerDefinition;
  /** What its command fetches. Neither this nor `env` says that the entry is safe: a pinned package can be anybody's. */
  readonly package: LaunchedPackage;
  /** Each variable of its `env`, and what it does as far as its name tells. */
  readonly env: readonly { readonly name: string; readonly kind: VariableKind }[];
  /** The variables in `env` that are not known to be plain data: kinds `loader` and `not-recognised`. */
  readonly dangerousEnv: readonly string[];
  /** What may be other code tomorrow: the package, or the command if it is not recognised. `undefined` for kinds `pinned` and `none`. */
  readonly unpinnedPackage: string | undefined;
  /** The definition as lines of text that cannot be misread; nothing is left out or cut. */
  readonly text: string;
}

/** Describes a definition to the user who decides about it. */
export function approvalRequest(
  definition: ServerDefinition,
  platform: NodeJS.Platform = process.platform,
): ServerApprovalRequest {
  const written = "env" in definition ? Object.keys(definition.env ?? {}) : [];
  const env = written.map((name) => ({ name, kind: variableKind(name, platform) }));
  const launched = launchedPackage(definition);
  const request = {
    definition,
    package: launched,
    env,
    dangerousEnv: env.filter(({ kind }) => kind !== "data").map(({ name }) => name),
    unpinnedPackage: launched.kind === "none" || launched.kind === "pinned" ? undefined : launched.name,
  };
  return { ...request, text: describe(request) };
}

function describe(request: Omit<ServerApprovalRequest, "text">): string {
  const { definition } = request;
  const { name, definedIn } = definition;
  const { file, realFile, line } = definedIn;
  const lines = [
    `server   ${quotedText(name)}`,
    `file     ${visibleText(realFile ?? file ?? "none")}${line === undefined ? "" : `, line ${line}`}`,
    ...partLines(definition),
    ...transportLines(definition),
    ...restLines(withoutDerived(definition)),
    ...hintLines(request),
  ];
  return lines.join("\n");
}

/** What is notable, and what nothing is known about: silence would look like safety. */
function hintLines({ package: launched, env }: Omit<ServerApprovalRequest, "text">): string[] {
  const ofKind = (kind: VariableKind) =>
    env.filter((variable) => variable.kind === kind).map(({ name }) => visibleText(name));
  const unknown = ofKind("not-recognised");
  const hints = ofKind("loader").map(
    (name) => `warning  ${name} makes programs load or run other code, or trust other servers`,
  );
  if (unknown.length > 0) hints.push(`unknown  what these variables do: ${unknown.join(", ")}`);
  if (launched.kind === "unpinned")
    hints.push(
      `warning  ${quotedText(launched.name)} is fetched in its newest version; pin an exact version`,
    );
  if (launched.kind === "not-recognised")
    hints.push("unknown  what the command runs, and whether that stays the same");
  return hints;
}

/** For a joined entry: which file wrote which field. */
function partLines({ definedIn: { parts = {} } }: ServerDefinition): string[] {
  return Object.keys(parts)
    .sort()
    .map((field) => {
      const { scope, file, realFile, root } = parts[field] as PartPlace;
      const folder = root === undefined ? "" : `, for ${quotedText(root)}`;
      return `from     ${quotedText(realFile ?? file ?? "none")} (${scope}${folder}): ${visibleText(field)}`;
    });
}

function transportLines(definition: ServerDefinition): string[] {
  switch (definition.transport) {
    case "stdio":
      return [
        `command  ${quotedText(definition.command)}`,
        ...(definition.args ?? []).map(
          (arg, index) => `arg ${String(index + 1).padEnd(4)} ${quotedText(arg)}`,
        ),
        ...(definition.cwd === undefined ? [] : [`cwd      ${quotedText(definition.cwd)}`]),
      ];
    case "in-process":
      return ["runs     in this process"];
    default:
      return [`url      ${quotedText(definition.url)} (${definition.transport})`];
  }
}

const SHOWN_ELSEWHERE = new Set([
  "name",
  "definedIn",
  "transport",
  "command",
  "args",
  "cwd",
  "url",
  "server",
  "shadows",
  "disabledBy",
]);

/** The other fields as JSON, so that the reader sees everything that the approval covers. */
function restLines(definition: ServerDefinition): string[] {
  return Object.entries(definition).flatMap(([field, value]) => {
    if (SHOWN_ELSEWHERE.has(field) || value === undefined) return [];
    if (field !== "env" && field !== "headers")
      return [`${field.padEnd(8)} ${visibleText(JSON.stringify(value))}`];
    return Object.entries(value as Record<string, string>).map(
      ([name, template]) => `${field.padEnd(8)} ${visibleText(name)}=${quotedText(template)}`,
    );
  });
}
