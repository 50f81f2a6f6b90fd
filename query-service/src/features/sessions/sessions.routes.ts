import { ReadableStream } from 'node:stream/web';
import {
  exportSession,
  getImage,
  getSession,
  getSessionSteps,
  listSessions,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readSession,
  readSessionSteps,
  readSessions,
} from '@tallyhand/read-models/features/sessions/sessions.tables';
import type { Read } from '@tallyhand/read-models/kernel/read';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { type Call, JSON_TYPE, pageOf, route } from '../../kernel/route.ts';
import { archiveOf, imageOf, jsonWithImages, type WithSteps } from './screenshots.ts';

/** Each reads every image of a session. */
const LIMIT = { max: 60, timeWindow: '1 minute' };

/** What is known by its hash never changes, and belongs to the organization alone. */
const CACHE = 'private, max-age=31536000, immutable';
const SANDBOX = "default-src 'none';frame-ancestors 'none';sandbox";

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

/** A session's steps, and what the read has beside them, with the images where they are asked for. */
const detail = (read: Read<{ readonly id: 'uuid' }>) => async (call: Asked) => {
  const found = await call.read(read, call.params);
  if (isRefusal(found) || found.body === null || !call.query.include) return found;
  const body = ReadableStream.from(jsonWithImages(call, JSON.parse(found.body) as WithSteps));
  return { kind: 'file', media: JSON_TYPE, body } as const;
};
