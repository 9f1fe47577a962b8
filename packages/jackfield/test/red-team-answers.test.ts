import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "./fixture.ts";
import { ANSWER_ATTACKS, ORDER } from "./red-team-answers.ts";
import { type GuardedRuntime, hostileServer, openGuarded, seenByModels } from "./red-team-runtime.ts";

useLeakCheck();

const MARKER =
  /<mcp_tool_output server="[A-Za-z0-9._-]*" tool="[A-Za-z0-9._-]*" trust="untrusted" boundary=\\?"…\\?">/g;
/** A marker with everything up to the closing one. */
const ENCLOSED = /<mcp_tool_output [^>]*>.*?<\/mcp_tool_output boundary=\\?"…\\?">/gs;
const LONGEST_SHOWN = 700;

describe("hostile answers as models see them", () => {
  const folder = temporaryFolder();
  let runtime: GuardedRuntime;

  beforeAll(async () => {
    const attacks = ANSWER_ATTACKS.map((attack, index) => ({ ...attack, name: nameOf(index) }));
    const server = hostileServer(folder, "hostile", {
      tools: attacks.map(({ name, tool }) => ({ name, inputSchema: { type: "object" }, ...tool })),
      answers: Object.fromEntries(attacks.map(({ name, answer }) => [name, answer])),
    });
    runtime = await openGuarded({ servers: { hostile: server.entry } });
  });
  afterAll(async () => {
    await runtime.mcp.close();
    folder[Symbol.dispose]();
  });

  test.each(ANSWER_ATTACKS.map((attack, index) => ({ ...attack, index })))("$title", async (attack) => {
    const { aiSdk, langchain } = await seen(attack.index);
    for (const text of [aiSdk, langchain]) {
      expect(text).toEqual(expect.stringMatching(attack.sees));
      if (attack.never !== undefined) expect(text).not.toMatch(attack.never);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(attack.mostBytes ?? Number.POSITIVE_INFINITY);
      if (attack.isData !== true) expect(text.replace(ENCLOSED, "")).not.toContain(ORDER);
      expect(text.match(/<mcp_tool_output/g) ?? []).toHaveLength(text.match(MARKER)?.length ?? 0);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("every injected order is reported", () => {
    const reported = new Set(runtime.findings.map(({ tool }) => tool));
    const ordering = ANSWER_ATTACKS.flatMap(({ answer, title }, index) =>
      // The flood is longer than what is scanned.
      JSON.stringify(answer).includes(ORDER) && !title.includes("flood") ? [nameOf(index)] : [],
    );
    expect(ordering.filter((name) => !reported.has(name))).toEqual([]);
  });

  test("match the reviewed red-team-answers.seen.md", async () => {
    const pages: string[] = [];
    for (const [index, { title }] of ANSWER_ATTACKS.entries()) {
      const { aiSdk, langchain } = await seen(index);
      const both = langchain === aiSdk ? [shown(aiSdk)] : [shown(aiSdk), "LangChain:", shown(langchain)];
      pages.push(`## ${title}`, ...both);
    }
    await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot("./red-team-answers.seen.md");
  });

  function seen(index: number) {
    const tool = runtime.mcp.tools().find(({ originalName }) => originalName === nameOf(index));
    return seenByModels(runtime.mcp, tool?.name ?? "none");
  }
});

function nameOf(index: number): string {
  return ANSWER_ATTACKS[index]?.tool?.name ?? `attack_${index + 1}`;
}

function shown(text: string): string {
  const whole = text.length <= LONGEST_SHOWN ? text : `${text.slice(0, 350)} [...] ${text.slice(-350)}`;
  return `~~~text\n${whole}\n~~~`;
}
