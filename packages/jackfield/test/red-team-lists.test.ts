import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "./fixture.ts";
import { LIST_ATTACKS } from "./red-team-lists.ts";
import { type GuardedRuntime, hostileServer, offeredToModels, openGuarded } from "./red-team-runtime.ts";

useLeakCheck();

describe("hostile tool lists as models see them", () => {
  const folder = temporaryFolder();
  let runtime: GuardedRuntime;

  beforeAll(async () => {
    const servers = LIST_ATTACKS.map(({ tools }, index) => {
      const name = nameOf(index);
      return [name, hostileServer(folder, name, { tools }).entry] as const;
    });
    runtime = await openGuarded({ servers: Object.fromEntries(servers) });
  });
  afterAll(async () => {
    await runtime.mcp.close();
    folder[Symbol.dispose]();
  });

  test.each(LIST_ATTACKS.map((attack, index) => ({ ...attack, index })))("$title", (attack) => {
    for (const offered of Object.values(offeredOf(attack.index))) {
      expect(offered).toContain(attack.sees);
      if (attack.never !== undefined) expect(offered).not.toMatch(attack.never);
    }
    expect(reportedOf(attack.index)).toEqual(attack.reported);
  });

  test("[T51] a policy can hide reported tools from both adapters", async () => {
    const server = hostileServer(folder, "vetoed", {
      tools: LIST_ATTACKS.flatMap(({ tools, reported }, index) =>
        tools.map((tool) => ({ ...tool, name: `${tool.name}_${index}_${reported.length}` })),
      ),
    });
    expect(LIST_ATTACKS.filter(({ title }) => title.startsWith("[T51]"))).toHaveLength(14);
    const refused = new Set<string | undefined>();
    const { mcp } = await openGuarded(
      { servers: { vetoed: server.entry } },
      {
        found: ({ tool }) => void refused.add(tool),
        policies: [(tool) => (refused.has(tool.originalName) ? { blocked: "it gives orders" } : tool)],
      },
    );
    const offered = offeredToModels(mcp, "vetoed");
    await mcp.close();
    for (const text of Object.values(offered)) {
      expect(text).not.toMatch(/Ignore all|Ｉｇｎｏｒｅ/);
      expect(text).toContain("Reads a file.txt.exe");
    }
  });

  test("match the reviewed red-team-lists.seen.md", async () => {
    const pages = LIST_ATTACKS.flatMap(({ title }, index) => {
      const { aiSdk, langchain } = offeredOf(index);
      const reported = reportedOf(index).join(", ") || "nothing";
      return [`## ${title}`, `Reported: ${reported}`, fenced(aiSdk), "LangChain:", fenced(langchain)];
    });
    await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot("./red-team-lists.seen.md");
  });

  function offeredOf(index: number) {
    return offeredToModels(runtime.mcp, nameOf(index));
  }

  function reportedOf(index: number): string[] {
    const own = runtime.findings.filter(({ server }) => server === nameOf(index));
    return [...new Set(own.flatMap(({ signals }) => signals))];
  }
});

function nameOf(index: number): string {
  return `attack_${index + 1}`;
}

function fenced(text: string): string {
  return `~~~json\n${text}\n~~~`;
}
