import {
  NOTHING_SENT,
  parseProgressId,
  progressId,
  progressSince,
} from '@tallyhand/contracts/features/tasks/task-progress';
import {
  type ExecutionResult,
  isOpenStatus,
  streamTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import {
  NotFound,
  NotSignedIn,
  ReadModelsBehind,
  ValidationFailed,
} from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readTask } from '@tallyhand/read-models/features/tasks/tasks.tables';
import { fastifyPath } from '@tallyhand/service-kit/http/app';
import { credentialOf } from '@tallyhand/service-kit/http/credentials';
import { sendProblem } from '@tallyhand/service-kit/http/problem';
import { parseRequest } from '@tallyhand/service-kit/http/request';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import type { LiveChanges } from '../../kernel/live-changes.ts';
import { seesOwnChanges } from '../../kernel/route.ts';
import { runRead } from '../../kernel/run-read.ts';

/** A caller that joins late gets all that was done at once. */
const BUFFERED_BYTES_MAX = 8 * 1024 * 1024;

/** What changes in a task: its work, and its charge. */
const SHOWN = ['tasks', 'credits', 'all'];
const CHARGE_MS_MAX = 5_000;

/** Sends what a task has done whenever its row changes, whichever process runs it. */
export function taskEventsRoute(
  app: FastifyInstance,
  context: QueryContext,
  live: Pick<LiveChanges, 'open'>,
) {
  app.get(fastifyPath(streamTask.path), async (request, reply) => {
    const credential = await credentialOf(request, context.settings);
    if (!credential) return sendProblem(reply, NotSignedIn({}));
    if (!(await seesOwnChanges(context, request))) return sendProblem(reply, ReadModelsBehind({}));
    const parsed = parseRequest(streamTask, request);
    const id = isRefusal(parsed) ? null : parsed.params.id;
    const { roles } = streamTask;
    const read = () => runRead(context.lines, readTask, credential.id, roles, { id });
    const first = await read();
    if (isRefusal(first)) return sendProblem(reply, first);
    if (isRefusal(parsed)) return sendProblem(reply, parsed);
    if (first.body === null) return sendProblem(reply, NotFound({ what: 'task' }));
    const lastId = request.headers['last-event-id'];
    const begun = lastId === undefined ? NOTHING_SENT : parseProgressId(String(lastId));
    if (!begun) return sendProblem(reply, wrongLastId());

    let sent = begun;
    let isUpdating = false;
    let hasChanged = false;
    let isOverdue = false;
    let overdue: NodeJS.Timeout | undefined;
    const stream = await live.open(request, reply, (features) => {
      if (features.some((feature) => SHOWN.includes(feature))) void update();
    });
    if (!stream) return reply;
    const { send, end } = stream;
    if (lastId === undefined) sendEvent('started', { taskId: id }, progressId(sent));
    await update();
    return reply;

    function sendEvent(event: string, data: unknown, eventId: string) {
      const text = `id: ${eventId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      send(text, BUFFERED_BYTES_MAX);
    }

    /** One read at a time; what changes during a read is read again. */
    async function update() {
      hasChanged = true;
      if (isUpdating) return;
      isUpdating = true;
      try {
        while (hasChanged && stream?.isOpen) {
          hasChanged = false;
          const { body } = await read().then((found) =>
            isRefusal(found) ? { body: null } : found,
          );
          if (body === null) return end();
          show(JSON.parse(body));
        }
      } catch (error) {
        // The caller can resume it.
        context.settings.log.warn('a stream of a task was lost', errorFields(error));
        end();
      } finally {
        isUpdating = false;
      }
    }

    function show(task: TaskDetail) {
      for (const { event, data, sent: now } of progressSince(sent, task)) {
        sendEvent(event, data, progressId(now));
        sent = now;
      }
      if (isOpenStatus(task.status)) return;
      // The charge follows the success. It may never come: the reservation may have expired before.
      if (task.status === 'success' && !task.charge && !isOverdue) {
        overdue ??= setTimeout(() => {
          isOverdue = true;
          void update();
        }, CHARGE_MS_MAX);
        return;
      }
      clearTimeout(overdue);
      sendEvent('reply', resultOf(task), progressId(sent));
      end();
    }
  });
}

function wrongLastId() {
  const message = 'Must be the id of an event of this stream';
  const errors = [{ path: 'Last-Event-ID', message }];
  return ValidationFailed({ summary: `Last-Event-ID: ${message}.` }, errors);
}

function resultOf(task: TaskDetail): ExecutionResult {
  // A cancelled task has no row for the sentence.
  const cancelled = task.status === 'cancelled' ? WorkCancelled({}) : null;
  return {
    taskId: task.id,
    success: task.status === 'success',
    output: task.output,
    error: cancelled?.text ?? task.errorMessage,
    errorCode: cancelled?.code ?? task.errorCode,
    errorParams: task.errorParams,
    creditCost: task.creditCost,
    reasoning: task.reasoning,
    executionTimeMs: task.executionTimeMs,
    sources: task.sources,
  };
}
