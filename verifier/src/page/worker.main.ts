import { readEarlierHead } from '@tallyhand/service-kit/audit-bundle/earlier-head';
import { readStamps } from '@tallyhand/service-kit/audit-bundle/read-stamps';
import { readTrustedKeys } from '@tallyhand/service-kit/audit-bundle/trusted-keys';
import { UnfitForPack, verifyFile } from '@tallyhand/service-kit/audit-bundle/verify-file';
import { whenRead } from './platform.ts';
import type { FieldFault, VerifyRequest, WorkerMessage } from './request.ts';

/* Verifies one file beside the page, which ends this worker to cancel. */

const send = (message: WorkerMessage) => postMessage(message);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Rows and proof are read twice: once for their checksums, once side by side. */
const PASSES = 2;
const PROGRESS_MS = 100;

class UnusableField extends Error {
  readonly field: FieldFault['field'];

  constructor(field: FieldFault['field'], reason: string) {
    super(reason);
    this.field = field;
  }
}

async function read<T>(field: FieldFault['field'], reading: () => Promise<T>): Promise<T> {
  try {
    return await reading();
  } catch (error) {
    throw new UnusableField(field, messageOf(error));
  }
}

async function verify(request: VerifyRequest) {
  const { file, key, since, organizationId, atLeast, timestamps } = request;
  const trusted = key === null ? null : readTrustedKeys(key);
  if (key !== null && !trusted) throw new UnusableField('key', '');
  const expected = {
    organizationId: organizationId ?? undefined,
    atLeast: atLeast ?? undefined,
    since: since ? await read('since', () => readEarlierHead(since)) : undefined,
    stamps: timestamps
      ? await read('timestamps', () => readStamps(timestamps.file, timestamps.authority))
      : undefined,
  };
  let bytes = 0;
  let sentAt = 0;
  whenRead((more) => {
    bytes += more;
    const now = performance.now();
    if (now - sentAt < PROGRESS_MS) return;
    sentAt = now;
    send({ kind: 'progress', share: Math.min(1, bytes / (PASSES * file.size)) });
  });
  return verifyFile(file, trusted, expected);
}

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => {
  verify(data)
    .then((result) => send({ kind: 'result', result }))
    .catch((error) => {
      if (error instanceof UnfitForPack && error.field === 'key') {
        send({ kind: 'field', fault: { field: 'key-missing', reason: '' } });
      } else if (error instanceof UnusableField) {
        send({ kind: 'field', fault: { field: error.field, reason: error.message } });
      } else send({ kind: 'failure', reason: messageOf(error) });
    });
});
