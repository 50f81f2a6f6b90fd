/**
 * Keeps the process alive when its terminal or pipe is closed: that output is lost. Without it the
 * next log line would end the process.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
