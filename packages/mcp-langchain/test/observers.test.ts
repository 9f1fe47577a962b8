import { createFakeToolSource } from "@jackfield/test-kit";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { registerConfigureHook, setContextVariable } from "@langchain/core/context";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { langchainTools } from "../src/index.ts";
import { CALL } from "./setups.ts";

let seen: string[];
beforeEach(() => {
  seen = [];
});
afterEach(() => vi.unstubAllEnvs());

class Observer extends BaseCallbackHandler {
  name = "observer";
  override handleToolEnd(): void {
    seen.push("a call");
  }
}

function call(): Promise<unknown> {
  const source = createFakeToolSource([
    { definition: { name: "ask" }, call: () => ({ content: [{ type: "text", text: "answer" }] }) },
  ]);
  const [tool] = langchainTools(source);
  if (tool === undefined) throw new Error("there is no tool");
  return tool.invoke(CALL);
}

it("tells an observer that the environment switches on of the calls of a later turn", async () => {
  registerConfigureHook({ handlerClass: Observer, envVar: "OBSERVED_BY_ENVIRONMENT" });
  await call();
  expect(seen).toEqual([]);
  vi.stubEnv("OBSERVED_BY_ENVIRONMENT", "true");
  await Promise.all([call(), call()]);
  expect(seen).toEqual(["a call", "a call"]);
  vi.stubEnv("OBSERVED_BY_ENVIRONMENT", "false");
  await call();
  expect(seen).toHaveLength(2);
});

it("tells an observer of one context of that context's calls, whatever other contexts call in the same turn", async () => {
  const unobserved = call();
  registerConfigureHook({ contextVar: "observer" });
  setContextVariable("observer", new Observer());
  await Promise.all([unobserved, call()]);
  expect(seen).toEqual(["a call"]);
});

it("asks LangChain once for the calls of one turn", async () => {
  const configure = vi.spyOn(CallbackManager, "configure");
  await Promise.all([call(), call(), call()]);
  await call();
  expect(configure).toHaveBeenCalledTimes(2);
  configure.mockRestore();
});
