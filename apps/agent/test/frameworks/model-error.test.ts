import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { promisify } from "node:util";
import { McpError } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
// Loaded here: to load a framework for the first time may take longer than a test may.
import "../../src/frameworks/ai-sdk.ts";
import "../../src/frameworks/langchain.ts";
import { FRAMEWORK_NAMES, loadFramework } from "../../src/frameworks/load-framework.ts";
import { modelError } from "../../src/frameworks/model-error.ts";
import { type FailingModel, startFailingModel } from "../fixtures/failing-model.ts";

const KEY = "sk-planted-0123456789";

let model: FailingModel;
beforeEach(async () => {
  model = await startFailingModel();
});
afterEach(() => model[Symbol.asyncDispose]());

describe.each(FRAMEWORK_NAMES)("a model that fails on %s", (name) => {
  /** The error of one question, and what was printed before. */
  async function failureOf(failure: string, isBaseUrlGiven: boolean, query = "") {
    const baseUrl = `${model.baseUrl(failure)}${query}`;
    const settings = { baseUrl, isBaseUrlGiven, apiKey: KEY, model: "big" };
    const source = createFakeToolSource([{ definition: { name: "look" } }]);
    const agent = await loadFramework(name, source, settings);
    let printed = "";
    const print = (piece: string) => {
      printed += piece;
    };
    const error: unknown = await agent
      .ask("hi", { signal: new AbortController().signal, print })
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof Error)) throw new Error("It answered.");
    return { message: error.message.replace(new URL(baseUrl).host, "HOST"), printed };
  }

  it.each([
    ["401", true, "Check OPENAI_API_KEY."],
    ["403", false, "Check OPENAI_API_KEY."],
    ["404", false, "Choose another model with --model."],
    ["404", true, "Choose another model with --model, or check OPENAI_BASE_URL."],
    ["429", false, "Wait a while, then try again."],
  ])("is said to have refused with HTTP %s, what to do, and not the key", async (status, isGiven, step) => {
    const { message, printed } = await failureOf(status, isGiven);
    expect(message).toBe(`The model at HOST refused (HTTP ${status}): No, Bearer [redacted]. ${step}`);
    expect(printed).toBe("");
  });

  it.each([
    ["cut", "Hel"],
    ["cut-in-call", ""],
    ["cut-after-call", ""],
  ])("is said to have broken off an answer (%s)", async (failure, before) => {
    const { message, printed } = await failureOf(failure, true);
    expect(printed).toBe(before);
    expect(message).toBe("The model at HOST broke off its answer: terminated. Try again.");
  });

  it.each([
    ["error-429", "refused (HTTP 429): Too busy. Wait a while, then try again.", ""],
    ["error-in-text", "failed (HTTP 503): Too busy.", "Hel"],
    ["error", "failed: Too busy.", ""],
  ])("has answered if it sends an error in its stream (%s)", async (failure, said, before) => {
    const { message, printed } = await failureOf(failure, true);
    expect(message).toBe(`The model at HOST ${said}`);
    expect(printed).toBe(before);
  });

  it("has answered if what it sends cannot be read", async () => {
    const { message } = await failureOf("error-text", true);
    expect(message).toMatch(/^The model at HOST failed: .*Too busy\./);
    expect(message).not.toContain("Check");
  });

  it("does not show a value of the URL's query that is encoded", async () => {
    const { message } = await failureOf("400", true, "?token=planted%2fin+*the~(url)%3D%3D");
    expect(message).toMatch(/^The model at HOST refused \(HTTP 400\): No, .*\?token=\[redacted\]/);
    expect(message).not.toContain("planted");
  });
});

describe("the error for a person", () => {
  const settings = {
    baseUrl: "http://127.0.0.1:1/v1?token=planted-in-the-url",
    apiKey: "none",
    model: "big",
  };
  const said = (error: unknown, more: object = {}) =>
    modelError(error, { ...settings, ...more }, { hasBegun: false });

  it("names OPENAI_BASE_URL only if it was set and nothing answered", async () => {
    const refused = await fetch("http://127.0.0.1:1/").catch((error: unknown) => error);
    expect(said(refused, { isBaseUrlGiven: true })).toMatchObject({
      message: "The model at 127.0.0.1:1 did not answer: fetch failed. Check OPENAI_BASE_URL.",
      cause: refused,
    });
    expect(said(refused)).toMatchObject({ message: expect.stringMatching(/ Check the network\.$/) });
  });

  it("has the last of several attempts", () => {
    const lastError = Object.assign(new Error("The server is overloaded.\nRequest 5"), { statusCode: 503 });
    const retries = Object.assign(new Error("Failed after 3 attempts. Last error: …"), { lastError });
    expect(said(retries)).toMatchObject({
      message: "The model at 127.0.0.1:1 failed (HTTP 503): The server is overloaded.",
    });
  });

  it("says that nothing answered if a connection failed, however it is wrapped", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await promisify(closed.close.bind(closed))();
    const [cause] = await once(connect(port, "127.0.0.1"), "error");
    expect(said(new Error("No luck", { cause }), { isBaseUrlGiven: true })).toMatchObject({
      message: "The model at 127.0.0.1:1 did not answer: No luck. Check OPENAI_BASE_URL.",
    });
  });

  it.each([{ code: 503 }, { error: { code: 503 } }])(
    "has the status that an error in a stream names: %j",
    (error) => {
      expect(said({ message: "Too busy.", ...error })).toMatchObject({
        message: "The model at 127.0.0.1:1 failed (HTTP 503): Too busy.",
      });
    },
  );

  it("has no value of the URL's query, decoded or not", () => {
    const error = new Error("GET /v1?token=planted-in-the-url failed");
    expect(String(said(error))).not.toContain("planted");
    const baseUrl = "http://127.0.0.1:1/v1?a=planted%2F1&b=planted%2F1%2Fand+more";
    const repeated = new Error("planted/1, planted%2F1, planted/1/and more, planted%2F1%2Fand+more");
    expect(said(repeated, { baseUrl })).toMatchObject({
      message: "The model at 127.0.0.1:1 failed: [redacted], [redacted], [redacted], [redacted].",
    });
  });

  it.each([undefined, { code: 5 }, { code: 1302 }, new Error("")])("has some reason for %j", (error) => {
    expect(said(error)).toMatchObject({ message: "The model at 127.0.0.1:1 failed: it gave no reason." });
  });

  it("is the runtime's own where it is one", () => {
    const error = new McpError("MCP_CLOSED", "It was closed.");
    expect(said(error)).toBe(error);
  });
});
