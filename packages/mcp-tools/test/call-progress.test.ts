import type { Progress } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { followCall } from "../src/call-progress.ts";

/** A call whose progress and end the test controls. */
function startCall() {
  const answer = Promise.withResolvers<string>();
  let report: (progress: Progress) => void = () => {};
  const { result, progress } = followCall((onProgress) => {
    report = onProgress;
    return answer.promise;
  });
  return { result, progress, report: (count: number) => report({ progress: count }), answer };
}

describe("a followed call", () => {
  it("yields the newest earlier progress, then new progress, then the result", async () => {
    const { progress, report, answer } = startCall();
    report(1);
    report(2);
    const steps = progress();
    expect(await steps.next()).toEqual({ value: { progress: 2 }, done: false });
    const next = steps.next();
    report(3);
    expect(await next).toEqual({ value: { progress: 3 }, done: false });
    answer.resolve("end");
    expect(await steps.next()).toEqual({ value: "end", done: true });
  });

  it("yields only the result if it is already there", async () => {
    const { result, progress, report, answer } = startCall();
    report(1);
    answer.resolve("end");
    expect(await result).toBe("end");
    expect(await progress().next()).toEqual({ value: "end", done: true });
    expect(await progress().next()).toEqual({ value: "end", done: true });
  });

  it("that rejects causes no unhandled rejection and rejects every reader", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { result, progress, answer } = startCall();
    answer.reject(new Error("given up"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    await expect(result).rejects.toThrow("given up");
    await expect(progress().next()).rejects.toThrow("given up");
  });
});
