import multipart, { type MultipartFile } from '@fastify/multipart';
import { MalformedRequest, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { QueueFull } from '@tallyhand/service-kit/fair-queue';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Held } from './held-bytes.ts';

/** Lets the routes of this scope receive a form with one file of up to `bytesMax`. */
export async function acceptFiles(scope: FastifyInstance, bytesMax: number): Promise<void> {
  await scope.register(multipart, {
    limits: { files: 1, fileSize: bytesMax + 1 },
    throwFileSizeLimit: false,
  });
}

export type UploadedFile = {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
};

/**
 * Reads the one file of a multipart body; null if there is none. Refuses it if too many bytes are
 * held. Errors are the parser's, so the caller's bytes have caused them.
 */
export async function fileIn(
  request: FastifyRequest,
  held: Held,
): Promise<UploadedFile | Refusal | null> {
  let file: UploadedFile | null = null;
  let full: QueueFull | null = null;
  const unknown: string[] = [];
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        unknown.push(part.fieldname);
        continue;
      }
      const bytes = await bytesOf(part, held);
      if (isRefusal(bytes)) {
        full = bytes;
        break;
      }
      file = { name: part.filename, type: part.mimetype, bytes };
    }
  } catch (error) {
    const { FilesLimitError } = request.server.multipartErrors;
    return error instanceof FilesLimitError ? TOO_MANY : UNREADABLE;
  }
  if (full) {
    // The rest is received and discarded, because callers read the answer only after sending all.
    request.raw.resume();
    return full;
  }
  if (unknown.length === 0) return file;
  const errors = unknown.map((path) => ({ path, message: 'There is no such field' }));
  return ValidationFailed({ summary: 'Send the file alone, without other fields.' }, errors);
}

async function bytesOf({ file }: MultipartFile, held: Held): Promise<Buffer | QueueFull> {
  const chunks: Buffer[] = [];
  for await (const chunk of file) {
    const full = held.add(chunk.length);
    if (full) return full;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const refusedFile = (summary: string, message: string) =>
  ValidationFailed({ summary }, [{ path: 'file', message }]);
const TOO_MANY = refusedFile('Send one file at a time.', 'Send one file at a time');
const UNREADABLE = MalformedRequest({
  reason: 'The body is not valid multipart/form-data. Check its boundary, and that it is complete.',
});
