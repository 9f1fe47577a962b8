/** The way from the root of a document to a value. */
export type JsonPath = readonly (string | number)[];

/** A path as an RFC 6901 pointer; the empty string is the root. */
export function jsonPointer(path: JsonPath): string {
  let pointer = "";
  for (const step of path) {
    const text = String(step);
    pointer += `/${/[~/]/.test(text) ? text.replaceAll("~", "~0").replaceAll("/", "~1") : text}`;
  }
  return pointer;
}

/** A path as people write it: `env.TOKEN`, `args[2]`. */
export function fieldName(path: JsonPath): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? step : `${name}.${step}`;
  }, "");
}
