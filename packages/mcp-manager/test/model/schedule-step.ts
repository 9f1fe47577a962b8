import fc from "fast-check";
import { expect } from "vitest";
import type { Listing, ModelDefinition } from "./model-server.ts";
import type { RealWorld } from "./real-world.ts";
import type { ReferenceModel } from "./reference-model.ts";

const SERVERS = ["a", "b", "c"];

/** One step of a schedule, taken by the model and by the manager, after which both must agree. */
class Step implements fc.AsyncCommand<ReferenceModel, RealWorld> {
  readonly #text: string;
  readonly #isPossible: (model: ReferenceModel) => boolean;
  readonly #take: (side: ReferenceModel | RealWorld, model: ReferenceModel) => void;

  constructor(
    text: string,
    isPossible: (model: ReferenceModel) => boolean,
    take: (side: ReferenceModel | RealWorld, model: ReferenceModel) => void,
  ) {
    this.#text = text;
    this.#isPossible = isPossible;
    this.#take = take;
  }

  check(model: ReferenceModel): boolean {
    return this.#isPossible(model);
  }

  async run(model: ReferenceModel, world: RealWorld): Promise<void> {
    this.#take(world, model);
    this.#take(model, model);
    await world.settle();
    expectAgreement(model, world);
  }

  toString(): string {
    return this.#text;
  }
}

/** Expects that manager and model agree in everything observable. */
export function expectAgreement(model: ReferenceModel, world: RealWorld): void {
  const { manager } = world;
  expect({
    statuses: manager.servers().map(({ name, status }) => `${name} ${status}`),
    tools: manager.tools().map(({ server, originalName }) => `${server} ${originalName}`),
    calls: world.calls,
    reconnects: world.reconnects,
    broken: world.brokenRules(),
  }).toEqual({
    statuses: [...model.servers].map(([name, { status }]) => `${name} ${status}`),
    tools: model.offered(),
    calls: model.calls.map(({ outcome }) => outcome),
    reconnects: model.reconnects.map(({ outcome }) => outcome),
    broken: [],
  });
}

const isRunning = (model: ReferenceModel) => model.phase !== "closed";
const server = fc.constantFrom(...SERVERS);

/** Steps that concern one server, with the state it must be in. */
const SERVER_STEPS = {
  call: () => true,
  fail: (model: ReferenceModel, name: string) => model.isAsked(name),
  crash: (model: ReferenceModel, name: string) => model.servers.get(name)?.status === "ready",
  hold: (model: ReferenceModel, name: string) => model.servers.get(name)?.status === "ready",
  disconnect: (model: ReferenceModel, name: string) => isRunning(model) && model.servers.has(name),
  reconnect: () => true,
} as const;

function serverStep(action: keyof typeof SERVER_STEPS): fc.Arbitrary<Step> {
  return server.map(
    (name) =>
      new Step(
        `${action} ${name}`,
        (model) => SERVER_STEPS[action](model, name),
        (side) => side[action](name),
      ),
  );
}

function openStep(listing: Listing): fc.Arbitrary<Step> {
  return server.map(
    (name) =>
      new Step(
        `open ${name} ${listing}`,
        (model) => model.isAsked(name),
        (side) => side.open(name, listing),
      ),
  );
}

/** Ends one of the calls that are pending, whichever there are. */
function callStep(action: "answer" | "abort"): fc.Arbitrary<Step> {
  const candidates = (model: ReferenceModel) =>
    [...model.calls.keys()].filter((id) => {
      const call = model.calls[id];
      return call?.outcome === "pending" && (action === "abort" || call.stage === "sent");
    });
  return fc.nat({ max: 5 }).map((index) => {
    // The world moves first, so both find the same call.
    const pick = (model: ReferenceModel) => candidates(model)[index % candidates(model).length] ?? 0;
    return new Step(
      `${action} ${index}`,
      (model) => candidates(model).length > 0,
      (side, model) => side[action](pick(model)),
    );
  });
}

const definition: fc.Arbitrary<ModelDefinition> = fc.record({
  version: fc.nat({ max: 1 }),
  hidden: fc.boolean(),
});

export const definitions: fc.Arbitrary<ReadonlyMap<string, ModelDefinition>> = fc
  .tuple(...SERVERS.map(() => fc.option(definition, { freq: 5, nil: undefined })))
  .map(
    (given) =>
      new Map(
        SERVERS.flatMap((name, index) => {
          const found = given[index];
          return found === undefined ? [] : [[name, found] as const];
        }),
      ),
  );

const reload = definitions.map((given) => {
  const text = [...given].map(([name, { version, hidden }]) => `${name}${version}${hidden ? "-" : ""}`);
  return new Step(`reload ${text.join(" ")}`, isRunning, (side) => side.reload(given));
});

const start = fc.constant(
  new Step(
    "start",
    ({ phase, ending }) => phase === "new" || (phase === "closed" && ending.size === 0),
    (side) => side.start(),
  ),
);

const close = fc.constant(new Step("close", isRunning, (side) => side.close()));
const releaseHolds = fc.constant(
  new Step(
    "release",
    () => true,
    (side) => side.releaseHolds(),
  ),
);
const elapse = fc.constantFrom(500, 1_000, 3_000, 10_000, 25_000).map(
  (ms) =>
    new Step(
      `wait ${ms}`,
      () => true,
      (side) => side.elapse(ms),
    ),
);

/** Every step, the frequent ones more than once. */
export const steps: fc.Arbitrary<Step>[] = [
  start,
  ...(["fail", "call", "call", "crash", "hold", "disconnect", "reconnect"] as const).map(serverStep),
  ...(["in", "in", "in", "brokenOff", "unsent"] as const).map(openStep),
  callStep("answer"),
  callStep("abort"),
  reload,
  releaseHolds,
  elapse,
  elapse,
  close,
];
