import { describe, expect, it } from "vitest";
import { readModelSettings } from "../src/model-settings.ts";

describe("the chosen model", () => {
  it("is the offline model without a key and an endpoint", () => {
    expect(readModelSettings({ OPENAI_API_KEY: "" }, undefined)).toBeUndefined();
  });

  it("is OpenAI's with a key", () => {
    expect(readModelSettings({ OPENAI_API_KEY: "k" }, "big")).toEqual({
      baseUrl: "https://api.openai.com/v1",
      isBaseUrlGiven: false,
      apiKey: "k",
      model: "big",
    });
  });

  it("is a custom one with an endpoint, which needs no key", () => {
    expect(readModelSettings({ OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toMatchObject({
      baseUrl: "http://127.0.0.1:1/v1",
      isBaseUrlGiven: true,
      model: expect.any(String),
      apiKey: expect.any(String),
    });
  });
});
