import type { Progress } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { followCall } from "../src/call-progress.ts";

/** A call that ends when it is told to. */
function scripted() {
  const answer = Promise.withResolvers<string>();
  let tell: (progress: Progress) => void = () => {};
  const { result, progress } = followCall((onProgress) => {
    tell = onProgress;
    return answer.promise;
  });
  return { result, progress, tell: (count: number) => tell({ progress: count }), answer };
}

describe("a call that is followed", () => {
  it("tells the newest of what came before anybody read, then what comes, then the result", async () => {
    const { progress, tell, answer } = scripted();
    tell(1);
    tell(2);
    const steps = progress();
    expect(await steps.next()).toEqual({ value: { progress: 2 }, done: false });
    const next = steps.next();
    tell(3);
    expect(await next).toEqual({ value: { progress: 3 }, done: false });
    answer.resolve("end");
    expect(await steps.next()).toEqual({ value: "end", done: true });
  });

  it("tells nothing but the result if that is there already", async () => {
    const { result, progress, tell, answer } = scripted();
    tell(1);
    answer.resolve("end");
    expect(await result).toBe("end");
    expect(await progress().next()).toEqual({ value: "end", done: true });
    expect(await progress().next()).toEqual({ value: "end", done: true });
  });

  it("that was given up is not reported if nobody looks, and told to whoever does", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { result, progress, answer } = scripted();
    answer.reject(new Error("given up"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    await expect(result).rejects.toThrow("given up");
    await expect(progress().next()).rejects.toThrow("given up");
  });
});
