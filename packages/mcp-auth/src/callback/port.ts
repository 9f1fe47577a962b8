/** Whether one can listen there; 0 stands for any. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65_535;
}
