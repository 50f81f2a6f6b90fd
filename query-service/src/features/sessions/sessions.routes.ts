import { ReadableStream } from 'node:stream/web';
import {
  exportSession,
  getImage,
  getSession,
  getSessionSteps,
  listSessions,
  type SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readImage,
  readSession,
  readSessionSteps,
  readSessions,
} from '@tallyhand/read-models/features/sessions/sessions.tables';
import type { Read } from '@tallyhand/read-models/kernel/read';
import { type ZipFile, zipOf } from '@tallyhand/service-kit/zip';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { type Call, JSON_TYPE, pageOf, route } from '../../kernel/route.ts';
import { SANDBOX } from '../../kernel/sandbox.ts';

/** Each call reads all images of a session. */
const LIMIT = { max: 60, timeWindow: '1 minute' };

/** Content addressed by hash never changes; it is private to the organization. */
const CACHE = 'private, max-age=31536000, immutable';

export function sessionsRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, listSessions, (call) => {
    const { status = null, agentId: agent = null } = call.query;
    return pageOf(call, listSessions.path, (page) =>
      call.read(readSessions, { status, agent, ...page }),
    );
  });
  route(app, context, getSession, detail(readSession));
  route(app, context, getSessionSteps, detail(readSessionSteps));
  route(app, context, exportSession, { limit: LIMIT }, async (call) => {
    const found = await call.read(readSession, call.params);
    if (isRefusal(found) || found.body === null) return found;
    const body = ReadableStream.from(archiveOf(call, JSON.parse(found.body) as WithSteps));
    return { kind: 'file', fileName: `session-${call.params.id}.zip`, body };
  });
  route(app, context, getImage, { what: 'image' }, async (call) => {
    const image = await imageOf(call, call.params.hash);
    if (isRefusal(image)) return image;
    if (image === null) return { kind: 'rows', body: null };
    call.reply.header('cache-control', CACHE).header('content-security-policy', SANDBOX);
    return { kind: 'file', body: Buffer.from(image, 'base64') };
  });
}

type Asked = Call<{ readonly id: string }, { readonly include?: 'screenshots' | undefined }>;

/** A session's steps and the other fields of the read, with images on request. */
const detail = (read: Read<{ readonly id: 'uuid' }>) => async (call: Asked) => {
  const found = await call.read(read, call.params);
  if (isRefusal(found) || found.body === null || !call.query.include) return found;
  const body = ReadableStream.from(jsonWithImages(call, JSON.parse(found.body) as WithSteps));
  return { kind: 'file', media: JSON_TYPE, body } as const;
};

type Reader = Pick<Call<unknown, unknown>, 'read'>;

/** Fields of a session, with its steps last. */
type WithSteps = { readonly steps: readonly SessionStep[] };

/** An image of the caller's organization as base64, or null. */
async function imageOf({ read }: Reader, hash: string): Promise<string | null | Refusal> {
  const result = await read(readImage, { hash });
  if (isRefusal(result)) return result;
  const found = JSON.parse(result.body ?? 'null') as { readonly content: string } | null;
  return found?.content ?? null;
}

/**
 * The images of a step as base64. Each read checks the sign-in again; missing images are omitted.
 */
async function imagesOf(call: Reader, { metadata }: SessionStep): Promise<string[]> {
  const images: string[] = [];
  for (const url of metadata.screenshotUrls) {
    const image = await imageOf(call, url.slice(url.lastIndexOf('/') + 1));
    // The response has started: it can only be aborted.
    if (isRefusal(image)) throw new Error(`An answer ended early: ${image.code}`);
    if (image !== null) images.push(image);
  }
  return images;
}

/** JSON with images, step by step: all of them may not fit into memory. */
async function* jsonWithImages(call: Reader, found: WithSteps): AsyncGenerator<string> {
  const { steps, ...rest } = found;
  const named = Object.entries(rest).map(([name, value]) => `"${name}":${JSON.stringify(value)},`);
  yield `{${named.join('')}"steps":[`;
  for (const [at, step] of steps.entries()) {
    const screenshots = await imagesOf(call, step);
    const metadata = { ...step.metadata, screenshots };
    yield (at > 0 ? ',' : '') + JSON.stringify({ ...step, metadata });
  }
  yield ']}';
}

/** The session as an archive: images by step number, then JSON that names them. */
const archiveOf = (call: Reader, found: WithSteps) => zipOf(filesOf(call, found));

async function* filesOf(call: Reader, { steps, ...rest }: WithSteps): AsyncGenerator<ZipFile> {
  const told: SessionStep[] = [];
  for (const step of steps) {
    const screenshots: string[] = [];
    for (const image of await imagesOf(call, step)) {
      const number = String(step.stepNumber).padStart(4, '0');
      const name = `screenshots/${number}${screenshots.length > 0 ? `-${screenshots.length + 1}` : ''}.png`;
      screenshots.push(name);
      yield { name, contents: Buffer.from(image, 'base64') };
    }
    told.push({ ...step, metadata: { ...step.metadata, screenshots } });
  }
  const json = JSON.stringify({ ...rest, steps: told }, null, 2);
  yield { name: 'session.json', contents: Buffer.from(`${json}\n`) };
}
