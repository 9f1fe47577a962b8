/** Whether this is a valid port to listen on; 0 stands for any free one. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65_535;
}
