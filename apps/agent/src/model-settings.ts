import type { ModelSettings } from "./frameworks/agent-framework.ts";

const OPENAI_BASE_URL = "https://api.openai.com/v1";
const DEFAULT_MODEL = "gpt-4.1-mini";
/** Local endpoints need no key, but the clients require one. */
const NO_KEY = "none";

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
  return { baseUrl: baseUrl || OPENAI_BASE_URL, apiKey: apiKey || NO_KEY, model: model ?? DEFAULT_MODEL };
}
