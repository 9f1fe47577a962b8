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

/** Resolves with everything that was shown, once it ends with the text. */
function shown(output: PassThrough, text: string): Promise<string> {
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

describe("asking on a terminal", () => {
  test.each([
    ["y\n", true],
    ["YES\n", true],
    ["n\n", false],
    ["\n", false],
    ["yess\n", false],
    ["true\n", false],
  ])("%j answers %s", async (typed, accepted) => {
    const { input, output, approve } = terminal();
    const asked = approve(request, { signal: never });
    expect(await shown(output, "[y/N] ")).toContain(request.text);
    input.write(typed);
    expect(await asked).toBe(accepted);
  });

  test("an input that ends instead of answering refuses", async () => {
    const { input, output, approve } = terminal();
    const asked = approve(request, { signal: never });
    await shown(output, "[y/N] ");
    input.end();
    expect(await asked).toBe(false);
  });

  test("Ctrl+C is no answer: whoever listens for it in the program decides", async () => {
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

  test("without a terminal everything is refused and nothing is written", async () => {
    const { output, approve } = terminal(false);
    expect(await approve(request, { signal: never })).toBe(false);
    expect(output.read()).toBeNull();
  });

  test("two questions are asked one after the other", async () => {
    const { input, output, approve } = terminal();
    const first = approve(request, { signal: never });
    const second = approve(request, { signal: never });
    await shown(output, "[y/N] ");
    const next = shown(output, "[y/N] ");
    input.write("y\n");
    expect(await first).toBe(true);
    await next;
    input.write("n\n");
    expect(await second).toBe(false);
  });

  test("a question that is taken back is refused", async () => {
    const { output, approve } = terminal();
    const controller = new AbortController();
    const asked = approve(request, { signal: controller.signal });
    await shown(output, "[y/N] ");
    controller.abort();
    expect(await asked).toBe(false);
  });
});
