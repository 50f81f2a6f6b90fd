import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPublicKey } from '@tallyhand/service-kit/audit-bundle/public-key';
import { verifyBundle } from '@tallyhand/service-kit/audit-bundle/verify';
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';
import { type ZipPart, zipLayout } from '@tallyhand/service-kit/zip';
import type pg from 'pg';
import { startChild } from './child.ts';
import { writeHistory } from './history/write-history.ts';
import { startBackends } from './ledger-backends.ts';
import { startProjecting } from './projecting.ts';
import { type Row, row } from './table.ts';

const EVENTS = 1_000_000;
const PROJECTED_MS_MAX = 1_200_000;
const EXPORTED_MS_MAX = 900_000;

/** Events in a second, and bytes. */
type Told = {
  readonly id: string;
  readonly exported: number;
  readonly grown: number;
  readonly checked: number;
  readonly grownBytes: number;
};

/** P11: the whole audit log of one organization as a bundle, which is then verified offline. */
export async function measureExport(eventsWanted = EVENTS): Promise<Row[]> {
  await using backends = await startBackends();
  const { kit } = backends;
  const { written, events } = await writeHistory(kit, {
    organizations: 1,
    eventsEach: eventsWanted,
  });
  await using projecting = await startProjecting(kit);
  await projecting.caughtUp(events, PROJECTED_MS_MAX);
  const settings = { kit, organizationId: written[0]?.organizationId, events };
  using worker = startChild(new URL('./export.main.ts', import.meta.url), settings, {
    execArgv: ['--expose-gc'],
    answerMsMax: EXPORTED_MS_MAX,
  });
  const done = await worker.told<Told>();
  await verify(projecting.admin, done.id, kit.auditKey, events);
  const n = events.toLocaleString('en');
  return [
    row(`P11 audit export of ${n} events: events/s`, done.exported.toFixed(0), '20,000; 60,000'),
    row('tree of the log from the event store: events/s', done.grown.toFixed(0)),
    row('check of the event store, without its rests: events/s', done.checked.toFixed(0)),
    row(
      'P11 memory that the worker grew by (RSS)',
      `${(done.grownBytes / 2 ** 20).toFixed(0)} MB`,
      '50 MB; 20 MB',
    ),
  ];
}

/** Puts the bundle together as a download does, and lets an auditor's command look at it. */
async function verify(
  admin: pg.Pool,
  id: string,
  { pem }: Extract<AuditKeySettings, { kind: 'setting' }>,
  events: number,
) {
  const folder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-export-'));
  try {
    const path = join(folder, 'bundle.zip');
    await writeBundle(admin, id, path);
    const { isWell, lines } = await verifyBundle(path, readPublicKey(pem));
    const isWhole = lines.some((line) => line.includes(`${events} of the ${events} rows`));
    if (!isWell || !isWhole) throw new Error(`The export is not right: ${lines.join(' ')}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeBundle(admin: pg.Pool, id: string, path: string) {
  const { rows } = await admin.query<{ parts: ZipPart[] }>(
    `select state->'parts' as parts from operational.audit_exports where export_id = $1`,
    [id],
  );
  const layout = zipLayout(rows[0]?.parts ?? []);
  await using file = await open(path, 'w');
  for (const segment of layout.readRange(0, layout.bytes)) {
    if (segment.kind === 'bytes') await file.write(segment.bytes);
    else for await (const piece of piecesOf(admin, id, segment.name)) await file.write(piece);
  }
}

async function* piecesOf(admin: pg.Pool, id: string, name: string) {
  for (let start = 0; ; ) {
    const { rows } = await admin.query<{ content: Buffer }>(
      `select content from operational.audit_export_chunks
       where export_id = $1 and file = $2 and start = $3`,
      [id, name, start],
    );
    const [piece] = rows;
    if (!piece) return;
    start += piece.content.length;
    yield piece.content;
  }
}
