import { isMcpError } from "@jackfield/mcp-core";
import { casesOf, startTcpFaultProxy, type TcpConnectionPlan } from "@jackfield/test-kit";
import { expect } from "vitest";
import { atEnd } from "../cleanup.ts";
import { connectTo, startRemote } from "./remote.ts";

/** Cuts for each kind of answers. */
export const CUTS = casesOf(300, 5_000).numRuns;
const LANES = 64;

/** A call and everything before it take about this many bytes in either direction. */
const SPAN_BYTES = 1500;

/** A generator of pseudo-random numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function randomPlan(random: () => number): TcpConnectionPlan {
  const direction = {
    cutAtByte: Math.floor(random() * SPAN_BYTES),
    cutBy: random() < 0.5 ? ("rst" as const) : ("fin" as const),
    ...(random() < 0.2 && { chunkBytes: 1 + Math.floor(random() * 100) }),
  };
  return random() < 0.5 ? { request: direction } : { answer: direction };
}

/**
 * Makes calls while connections are cut at random. A call must run once if it was answered, at most once if its outcome is
 * `unknown`, and never if its outcome is `not-sent` or `rejected`.
 */
export async function survivesRandomCuts(answer: "json" | "sse"): Promise<void> {
  const seed = Number(process.env.SEED) || 1 + Math.floor(Math.random() * 2_147_483_645);
  process.stdout.write(`seed of the random cuts (${answer}): ${seed}\n`);
  const random = randomFrom(seed);
  const remote = await startRemote({
    answer,
    sessionless: true,
    on: { GET: { reply: { status: 405 } } },
  });
  const proxy = await startTcpFaultProxy(remote.url);
  atEnd(() => proxy.close());
  const session = await connectTo(proxy);
  let cuts = 0;
  proxy.setPlan(() => {
    cuts += 1;
    return randomPlan(random);
  });

  const outcomes = new Map<string, string>();
  const lane = async () => {
    while (cuts < CUTS) {
      const nonce = `call ${outcomes.size}`;
      outcomes.set(nonce, "pending");
      outcomes.set(
        nonce,
        await outcomeOf(session.request("tools/call", { name: "echo", arguments: { nonce } })),
      );
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));

  const times = new Map<string, number>();
  for (const { arguments: args } of remote.calls)
    times.set(String(args.nonce), (times.get(String(args.nonce)) ?? 0) + 1);
  const wrong = [...outcomes].filter(([nonce, outcome]) => !fits(outcome, times.get(nonce) ?? 0));
  expect(wrong).toEqual([]);
  expect(new Set(outcomes.values())).toContain("unknown");
  expect(new Set(outcomes.values())).toContain("answered");
}

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "answered";
  } catch (error) {
    return isMcpError(error) ? (error.outcome ?? "unlabelled") : "no McpError";
  }
}

/** Whether the outcome of a call fits how often the server ran it. */
function fits(outcome: string, times: number): boolean {
  if (outcome === "answered") return times === 1;
  if (outcome === "unknown") return times <= 1;
  return (outcome === "not-sent" || outcome === "rejected") && times === 0;
}
