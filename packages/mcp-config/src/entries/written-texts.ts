import type { JsonPath } from "../documents/json-path.ts";
import { isPlainValue } from "../plain-values.ts";
import type { WrittenServer } from "./written-server.ts";

/** A text of an entry that may hold references. */
export interface WrittenText {
  readonly text: string;
  readonly path: JsonPath;
  /** Whether it is a value of `env` or a header, in which hosts allow further kinds of references. */
  readonly isValue: boolean;
}

/** Every text of an entry in which variables are filled in. */
export function textsOf(written: WrittenServer): WrittenText[] {
  const { command, args, cwd, url, env, envFile, headers } = written;
  const texts: WrittenText[] = [];
  const add = (text: string | null | undefined, path: JsonPath, isValue = false) => {
    if (text) texts.push({ text, path, isValue });
  };
  add(command, ["command"]);
  add(cwd, ["cwd"]);
  add(url, ["url"]);
  add(envFile, ["envFile"]);
  for (const [index, text] of (args ?? []).entries()) add(text, ["args", index]);
  for (const name in env) add(env[name], ["env", name], !isPlainValue(written, "env", name));
  for (const name in headers) {
    add(headers[name], ["headers", name], !isPlainValue(written, "headers", name));
  }
  return texts;
}
