import type { McpError } from "@jackfield/mcp-core";
import type { Page } from "./page.ts";

/** The output of a command, and its exit code. */
export interface CommandResult {
  /** The document that `--json` prints; `schemas/` describes it. */
  readonly json: object;
  /** The same for people; a function if it depends on the page's width or colours. */
  readonly text: string | ((page: Page) => string | Promise<string>);
  /** Warnings for standard error. */
  readonly remarks?: readonly string[] | undefined;
  /** Why the work was not all done, for the document. */
  readonly error?: McpError | undefined;
  readonly exitCode: number;
}
