import { hiddenCharacters } from "../cleaning/hidden-characters.ts";
import { latePattern } from "../late-pattern.ts";
import { foldText, UNSEEN, WHITE_SPACE } from "./folded-text.ts";
import { keywordSearch } from "./keyword-search.ts";
import { readingsOf } from "./readings.ts";

/** A kind of phrase by which a text addresses the model that reads it, or `hidden-text`. */
export type InjectionSignal = keyof typeof SIGNALS | "hidden-text";

/** A signal and where it was found, in UTF-16 units of the text as it was given. */
export interface SignalMatch {
  readonly signal: InjectionSignal;
  readonly index: number;
  readonly length: number;
}

/** Words that may stand between a verb and its object without changing the meaning. */
const FILLING =
  "(?:(?:all|any|every|each|the|of|these|those|your|my|our|its|other|and|system|developer|user|safety) ){0,5}";
const EARLIER = "(?:previous|prior|above|earlier|preceding|foregoing|former)";
const RULES =
  "(?:instructions?|context|rules|prompts?|messages|directions|directives|guidelines|guidance|orders|commands|restrictions)";
const MATTER = `(?:${RULES}|text|task|content|conversation|everything|policy|policies)`;
const IGNORE = "(?:ignore|overlook|(?:do not|don't|stop|no longer) follow(?:ing)?|pay no attention to)";
/** A word of a sentence; a full stop after it ends the sentence and so the phrase. */
const WORD = "[a-z0-9$'~/_-]+(?:\\.[a-z0-9]+)*,?";
const PEOPLE = "(?:the |your |any )?(?:users?|humans?|operator|owner|customer|developer)\\b";
const SECRETS = [
  "(?:api keys?|secrets?|passwords?|credentials?|tokens?|private keys?|\\.env|id_rsa",
  "|system prompt|conversation|chat history)\\b",
].join("");
const DESTINATION = [
  "(?:https?://|[a-z0-9._-]+@[a-z0-9-]+\\.|webhook|sidenote|pull request",
  "|this (?:url|address|endpoint|thread|channel)\\b)",
].join("");

/**
 * Patterns for folded text: a space stands for any white space, and a space with a question mark for optional white space. Gaps
 * have a maximum number of words, so each pattern is linear. A pattern is tried only on texts that hold one of its `needs`,
 * which keeps harmless texts cheap. The first eight signals are SideCar's, widened to cover known misses: words and white space
 * in between, and other roles and modes.
 */
