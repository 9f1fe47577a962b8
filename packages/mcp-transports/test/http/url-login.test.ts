import { inspect } from "node:util";
import { silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { readUrlLogin } from "../../src/http/open-remote.ts";
import { createConnector, type HttpOptions } from "../../src/index.ts";
import { failureOf } from "../connecting.ts";
import { never } from "./remote.ts";

describe("a login in a URL", () => {
  test.each<[string, (server: { readonly url: string; readonly headers: object }) => HttpOptions]>([
    [
      "the URL",
      ({ url }) => {
        throw new Error(`no proxy for ${url}`);
      },
    ],
    [
      "the headers",
      ({ headers }) => {
        throw new Error(`no proxy for ${JSON.stringify(headers)}`);
      },
    ],
  ])("is not shown if the host's `http` function throws an error with %s", async (_, http) => {
    for (const transport of ["http", "sse"] as const) {
      const url = "http://ada:pass-123456@127.0.0.1:9/mcp";
      const server = { transport, name: "remote", url, headers: {}, secrets: [] };
      const connecting = createConnector({ http })(server, { signal: never, log: silentLogger });
      const error = await failureOf(connecting);
      expect(error.message).toContain("no proxy for");
      const shown = inspect(error, { depth: 8 }) + JSON.stringify(error);
      expect(shown).not.toContain("pass-123456");
      expect(shown).not.toContain(Buffer.from("ada:pass-123456").toString("base64"));
    }
  });

  test.each(["https://shop.example/", "https://ada@shop.example/"])("is absent in %s", (url) => {
    expect(readUrlLogin(new URL(url))).toBeUndefined();
  });
});
