import { PassThrough } from "node:stream";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { approvalRequest } from "../../src/approval/approval-request.ts";
import { promptApprover } from "../../src/approval/prompt-approver.ts";

const definition: ServerDefinition = {
  name: "github",
  definedIn: { scope: "project", file: "/project/.mcp.json" },
  transport: "stdio",
  command: "node",
};
const request = approvalRequest(definition);

/** Resolves with all the output, as soon as it ends with the text. */
function waitForOutput(output: PassThrough, text: string): Promise<string> {
  let all = "";
  const { promise, resolve } = Promise.withResolvers<string>();
  output.on("data", (chunk: Buffer) => {
    all += chunk.toString();
    if (all.endsWith(text)) resolve(all);
  });
  return promise;
}

function terminal(isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  return { input, output, approve: promptApprover({ input, output }) };
}

const never = new AbortController().signal;

describe("the terminal prompt", () => {
  test.each([
    ["y\n", true],
    ["YES\n", true],
    ["n\n", false],
    ["\n", false],
    ["yess\n", false],
    ["true\n", false],
  ])("reads the answer %j as %s", async (typed, accepted) => {
    const { input, output, approve } = terminal();
    const asked = approve(request, { signal: never });
    expect(await waitForOutput(output, "[y/N] ")).toContain(request.text);
    input.write(typed);
    expect(await asked).toBe(accepted);
  });

  test("[threat T06] breaks the lines for a narrow terminal, and names the server in the question", async () => {
    const { input, output } = terminal();
    const narrow = Object.assign(output, { columns: 30 });
    const asked = promptApprover({ input, output: narrow })(
      approvalRequest({ ...definition, args: ["x".repeat(300)] }),
      { signal: never },
    );
    const shown = await waitForOutput(output, "[y/N] ");
    expect(shown).toMatch(/\nMay "github" run this command\? \[y\/N\] $/);
    const lines = shown.split("\n").filter((line) => line.includes("x".repeat(10)));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30);
    input.end();
    await asked;
  });

  test("refuses when the input ends without an answer", async () => {
    const { input, output, approve } = terminal();
    const asked = approve(request, { signal: never });
    await waitForOutput(output, "[y/N] ");
    input.end();
    expect(await asked).toBe(false);
  });

  test("passes Ctrl+C on as SIGINT and keeps the question open", async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
    const interrupted = new AbortController();
    const listen = () => interrupted.abort();
    process.once("SIGINT", listen);
    try {
      let answer: boolean | undefined;
      const asked = promptApprover({ input, output })(request, { signal: never });
      void asked.then((given) => {
        answer = given;
      });
      await vi.waitFor(() => expect(String(output.read() ?? "")).toContain("[y/N] "));
      input.write("\u0003");
      await vi.waitFor(() => expect(interrupted.signal.aborted).toBe(true));
      expect(answer).toBeUndefined();
      input.write("y\r");
      expect(await asked).toBe(true);
    } finally {
      process.removeListener("SIGINT", listen);
    }
  });

  test("refuses without a terminal and writes nothing", async () => {
    const { output, approve } = terminal(false);
    expect(await approve(request, { signal: never })).toBe(false);
    expect(output.read()).toBeNull();
  });

  test("asks two questions one after the other", async () => {
    const { input, output, approve } = terminal();
    const first = approve(request, { signal: never });
    const second = approve(request, { signal: never });
    await waitForOutput(output, "[y/N] ");
    const next = waitForOutput(output, "[y/N] ");
    input.write("y\n");
    expect(await first).toBe(true);
    await next;
    input.write("n\n");
    expect(await second).toBe(false);
  });

  test("refuses when the signal aborts the question", async () => {
    const { output, approve } = terminal();
    const controller = new AbortController();
    const asked = approve(request, { signal: controller.signal });
    await waitForOutput(output, "[y/N] ");
    controller.abort();
    expect(await asked).toBe(false);
  });
});
