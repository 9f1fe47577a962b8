import { isEnabled, isSamePlace, type OwningEntry } from "../sources/merged-servers.ts";
import type { SourceEntry } from "../sources/server-source.ts";

type Shadowed = OwningEntry["shadowed"][number];

/**
 * What an entry shadows because it reaches the same endpoint is not shadowed any more if the entry loses its name to another host. The
 * strongest enabled of these then takes its place.
 *
 * @param owners - those of all hosts, the strongest first
 */
export function competeAgain(owners: readonly OwningEntry[]): readonly OwningEntry[] {
  const strongest = new Map<string, SourceEntry>();
  const competing: OwningEntry[] = [];
  for (const owner of owners) {
    let next: OwningEntry | undefined = owner;
    while (next) next = place(next);
  }
  return competing;

  /** Returns the owner of what is released, if the given one loses its name. */
  function place(owner: OwningEntry): OwningEntry | undefined {
    const { entry, shadowed } = owner;
    const winner = strongest.get(entry.name);
    if (winner === undefined) strongest.set(entry.name, entry);
    const isLost = winner !== undefined && !isSamePlace(winner.definedIn, entry.definedIn);
    const released = isLost ? shadowed.filter(isOfEndpoint) : [];
    const heir = released.find((other) => isEnabled(other.entry)) ?? released[0];
    competing.push(heir ? { entry, shadowed: namesakesOf(entry, shadowed) } : owner);
    return heir && { entry: heir.entry, shadowed: inheritedBy(heir, released, shadowed) };
  }
}

function isOfEndpoint({ reason }: Shadowed): boolean {
  return reason === "endpoint";
}

function namesakesOf({ name }: SourceEntry, shadowed: readonly Shadowed[]): readonly Shadowed[] {
  return shadowed.filter((other) => !isOfEndpoint(other) && other.entry.name === name);
}

function inheritedBy(heir: Shadowed, released: readonly Shadowed[], shadowed: readonly Shadowed[]) {
  const others = released.filter((other) => other !== heir);
  return [
    ...namesakesOf(heir.entry, shadowed),
    ...others.flatMap((other) => [other, ...namesakesOf(other.entry, shadowed)]),
  ];
}
