import { readEnvironment } from '@tallyhand/service-kit/env';
import { surviveClosedOutput } from '@tallyhand/service-kit/log';
import { signalProcess } from '../postgres/process-table.ts';
import type { Programs } from './parts.ts';
import { startSupervisor } from './start-supervisor.ts';

const stopMsMax = 4700;

export type RunOptions = {
  /** Where a relative DATA_DIR starts. */
  baseDir: string;
  programs: Programs;
};

/**
 * The lifecycle of the supervisor's process: start, print the address, wait for a signal, stop
 * everything within 5 s, exit. A second signal changes nothing: running work is already cut off.
 */
export async function runSupervisor({ baseDir, programs }: RunOptions): Promise<never> {
  const stopping = new AbortController();
  let isStopAsked: () => void = () => {};
  const stopAsked = new Promise<void>((done) => {
    isStopAsked = done;
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => onSignal());
  }
  surviveClosedOutput();

  function onSignal(): void {
    if (stopping.signal.aborted) return;
    stopping.abort();
    isStopAsked();
    setTimeout(() => signalProcess(process.pid, 'SIGKILL'), stopMsMax).unref();
  }

  try {
    const supervisor = await startSupervisor({
      env: readEnvironment(),
      baseDir,
      programs,
      say: (line) => console.log(line),
      stopping: stopping.signal,
    });
    console.log(`Tallyhand is ready: ${supervisor.publicUrl}`);
    await stopAsked;
    await supervisor.stop();
    process.exit(0);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0);
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}
