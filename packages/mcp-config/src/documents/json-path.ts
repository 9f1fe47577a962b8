/** The way from the root of a document to a value. */
export type JsonPath = readonly (string | number)[];

/** A path as an RFC 6901 pointer; the empty string is the root. */
export function jsonPointer(path: JsonPath): string {
  let pointer = "";
  for (let index = 0; index < path.length; index += 1) {
    const step = path[index] ?? "";
    const isPlain = typeof step === "number" || (step.length <= LONGEST_KEY && !ESCAPED.test(step));
    pointer += isPlain ? `/${step}` : pointerStep(step);
  }
  return pointer;
}

/** What a pointer has another spelling for. */
const ESCAPED = /[~/]/;

/** The part of a pointer that leads from a container to a member or an element. */
export function pointerStep(step: string | number): string {
  return `/${shownKey(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A key of megabytes may be above every place that is reported. */
const LONGEST_KEY = 4096;

/** A key as diagnostics have it, cut if it is longer than any that is used. */
export function shownKey(key: string | number): string {
  const text = String(key);
  return text.length > LONGEST_KEY ? `${text.slice(0, LONGEST_KEY)}…` : text;
}

/** Whether a path leads to a value or into it. */
export function isWithin(path: JsonPath, container: JsonPath): boolean {
  return container.every((step, index) => path[index] === step);
}

/** A path as people write it: `env.TOKEN`, `args[2]`. */
export function fieldName(path: JsonPath): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? step : `${name}.${step}`;
  }, "");
}
