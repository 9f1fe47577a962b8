import { join } from "node:path";
import { CONFIGURED_SERVERS, writeConfigurationFiles } from "./configuration-files.ts";
import type { Figures } from "./measurement.ts";
import { type MeasuringOptions, runMeasuringProcess } from "./measuring-process.ts";
import { scriptPath } from "./script-path.ts";

/** The scenario in which the servers of all hosts are found. */
export const DISCOVERY_SCENARIO = `discovery of ${CONFIGURED_SERVERS}`;

/** The servers of all hosts are found, or a process starts and does nothing. */
export interface DiscoveryStep {
  readonly kind: "discovery";
  readonly subject: "discovery" | "bare-node";
}

/** Writes what is found later. */
export function prepareDiscovery({ workplace }: MeasuringOptions): Promise<void> {
  return writeConfigurationFiles(homeIn(workplace));
}

export function takeDiscovery({ subject }: DiscoveryStep, options: MeasuringOptions): Promise<Figures> {
  const request = subject === "discovery" ? { home: homeIn(options.workplace) } : {};
  return runMeasuringProcess(scriptPath("find-servers"), JSON.stringify(request), options);
}

function homeIn({ directory }: MeasuringOptions["workplace"]): string {
  return join(directory, "configured");
}
