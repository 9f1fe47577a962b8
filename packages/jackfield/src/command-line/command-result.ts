import type { Page } from "./page.ts";

/** What a command has to say, and how it exits. */
export interface CommandResult {
  /** The document that `--json` prints; `schemas/` describes it. */
  readonly json: unknown;
  /** The same for people; a function where it depends on how wide the page is and whether it has colours. */
  readonly text: string | ((page: Page) => string | Promise<string>);
  /** What is told on standard error besides. */
  readonly remarks?: readonly string[] | undefined;
  readonly exitCode: number;
}
