import { describe, expect, it } from "vitest";
import { readModelSettings } from "../src/model-settings.ts";

describe("which model is talked to", () => {
  it("is the offline one without a key and an endpoint", () => {
    expect(readModelSettings({ OPENAI_API_KEY: "" }, undefined)).toBeUndefined();
  });

  it("is OpenAI's with a key", () => {
    expect(readModelSettings({ OPENAI_API_KEY: "k" }, "big")).toEqual({
      baseUrl: "https://api.openai.com/v1",
      apiKey: "k",
      model: "big",
    });
  });

  it("is one's own with an endpoint, for which no key is needed", () => {
    expect(readModelSettings({ OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toMatchObject({
      baseUrl: "http://127.0.0.1:1/v1",
      model: expect.any(String),
      apiKey: expect.any(String),
    });
  });
});
