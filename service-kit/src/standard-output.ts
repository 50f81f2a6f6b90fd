/**
 * Keeps the process when its terminal or pipe is closed: what it writes then is lost. Without it
 * the next line of a log would end the process.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