const SIGNALS = {
  "ignore-previous": {
    needs: ["ignore", "overlook", "follow", "attention"],
    parts: [
      `\\b${IGNORE} ${FILLING}(?:${EARLIER} ${FILLING}${RULES}\\b`,
      `|${RULES} (?:[a-z]+ ){0,4}(?:before|above|earlier|previously|so far)\\b)`,
    ],
  },
  "disregard-previous": {
    needs: ["disregard", "forget", "override"],
    parts: [
      `\\b(?:disregard ${FILLING}(?:previous|prior|above)\\b`,
      `|(?:disregard|forget|override) ${FILLING}(?:everything (?:${EARLIER}|before)|${EARLIER} ${FILLING}${MATTER})\\b)`,
    ],
  },
  "fake-system-role": {
    needs: ["system", "developer"],
    parts: ["\\b(?:system|developer) ?: ?(?:you|ignore|disregard|forget|override|new instructions)\\b"],
  },
  "chatml-system-injection": {
    needs: ["<|", "<start_of_turn>", "<<sys>>", "inst]"],
    parts: [
      "(?<!`)(?:<\\| ?im_start ?\\|> ?(?:system|user|assistant|developer|tool)|<\\| ?(?:system|start_header_id) ?\\|>",
      "|<start_of_turn> ?(?:system|user|model)|<<sys>>|\\[/?inst\\])",
    ],
  },
  "bracketed-system": {
    needs: ["system"],
    parts: [
      // After a time of day in its line, or before a log level or another bracket, it is the source of a log entry.
      "(?<!\\d:\\d\\d[^\\n]{0,40})\\[ ?system(?: message| prompt| override)? ?\\](?! ?(?:\\[|(?:info|warn|error|debug|trace)\\b))",
    ],
  },
  "new-instructions": {
    needs: ["instruction"],
    parts: [
      "\\b(?:new|updated|revised) (?:[a-z]+ )?instructions?(?: for (?:the )?(?:ai|assistant|model|agent))? ?[:.]",
    ],
  },
  "fake-authorization": {
    needs: ["authori", "granted", "allowed", "approved", "permitted", "given"],
    parts: [
      "\\b(?:the|your) (?:user|owner|administrator|admin|operator|management) (?:has|have|had) (?:[a-z]+ ){0,2}",
      "(?:authori[sz]ed|granted|allowed|approved|permitted|given) (?:[a-z]+ ){0,2}you\\b",
    ],
  },
  "mode-switch": {
    needs: ["mode"],
    parts: [
      "\\byou(?: are|'re) now (?:in|an?|the|running) (?!(?:[a-z]+(?: |-)){0,2}(?:insert|normal|visual|command|edit|dark|light|flight",
      "|airplane|offline|online|safe|recovery|only|run|demo|test|preview|screen)(?: |-)mode)(?:[a-z-]+ ){0,4}(?:[a-z]+[_-])?mode\\b",
      "|\\b(?<!\\bto )(?:enter|activate|enable|switch (?:in)?to) (?:[a-z]+ ){0,2}",
      "(?:jailbreak|dan|god|unrestricted|unfiltered|uncensored)(?: |_|-)mode\\b",
    ],
  },
  secrecy: {
    needs: ["tell", "inform", "alert", "notify", "mention", "reveal", "disclos", "show", "know"],
    parts: [
      "\\b(?:do not|don't|never|without|no need to) (?:[a-z]+ ){0,2}(?:",
      `(?:tell|telling|inform|informing|alert|alerting|notify|notifying) (?:the |your |any )?(?:user|human|operator)\\b`,
      `|mention(?:ing)? (?:[a-z]+ ){0,8}to ${PEOPLE}`,
      `|(?:reveal|disclose|show)(?:ing)? (?:this|that|it|these|them|any of this|anything) (?:[a-z]+ ){0,2}to ${PEOPLE}`,
      `|let(?:ting)? ${PEOPLE} know)`,
    ],
  },
  "tool-directive": {
    needs: ["tool", "call", "important", "<system", "</system"],
    parts: [
      "\\b(?:before|instead of|when|whenever|after) (?:you )?(?:using|calling|use|call|invoking|invoke|running) ",
      "(?:[a-z_]+ ){0,3}tools?,? (?:again )?(?:[a-z]+,? ){0,4}(?:(?:must|always|have to)\\b|(?:read|pass|include|send) (?:[a-z]+ ){0,4}(?:~|/|contents?\\b))",
      "|\\b(?:always|must|has to|have to)(?: be)? call(?:ed)? (?:[a-z]+ ){0,3}(?:first|before (?:any|every|all) other)\\b",
      "|<important>|</?system_?(?:prompt|message|note)?>",
    ],
  },
  exfiltration: {
    needs: [
      "api",
      "secret",
      "password",
      "credential",
      "token",
      "private",
      "env",
      "id_rsa",
      "prompt",
      "conversation",
      "history",
    ],
    parts: [
      "\\b(?<!\\b(?:not|never) )(?:send|post|upload|forward|exfiltrate|append|include|pass|leak|email) ",
      // Acts as an atomic group: only the first secret that is named is tried.
      `(?=(?<named>(?:${WORD} ){0,8}?${SECRETS}))\\k<named>[\\s\\S]{0,120}?${DESTINATION}`,
    ],
  },
} as const satisfies Record<string, { readonly needs: readonly string[]; readonly parts: readonly string[] }>;

const PATTERNS = Object.entries(SIGNALS).map(([signal, { needs, parts }]) => ({
  signal: signal as keyof typeof SIGNALS,
  needs: needs as readonly string[],
  pattern: new RegExp(parts.join("").replaceAll(" ?", "\\s*").replaceAll(" ", "\\s+"), "g"),
}));

/** Which patterns can match a text, as bits, judged by their `needs`. */
const neededIn = keywordSearch(PATTERNS.map(({ needs }) => needs));

/** The names of all signals. */
export const INJECTION_SIGNALS: readonly InjectionSignal[] = [
  ...(Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]),
  "hidden-text",
];

/** A few invisible characters may be left over from copying; any tag, or this many of any kind, is reported. */
const MANY_HIDDEN = 8;

/** Maximum number of matches reported for each signal; a hostile text may hold millions. */
const MOST_MATCHES = 100;

/**
 * Finds phrases that try to steer a model. Advisory: harmless texts about prompts hold them too, so nothing is blocked or
 * changed (SideCar). Linear in the length of the text. Reports at most the first 100 matches of each signal, and as many again
 * if terminal sequences allow two readings.
 */
