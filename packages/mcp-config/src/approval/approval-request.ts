import type { ServerDefinition } from "@jackfield/mcp-core";
import { isLoaderVariable } from "../loader-variables.ts";
import type { PartPlace } from "../project-boundary.ts";
import { withoutDerived } from "./approved-fields.ts";
import { unpinnedPackage } from "./package-pin.ts";
import { quotedText, visibleText } from "./visible-text.ts";

/** What the user is asked to approve: a definition, and what is notable about it. */
export interface ServerApprovalRequest {
  /** Approval covers exactly this content, even if its file changes later. */
  readonly definition: ServerDefinition;
  /** Variables of its `env` that make programs load or run other code. */
  readonly dangerousEnv: readonly string[];
  /** The package that the command fetches in its newest version, if it names no exact one. */
  readonly unpinnedPackage: string | undefined;
  /** The definition as lines of text that cannot be misread; nothing is left out or cut. */
  readonly text: string;
}

/** Describes a definition to the user who decides about it. */
export function approvalRequest(
  definition: ServerDefinition,
  platform: NodeJS.Platform = process.platform,
): ServerApprovalRequest {
  const env = "env" in definition ? Object.keys(definition.env ?? {}) : [];
  const request = {
    definition,
    dangerousEnv: env.filter((name) => isLoaderVariable(name, platform)),
    unpinnedPackage: unpinnedPackage(definition),
  };
  return { ...request, text: describe(request) };
}

function describe({
  definition,
  dangerousEnv,
  unpinnedPackage,
}: Omit<ServerApprovalRequest, "text">): string {
  const { name, definedIn } = definition;
  const { file, realFile, line } = definedIn;
  const lines = [
    `server   ${quotedText(name)}`,
    `file     ${visibleText(realFile ?? file ?? "none")}${line === undefined ? "" : `, line ${line}`}`,
    ...partLines(definition),
    ...transportLines(definition),
    ...restLines(withoutDerived(definition)),
    ...dangerousEnv.map(
      (variable) => `warning  ${visibleText(variable)} makes programs load or run other code`,
    ),
    ...(unpinnedPackage === undefined
      ? []
      : [`warning  ${quotedText(unpinnedPackage)} is fetched in its newest version; pin an exact version`]),
  ];
  return lines.join("\n");
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
