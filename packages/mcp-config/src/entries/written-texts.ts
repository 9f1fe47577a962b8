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
  const texts: WrittenText[] = [];
  const add = (text: string | null | undefined, path: JsonPath, isValue = false) => {
    if (text) texts.push({ text, path, isValue });
  };
  add(command, ["command"]);
  add(cwd, ["cwd"]);
  add(url, ["url"]);
  add(envFile, ["envFile"]);
  for (const [index, text] of (args ?? []).entries()) add(text, ["args", index]);
  for (const name in env) add(env[name], ["env", name], true);
  for (const name in headers) add(headers[name], ["headers", name], true);
  return texts;
}
