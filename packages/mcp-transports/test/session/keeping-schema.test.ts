import { describe, expect, test } from "vitest";
import { loadSdk, type Sdk } from "../../src/sdk.ts";
import { type AnsweredMethod, isPlainAnswerTo } from "../../src/session/keeping-schema.ts";
import { variants } from "./variants.ts";

const ICONS = [{ src: "a.png", mimeType: "image/png", sizes: ["48x48"], theme: "light" }];
const ABOUT = { title: "One", description: "The first.", icons: ICONS, _meta: { a: 1 } };
const ANNOTATIONS = { audience: ["user", "assistant"], priority: 0.5 };
const RESOURCE = { uri: "file:///a", name: "a", mimeType: "text/plain", size: 3, ...ABOUT };
const TEXT = { uri: "file:///a", mimeType: "text/plain", text: "a", _meta: {} };
const BLOB = { uri: "file:///b", blob: "aGk=" };
const CONTENT = [
  { type: "text", text: "one", annotations: ANNOTATIONS, _meta: { b: 2 } },
  { type: "image", data: "aGk=", mimeType: "image/png", annotations: {} },
  { type: "audio", data: "", mimeType: "audio/wav" },
  { type: "resource", resource: TEXT, annotations: ANNOTATIONS },
  { type: "resource", resource: BLOB },
  { type: "resource_link", ...RESOURCE, annotations: ANNOTATIONS },
];
const TOOL = {
  name: "look",
  ...ABOUT,
  inputSchema: { type: "object", properties: {}, required: ["a"] },
  outputSchema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" },
  annotations: { title: "Look", readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  execution: { taskSupport: "forbidden" },
};
const PROMPT = { name: "p", ...ABOUT, arguments: [{ name: "a", description: "A", required: true }] };

/** For each method, an answer with every field, and the name of its SDK schema. */
const ANSWERS: { readonly [M in AnsweredMethod]: readonly [object, keyof Sdk["specTypeSchemas"]] } = {
  "tools/list": [{ tools: [TOOL], nextCursor: "2", _meta: {} }, "ListToolsResult"],
  "resources/list": [
    { resources: [{ ...RESOURCE, annotations: ANNOTATIONS }], nextCursor: "2" },
    "ListResourcesResult",
  ],
  "resources/templates/list": [
    { resourceTemplates: [{ uriTemplate: "file:///{a}", name: "a", mimeType: "text/plain", ...ABOUT }] },
    "ListResourceTemplatesResult",
  ],
  "prompts/list": [{ prompts: [PROMPT] }, "ListPromptsResult"],
  "tools/call": [
    { content: CONTENT, structuredContent: { n: 1 }, isError: false, _meta: { c: 3 } },
    "CallToolResult",
  ],
  "resources/read": [{ contents: [TEXT, BLOB], _meta: {} }, "ReadResourceResult"],
  "resources/subscribe": [{}, "EmptyResult"],
  "resources/unsubscribe": [{}, "EmptyResult"],
  "prompts/get": [
    {
      description: "A prompt",
      messages: CONTENT.map((content) => ({ role: "user", content })),
      _meta: {},
    },
    "GetPromptResult",
  ],
  "completion/complete": [
    { completion: { values: ["a", "b"], total: 2, hasMore: false }, _meta: {} },
    "CompleteResult",
  ],
  "logging/setLevel": [{}, "EmptyResult"],
  ping: [{}, "EmptyResult"],
};

describe.each(Object.entries(ANSWERS))("an answer to %s", async (method, [answer, name]) => {
  const sdk = await loadSdk();
  const isPlain = isPlainAnswerTo(method as AnsweredMethod);
  const isAcceptedBySdk = async (value: unknown) => {
    const outcome = await sdk.specTypeSchemas[name]["~standard"].validate(value);
    return outcome.issues === undefined;
  };

  test("is plain with every field of the specification", async () => {
    expect(isPlain(answer)).toBe(true);
    expect(await isAcceptedBySdk(answer)).toBe(true);
  });

  test("is plain only if the SDK accepts it, whatever is replaced or left out", async () => {
    const wrong: unknown[] = [];
    for (const variant of variants(answer))
      if (isPlain(variant) && !(await isAcceptedBySdk(variant))) wrong.push(variant);
    expect(wrong).toEqual([]);
  });
});

test("valid answers that need a closer check are left to the SDK", async () => {
  const sdk = await loadSdk();
  const isGood = async (value: unknown) =>
    (await sdk.specTypeSchemas.CallToolResult["~standard"].validate(value)).issues === undefined;
  const dated = { type: "text", text: "a", annotations: { lastModified: "2026-07-28T00:00:00Z" } };
  for (const value of [{ content: [dated] }, { structuredContent: {} }, { content: [], more: 1 }]) {
    expect(isPlainAnswerTo("tools/call")(value)).toBe(false);
    expect(await isGood(value)).toBe(true);
  }
});
