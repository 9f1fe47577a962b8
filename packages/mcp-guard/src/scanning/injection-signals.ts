import { findHiddenCharacters } from "../cleaning/hidden-characters.ts";
import { foldText } from "./folded-text.ts";

/** A phrase by which a text speaks to the model that reads it. */
export type InjectionSignal = keyof typeof SIGNALS | "hidden-text";

/** A signal and where it was found, in UTF-16 units of the text as it was given. */
export interface SignalMatch {
  readonly signal: InjectionSignal;
  readonly index: number;
  readonly length: number;
}

/**
 * What to look for in folded text: each entry is one pattern in parts, where a space stands for any white space and a
 * space with a question mark for none or some. Gaps hold so many words at most, so each pattern is linear. The first eight
 * are SideCar's, widened to what they are known to miss: words and white space between, and other roles and modes.
 */
const SIGNALS = {
  "ignore-previous": [
    "\\b(?:ignore|overlook) (?:[a-z]+ ){0,4}(?:previous|prior|above|earlier|preceding|foregoing) (?:[a-z]+ ){0,2}",
    "(?:instructions?|context|rules?|prompts?|messages?|directions|guidelines|orders)\\b",
  ],
  "disregard-previous": [
    "\\b(?:disregard|forget|override) (?:[a-z]+ ){0,3}(?:previous|prior|above|earlier|preceding)\\b",
    "(?! ?(?:value|default|setting|version|commit|release|entr))",
  ],
  "fake-system-role": [
    "\\b(?:system|developer) ?: ?(?:you|ignore|disregard|forget|override|new instructions)\\b",
  ],
  "chatml-system-injection": [
    "<\\| ?im_start ?\\|> ?(?:system|user|assistant|developer|tool)|<\\| ?(?:system|start_header_id) ?\\|>|<<sys>>|\\[/?inst\\]",
  ],
  "bracketed-system": ["\\[ ?system(?: message| prompt| override)? ?\\]"],
  "new-instructions": [
    "\\b(?:new|updated|revised) (?:[a-z]+ )?instructions?(?: for (?:the )?(?:ai|assistant|model|agent))? ?[:.]",
  ],
  "fake-authorization": [
    "\\bthe (?:user|owner|administrator|admin|operator) (?:has|have|had) (?:[a-z]+ ){0,2}",
    "(?:authori[sz]ed|granted|allowed|approved|permitted|given) (?:[a-z]+ ){0,2}you\\b",
  ],
  "mode-switch": [
    "\\byou are now (?:in|an?|the|running) (?:[a-z-]+ ){0,4}(?:[a-z]+[_-])?mode\\b",
    "|\\benter (?:[a-z]+ ){0,2}(?:developer|jailbreak|dan|god|unrestricted|maintenance)(?: |_|-)mode\\b",
  ],
  secrecy: [
    "\\b(?:do not|don't|never|without) (?:[a-z]+ ){0,2}",
    "(?:tell|telling|mention|mentioning|inform|informing|alert|alerting|notify|notifying|reveal|revealing|show) ",
    "(?:[a-z]+ ){0,2}(?:user|human|operator|them)\\b",
  ],
  "tool-directive": [
    "\\b(?:before|instead of|when|whenever|after) (?:you )?(?:using|calling|use|call|invoking|invoke|running) ",
    "(?:[a-z_]+ ){0,3}tools?,? (?:[a-z]+,? ){0,4}(?:must|always|first|read|send|call|pass|include)\\b",
    "|<important>|</?system_?(?:prompt|message|note)?>",
  ],
  exfiltration: [
    "\\b(?:send|post|upload|forward|exfiltrate|append|include|pass|leak|email) (?:[a-z'.~/_-]+ ){0,8}",
    "(?:api keys?|secrets?|passwords?|credentials?|tokens?|private keys?|\\.env|id_rsa|system prompt|conversation|chat history) ",
    "(?:[a-z]+ ){0,5}(?:to|as|in|into|at|via) (?:[a-z]+ ){0,3}",
    "(?:https?:|[a-z0-9.-]+@|'?sidenote|webhook|this (?:url|address|endpoint)|the (?:following|attacker))",
  ],
} as const satisfies Record<string, readonly string[]>;

const PATTERNS = Object.entries(SIGNALS).map(([signal, parts]) => ({
  signal: signal as keyof typeof SIGNALS,
  pattern: new RegExp(parts.join("").replaceAll(" ?", "\\s*").replaceAll(" ", "\\s+"), "g"),
}));

/** The names of all signals. */
export const INJECTION_SIGNALS: readonly InjectionSignal[] = [
  ...(Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]),
  "hidden-text",
];

/** A few invisible characters are an accident of copying; a row of tags, or many of any kind, is a message. */
const MANY_HIDDEN = 8;

/**
 * Finds phrases that try to steer a model. Advisory: honest texts about prompts hold them too, so nothing is blocked or
 * changed by it (SideCar). Linear in the length of the text.
 */
export function findInjectionSignals(text: string): readonly SignalMatch[] {
  const matches: SignalMatch[] = [];
  for (let from = 0; from < text.length; from += WINDOW) {
    const window = text.slice(from, from + WINDOW + OVERLAP);
    for (const match of matchesIn(window)) {
      // What begins in the overlap is found again, whole, in the next window.
      if (match.index < WINDOW) matches.push({ ...match, index: match.index + from });
    }
  }
  return [...matches, ...hiddenText(text)].sort((a, b) => a.index - b.index);
}

/** Long texts are folded in parts, so that memory does not grow with them; a phrase is never longer than the overlap. */
const WINDOW = 65_536;
const OVERLAP = 2_048;

function matchesIn(text: string): SignalMatch[] {
  const folded = foldText(text);
  return PATTERNS.flatMap(({ signal, pattern }) =>
    [...folded.text.matchAll(pattern)].map(({ index, 0: phrase }) => {
      const from = folded.origin(index);
      return { signal, index: from, length: folded.origin(index + phrase.length - 1) + 1 - from };
    }),
  );
}

function hiddenText(text: string): readonly SignalMatch[] {
  const hidden = findHiddenCharacters(text);
  const [first] = hidden;
  if (first === undefined) return [];
  const isMessage = hidden.length >= MANY_HIDDEN || hidden.some(({ kind }) => kind === "tag");
  const last = hidden.at(-1) ?? first;
  return isMessage
    ? [{ signal: "hidden-text", index: first.index, length: last.index - first.index + 1 }]
    : [];
}
