import { subtle } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { GCProfiler } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded (`--import`) into the product's processes while the bench measures what they cost. At SIGUSR2
 * the application writes its counts since the start to a file of the folder COST_FOLDER. With
 * COST_PROFILE the first signal begins a profile of the processor, and each further one ends it and
 * begins the next, in the event store, too.
 */

export type ProbeCounts = {
  /** Calls of PostgreSQL's client. */
  readonly statements: number;
  /** Calls of WebCrypto, each of which goes to the thread pool. */
  readonly cryptoJobs: number;
  readonly allocatedBytes: number;
  readonly collectorMs: number;
};

const { COST_FOLDER: folder = '', COST_PROFILE: isProfiled } = process.env;

let statements = 0;
let cryptoJobs = 0;
let allocatedBytes = 0;
let collectorMs = 0;
let usedBytes = 0;
let profiler = new GCProfiler();

type Query = (...values: unknown[]) => unknown;

function countStatements(): void {
  const { Client } = createRequire(process.argv[1] ?? '')('pg') as {
    Client: { prototype: { query: Query } };
  };
  const { query } = Client.prototype;
  Client.prototype.query = function (this: unknown, ...values) {
    statements += 1;
    return query.apply(this, values);
  };
}

function countCryptoJobs(): void {
  const prototype = Object.getPrototypeOf(subtle) as Record<string, Query>;
  for (const name of [
    'sign',
    'verify',
    'digest',
    'encrypt',
    'decrypt',
    'importKey',
    'deriveBits',
  ]) {
    const job = prototype[name];
    if (!job) continue;
    prototype[name] = function (this: unknown, ...values) {
      cryptoJobs += 1;
      return job.apply(this, values);
    };
  }
}

function addCollections(): void {
  for (const { cost, beforeGC, afterGC } of profiler.stop().statistics) {
    collectorMs += cost / 1000;
    allocatedBytes += Math.max(0, beforeGC.heapStatistics.usedHeapSize - usedBytes);
    usedBytes = afterGC.heapStatistics.usedHeapSize;
  }
  profiler = new GCProfiler();
  profiler.start();
}

async function startProfiling() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async (file: string) => {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
    await session.post('Profiler.start');
  };
}

let endProfile: ((file: string) => Promise<void>) | null = null;
let profiles = 0;

async function profileNext(name: string) {
  if (endProfile) {
    profiles += 1;
    await endProfile(join(folder, `${name}-${profiles}.cpuprofile`));
  } else if (isProfiled) endProfile = await startProfiling();
}

const script = process.argv[1] ?? '';
if (folder && isMainThread && script.endsWith('event-store/src/main.ts')) {
  process.on('SIGUSR2', () => profileNext('event-store'));
}
if (folder && isMainThread && basename(script) === 'application.main.ts') {
  mkdirSync(folder, { recursive: true });
  countStatements();
  countCryptoJobs();
  profiler.start();
  process.on('SIGUSR2', async () => {
    addCollections();
    await profileNext('application');
    const counts: ProbeCounts = { statements, cryptoJobs, allocatedBytes, collectorMs };
    // Whole from the moment that it has its name.
    const file = join(folder, 'counts.json');
    writeFileSync(`${file}.new`, JSON.stringify(counts));
    renameSync(`${file}.new`, file);
  });
}
