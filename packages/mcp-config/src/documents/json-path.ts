/** The way from the root of a document to a value. */
export type JsonPath = readonly (string | number)[];

/** A path as an RFC 6901 pointer; the empty string is the root. */
export function jsonPointer(path: JsonPath): string {
  let pointer = "";
  for (let index = 0; index < path.length; index += 1) {
    const text = String(path[index]);
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
