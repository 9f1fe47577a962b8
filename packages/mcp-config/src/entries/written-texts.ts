import type { JsonPath } from "../documents/json-path.ts";
import type { WrittenServer } from "./written-server.ts";

/** A text of an entry that may hold references. */
export interface WrittenText {
  readonly text: string;
  readonly path: JsonPath;
  /** Whether it is a value of `env` or a header. */
  readonly isValue: boolean;
}

/** Every text of an entry in which variables are filled in. */
export function textsOf({ command, args, cwd, url, env, envFile, headers }: WrittenServer): WrittenText[] {
  const plain = Object.entries({ command, cwd, url, envFile }).map(([field, text]) => ({
    text: text ?? "",
    path: [field],
    isValue: false,
  }));
  const listed = (args ?? []).map((text, index) => ({ text, path: ["args", index], isValue: false }));
  const named = [
    ["env", env ?? {}],
    ["headers", headers ?? {}],
  ] as const;
  const values = named.flatMap(([field, texts]) =>
    Object.entries(texts).map(([name, text]) => ({ text: text ?? "", path: [field, name], isValue: true })),
  );
  return [...plain, ...listed, ...values].filter(({ text }) => text !== "");
}
