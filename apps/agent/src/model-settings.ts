import type { ModelSettings } from "./frameworks/agent-framework.ts";

const OPENAI_BASE_URL = "https://api.openai.com/v1";
const DEFAULT_MODEL = "gpt-4.1-mini";
/** Local endpoints need no key, but the clients require one. */
const NO_KEY = "none";

/** Why `OPENAI_BASE_URL` cannot be used, without its value, which may hold a password; `undefined` if it is valid or not set. */
export function baseUrlFault({
  OPENAI_BASE_URL: text,
}: {
  readonly [name: string]: string | undefined;
}): string | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    return "OPENAI_BASE_URL must be an http or https URL, such as http://127.0.0.1:11434/v1.";
  if (url.username !== "" || url.password !== "")
    return "OPENAI_BASE_URL must not contain a user or a password; put a key into OPENAI_API_KEY.";
  return undefined;
}

/**
 * The model to talk to: a real one if `OPENAI_API_KEY` or `OPENAI_BASE_URL` is set, else `undefined` for the offline
 * stand-in.
 */
export function readModelSettings(
  environment: { readonly [name: string]: string | undefined },
  model?: string | undefined,
): ModelSettings | undefined {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = environment;
  if (!apiKey && !baseUrl) return undefined;
  return {
    baseUrl: baseUrl || OPENAI_BASE_URL,
    isBaseUrlGiven: Boolean(baseUrl),
    apiKey: apiKey || NO_KEY,
    model: model ?? DEFAULT_MODEL,
  };
}
