import { describe, expect, test } from "vitest";
import { checkMessage, UNSOUND_ANSWER } from "../src/message-check.ts";
import { loadSdk } from "../src/protocol/items.ts";

const RESULTS = [{}, { a: 1 }, { _meta: {} }, { _meta: { "io.modelcontextprotocol/serverInfo": 7 } }];
const NO_RESULTS = [[], "text", 1, true];
const ERRORS = [
  { code: -32601, message: "" },
  { code: 0, message: "m", data: null },
  { code: 1, message: "m", more: 1 },
];
const NO_ERRORS = [[], "text", {}, { code: "1", message: "m" }, { code: 1.5, message: "m" }, { code: 1 }];
const IDS = [0, -1, "", "a", 1.5, null, {}, 2 ** 60];

test.each(ERRORS)("checkMessage accepts the error %j without an id, unlike the SDK", (error) => {
  const answer = { jsonrpc: "2.0", id: null, error };
  expect(checkMessage(answer as never)).toEqual(answer);
});

test.each([[], 1, null])("checkMessage accepts an answer whose `_meta` is %j, unlike the SDK", (_meta) => {
  const answer = { jsonrpc: "2.0", id: 1, result: { _meta } };
  expect(checkMessage(answer as never)).toEqual(answer);
});

describe("checkMessage accepts the same other answers as the SDK", async () => {
  const sdk = await loadSdk();
  const bodies = [
    ...[...RESULTS, ...NO_RESULTS].map((result) => ({ result })),
    ...[...ERRORS, ...NO_ERRORS].map((error) => ({ error })),
  ];
  const answers = bodies.flatMap((body) => IDS.map((id) => ({ jsonrpc: "2.0", id, ...body })));
  const ofRequests = answers.filter((answer) => answer.id !== null || !("error" in answer));
  test.each(ofRequests.map((answer) => [JSON.stringify(answer), answer]))("%s", (_, answer) => {
    const isAnswer = sdk.isJSONRPCResultResponse(answer) || sdk.isJSONRPCErrorResponse(answer);
    const checked = checkMessage(answer as never) as { readonly error?: { readonly data?: unknown } };
    expect(checked.error?.data !== UNSOUND_ANSWER).toBe(isAnswer);
    if (isAnswer) expect(checked).toEqual(answer);
  });
});
