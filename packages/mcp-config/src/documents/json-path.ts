/** The way from the root of a document to a value. */
export type JsonPath = readonly (string | number)[];

/** A path as an RFC 6901 pointer; the empty string is the root. */
export function jsonPointer(path: JsonPath): string {
  let pointer = "";
  for (let index = 0; index < path.length; index += 1) {
    const step = path[index] ?? "";
    pointer += typeof step === "string" && ESCAPED.test(step) ? pointerStep(step) : `/${step}`;
  }
  return pointer;
}

/** What a pointer has another spelling for. */
const ESCAPED = /[~/]/;

/** The part of a pointer that leads from a container to a member or an element. */
export function pointerStep(step: string | number): string {
  return `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
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
