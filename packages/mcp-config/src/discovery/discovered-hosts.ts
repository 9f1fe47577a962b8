interface DiscoveredHosts {
  readonly sources: readonly FoundEntries[];
  readonly problems: readonly ConfigProblem[];
}

async function discoverHosts(
  options: DiscoverServersOptions,
  cwd: string,
  report: Report,
): Promise<DiscoveredHosts> {
  const { dialects, problems } = namedDialects(options.hosts);
  if (dialects.length === 0) return { sources: [], problems };
  const at: HostSurroundings = {
    platform: options.platform ?? process.platform,
    env: options.env ?? process.env,
    home: options.home ?? homedir(),
    cwd,
    projectTop: findProjectTop(cwd),
  };
  const context: FindingContext = {
    folders: projectFolders(at),
    isSingleFile: false,
    platform: at.platform,
    remark: () => {},
  };
  const readOnce = createReadOnce(report);
  const hosts = await Promise.all(dialects.map((dialect) => readHostFiles(dialect, at, readOnce, report)));
  const sources: FoundEntries[] = [];
  for (const host of hosts) {
    const { entries, problems: faults } = readHostServersSafely(host, context, report);
    sources.push({ entries, mayBeSame: endpointRule(host.dialect) });
    problems.push(...host.problems, ...faults);
  }
  return { sources, problems };
}

/** Within a host, endpoints count only where it says so. */
function endpointRule({ endpointScope }: HostDialect): MayBeSame | undefined {
  if (endpointScope === undefined) return undefined;
  return (stronger, weaker) => weaker.scope === endpointScope && stronger.scope !== endpointScope;
}

function namedDialects(hosts: DiscoverServersOptions["hosts"] = ["jackfield"]) {
  const problems: ConfigProblem[] = [];
  if (hosts === "all") return { dialects: HOST_DIALECTS, problems };
  const definedIn: DefinedIn = { scope: "explicit", pointer: "/hosts" };
  const refuse = (text: string) =>
    problems.push({ definedIn, error: invalidSource(definedIn, text), kind: "ConfigShapeError" });
  if (!Array.isArray(hosts)) {
    refuse(`it must be a list of hosts or "all", not ${kindOf(hosts)}.`);
    return { dialects: [], problems };
  }
  const dialects = new Set<HostDialect>();
  for (const host of hosts as readonly unknown[]) {
    const dialect = typeof host === "string" ? dialectOf(host) : undefined;
    if (dialect) dialects.add(dialect);
    else refuse(unknownHost(String(host)));
  }
  return { dialects: [...dialects], problems };
}

/** What is said of a host that is not in the table. */
export function unknownHost(host: string): string {
  const known = HOST_DIALECTS.map(({ id }) => quote(id)).join(", ");
  return `${quote(host)} is no host that is known; name one of ${known}.`;
}
