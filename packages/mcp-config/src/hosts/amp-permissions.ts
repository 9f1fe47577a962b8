import { isRecord } from "@jackfield/mcp-core";
import { diagnose, type Report } from "../diagnostic-codes.ts";
import { type JsonMap, kindOf } from "../documents/json-value.ts";
import type { WrittenServer } from "../entries/written-server.ts";
import { joinWords, type KnownText, mayBeMadeOf } from "../filters/known-text.ts";
import { matchesGlob, withLowerBeginning } from "../filters/server-pattern.ts";
import { urlDenial } from "../filters/url-spelling.ts";
import { quote } from "../server-name.ts";
import { describeLocation } from "../sources/config-problem.ts";
import { braces } from "../variable-syntax.ts";
import type { VariableDialect } from "../variables.ts";
import type { FindingContext, HostDocument, ReadLists } from "./host-dialect.ts";
import { type KnownTarget, knownTarget } from "./known-target.ts";
import { brokenPolicy } from "./list-reader.ts";

const LIST = "amp.mcpPermissions";

/** How entries of Amp refer to variables. */
export const AMP_VARIABLES: VariableDialect = { syntaxes: [braces()], whenUnset: "fail", ownEnv: "remote" };

type Condition = (target: KnownTarget) => boolean;

/** The action for servers that meet all conditions. */
interface Rule {
  readonly action: "allow" | "reject";
  readonly conditions: readonly Condition[];
}

/**
 * Applies Amp's rules: the first rule that matches decides, and a server that none matches is allowed. The strongest file with
 * rules counts; a project's rules apply in addition, so that they can reject more but allow nothing that was rejected. An
 * administrator's file that cannot be read lets nothing through.
 */
export function readAmpPermissions(
  documents: readonly HostDocument[],
  context: FindingContext,
  report: Report,
): ReturnType<ReadLists> {
  const broken = brokenPolicy(documents, "managed");
  if (broken) return () => broken;
  const withRules = documents.filter(({ content }) => Object.hasOwn(content, LIST));
  const ofProject = withRules.find(({ scope }) => scope === "project");
  const ofOthers = withRules.find(({ scope }) => scope !== "project");
  const lists = [ofProject, ofOthers].flatMap((document) => (document ? [readRules(document, report)] : []));
  return (server) => {
    const target = knownTarget(server, context, AMP_VARIABLES);
    return lists.some((rules) => isRejected(target, rules)) ? { disabledBy: LIST } : undefined;
  };
}

function isRejected(target: KnownTarget, rules: readonly Rule[]): boolean {
  const deciding = rules.find(({ conditions }) => conditions.every((isMet) => isMet(target)));
  return deciding?.action === "reject";
}

/** A rule that cannot be understood allows nothing, and rejects whatever it may have been meant to reject. */
function readRules(document: HostDocument, report: Report): readonly Rule[] {
  const list = document.content[LIST];
  if (!Array.isArray(list)) {
    remark(document, [], `must be a list of rules, not ${kindOf(list)}; no server is allowed`, report);
    return [{ action: "reject", conditions: [] }];
  }
  return list.flatMap((value: unknown, index): readonly Rule[] => {
    const rule = isRecord(value) ? value : {};
    const isAction = rule.action === "allow" || rule.action === "reject";
    const action = rule.action === "allow" ? "allow" : "reject";
    const { conditions, fault: faultOfMatches } = readConditions(rule, action);
    const fault = isAction ? faultOfMatches : `"action" must be "allow" or "reject"`;
    if (fault === undefined) return [{ action, conditions }];
    const effect = action === "allow" ? "it allows nothing" : "it rejects every server that it might match";
    remark(document, [index], `has a rule that cannot be understood (${fault}); ${effect}`, report);
    return action === "allow" ? [] : [{ action, conditions }];
  });
}

function remark({ document }: HostDocument, path: readonly number[], text: string, report: Report): void {
  const location = document?.locate([LIST, ...path]) ?? {};
  report(diagnose("invalid-field", `${describeLocation(location)}: ${quote(LIST)} ${text}.`, location));
}

/** What can be understood of a rule's conditions, and what is wrong with the others. */
function readConditions(
  { matches }: JsonMap,
  action: Rule["action"],
): { conditions: readonly Condition[]; fault?: string } {
  if (!isRecord(matches)) return { conditions: [], fault: `"matches" must be an object` };
  const read = Object.keys(matches).map((field) => readCondition(field, matches, action));
  const fault = read.find((condition) => condition.fault !== undefined)?.fault;
  const conditions = read.flatMap(({ condition }) => condition ?? []);
  return fault === undefined ? { conditions } : { conditions, fault };
}

function readCondition(
  field: string,
  matches: JsonMap,
  action: Rule["action"],
): { condition?: Condition; fault?: string } {
  if (field !== "command" && field !== "args" && field !== "url") {
    return { fault: `"matches" has no ${quote(field)}` };
  }
  const isAlone = !Object.hasOwn(matches, "args");
  const textsOf = ({ server }: KnownTarget) => textsIn(field, server.written, isAlone);
  const patterns: unknown[] = [matches[field]].flat();
  if (!patterns.every(isPattern) || patterns.length === 0) {
    const fault = `${quote(field)} must be a string in which * stands for any text`;
    return { condition: (target) => textsOf(target).length > 0, fault };
  }
  const shaped = field === "url" ? patterns.map(withLowerBeginning) : patterns;
  const isWritten = (target: KnownTarget) =>
    textsOf(target).some((text) => shaped.some((pattern) => matchesGlob(pattern, text)));
  if (action === "allow") return { condition: isWritten };
  // A rejection also matches other spellings, and what a reference may turn out to be; an allowance matches only what is written.
  const mayBeMeant = field === "url" ? denialOfUrls(patterns) : denialOfWords(field, patterns, isAlone);
  return {
    condition: (target) => isWritten(target) || (textsOf(target).length > 0 && mayBeMeant(target)),
  };
}

function denialOfUrls(patterns: readonly string[]): Condition {
  const denials = patterns.map(urlDenial);
  return ({ forms }) => denials.some((mayMean) => mayMean(forms));
}

function denialOfWords(field: "command" | "args", patterns: readonly string[], isAlone: boolean): Condition {
  const pieces = patterns.map((pattern) => pattern.split("*"));
  return ({ known }) => {
    const texts = knownTextsIn(field, known, isAlone);
    return texts.some((text) => pieces.some((parts) => mayBeMadeOf(text, parts)));
  };
}

/** To Amp, text between slashes is a regular expression. One of a project could run for ever, so none is accepted. */
function isPattern(value: unknown): value is string {
  return typeof value === "string" && !/^\/.*\/$/s.test(value);
}

/**
 * The texts that a field of `matches` is compared with.
 *
 * @param isAlone - whether the rule has no `args`, so that `command` may include the arguments, as in Amp's own examples
 */
function textsIn(
  field: "command" | "args" | "url",
  { transport, command = "", args = [], url }: WrittenServer,
  isAlone: boolean,
): readonly string[] {
  if (field === "url") return url === undefined ? [] : [withLowerBeginning(url)];
  if (transport !== "stdio") return [];
  if (field === "args") return [args.join(" ")];
  return isAlone ? [command, [command, ...args].join(" ")] : [command];
}

/** The same with references filled in. */
function knownTextsIn(
  field: "command" | "args",
  words: readonly KnownText[],
  isAlone: boolean,
): readonly KnownText[] {
  if (field === "args") return [joinWords(words.slice(1))];
  return isAlone ? [...words.slice(0, 1), joinWords(words)] : words.slice(0, 1);
}