export function findInjectionSignals(text: string): readonly SignalMatch[] {
  const matches = new Map<string, SignalMatch>();
  for (const reading of readingsOf(text)) {
    for (const match of matchesInReading(reading)) matches.set(`${match.signal} ${match.index}`, match);
  }
  return [...matches.values(), ...hiddenText(text)].sort((a, b) => a.index - b.index);
}

function matchesInReading(text: string): readonly SignalMatch[] {
  const matches: SignalMatch[] = [];
  const counts = new Map<InjectionSignal, number>();
  const { text: shortened, origin } = text.length <= WINDOW ? unshortened(text) : shortenGaps(text);
  for (let from = 0; from < shortened.length; from += WINDOW) {
    const window = shortened.length <= WINDOW ? shortened : shortened.slice(from, from + WINDOW + OVERLAP);
    for (const match of matchesIn(window, counts)) {
      // What begins in the overlap is found again, whole, in the next window.
      if (match.index >= WINDOW) continue;
      counts.set(match.signal, (counts.get(match.signal) ?? 0) + 1);
      const index = origin(match.index + from);
      const last = origin(match.index + from + match.length - 1);
      matches.push({ ...match, index, length: last + 1 - index });
    }
  }
  return matches;
}

/**
 * Long texts are folded in parts, so that memory does not grow with them. Once gaps are shortened, a phrase is never longer than
 * the overlap.
 */
const WINDOW = 65_536;
const OVERLAP = 2_048;

function* matchesIn(text: string, counts: ReadonlyMap<InjectionSignal, number>): Generator<SignalMatch> {
  const folded = foldText(text);
  const candidates = neededIn(folded.text);
  if (candidates === 0) return;
  for (const [bit, { signal, pattern }] of PATTERNS.entries()) {
    if ((candidates & (1 << bit)) === 0 || folded.text.search(pattern) < 0) continue;
    for (const { index, 0: phrase } of folded.text.matchAll(pattern)) {
      if ((counts.get(signal) ?? 0) >= MOST_MATCHES) break;
      yield { signal, ...folded.origin(index, index + phrase.length) };
    }
  }
}

function hiddenText(text: string): readonly SignalMatch[] {
  let first: number | undefined;
  let last = 0;
  let count = 0;
  let hasTag = false;
  for (const { kind, index } of hiddenCharacters(text)) {
    first ??= index;
    last = index;
    count += 1;
    hasTag ||= kind === "tag";
  }
  if (first === undefined || !(hasTag || count >= MANY_HIDDEN)) return [];
  return [{ signal: "hidden-text", index: first, length: last - first + 1 }];
}

/** A text with each long gap shortened to one character. */
export interface ShortenedText {
  readonly text: string;
  /** Maps an index of `text` to the original, in UTF-16 units. */
  readonly origin: (index: number) => number;
}

/** Long runs of white space and of characters that are not seen; indented code rarely has longer ones. */
const longGaps = latePattern(`[${WHITE_SPACE}${UNSEEN}]{16,}`, "gu");
const whiteSpace = latePattern(`[${WHITE_SPACE}]`, "u");
const INVISIBLE = "\u200b";

/**
 * Shortens long gaps, so that a phrase cannot be pulled apart until no part of the text holds it whole. A gap becomes a newline
 * if it holds one, else a space, or else an invisible character. Linear in the length of the text.
 */
function shortenGaps(text: string): ShortenedText {
  const parts: string[] = [];
  /** Where the text goes on behind each gap: in the shortened text, and in the original. */
  const shortened: number[] = [];
  const original: number[] = [];
  let length = 0;
  let from = 0;
  for (const { index, 0: gap } of text.matchAll(longGaps())) {
    parts.push(text.slice(from, index), gap.includes("\n") ? "\n" : whiteSpace().test(gap) ? " " : INVISIBLE);
    length += index - from + 1;
    from = index + gap.length;
    shortened.push(length);
    original.push(from);
  }
  if (from === 0) return unshortened(text);
  return {
    text: parts.join("") + text.slice(from),
    origin: (index) => {
      const gap = lastUpTo(shortened, index);
      return gap < 0 ? index : index + (original[gap] ?? 0) - (shortened[gap] ?? 0);
    },
  };
}

/** A text as it is. */
function unshortened(text: string): ShortenedText {
  return { text, origin: (index) => index };
}

/** The place of the last of some ascending numbers that is not greater than a limit; -1 if there is none. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
