import {
  ChatReply,
  ReplyBegun,
  ReplyPiece,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { createParser } from 'eventsource-parser';
import type { Call } from '../../app/base-query.ts';
import { endedSignIn } from '../../app/ended-sign-in.ts';
import { lostAnswers } from '../../app/lost-answers.ts';
import { type CallProblem, networkProblem, problemOf } from '../../app/problem.ts';
import { inTrace } from '../../app/trace.ts';

export type ReplyListener = {
  /** The message is kept and is being answered. */
  onStarted(begun: ReplyBegun): void;
  onText(piece: string): void;
};

export type ReplyOutcome = { readonly reply: ChatReply } | { readonly problem: CallProblem };

/** Asks for a reply and hears it as it is written. Aborting it stops the agent. */
export async function askForReply(
  request: Call,
  listener: ReplyListener,
  signal: AbortSignal,
): Promise<ReplyOutcome> {
  const keyed = lostAnswers.withKey(request);
  let isTaken = false;
  const heard: ReplyListener = {
    ...listener,
    onStarted(begun) {
      isTaken = true;
      listener.onStarted(begun);
    },
  };
  const first = await ask(keyed, heard, signal);
  const isRefused = 'problem' in first && first.problem.code === NotSignedIn.code;
  // As other calls are: nothing came of it before.
  const goesOn = isRefused && (await endedSignIn.askAgain());
  const outcome = goesOn ? await ask(keyed, heard, signal) : first;
  // A message that is known to be kept, or was taken back, may be said again.
  if ('problem' in outcome && !isTaken && !signal.aborted)
    lostAnswers.ended(keyed, outcome.problem);
  return outcome;
}

async function ask(
  { method, path, body, idempotencyKey }: Call,
  listener: ReplyListener,
  signal: AbortSignal,
): Promise<ReplyOutcome> {
  try {
    const response = await inTrace(method, (traceparent) =>
      fetch(path, {
        method,
        signal,
        credentials: 'same-origin',
        headers: {
          Accept: 'text/event-stream',
          Traceparent: traceparent,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    if (!response.ok || !response.body) {
      const told: unknown = await response.json().catch(() => null);
      const correlationId = response.headers.get('Tallyhand-Correlation-Id') ?? undefined;
      return { problem: problemOf(response.status, told, correlationId) };
    }
    return await listen(response.body, listener);
  } catch {
    return { problem: networkProblem() };
  }
}

/** A stream that breaks off is a lost connection, whatever was heard of it. */
async function listen(
  stream: ReadableStream<Uint8Array>,
  { onStarted, onText }: ReplyListener,
): Promise<ReplyOutcome> {
  let outcome: ReplyOutcome | undefined;
  const parser = createParser({
    onEvent({ event, data }) {
      const told: unknown = JSON.parse(data);
      if (event === 'started') onStarted(ReplyBegun.parse(told));
      if (event === 'text') onText(ReplyPiece.parse(told).piece);
      if (event === 'reply') outcome = { reply: ChatReply.parse(told) };
      if (event === 'failed') outcome = { problem: failureOf(told) };
    },
  });
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parser.feed(decoder.decode(next.value, { stream: true }));
  }
  return outcome ?? { problem: networkProblem() };
}

const failureOf = (told: unknown) => {
  const status = (told as { status?: unknown } | null)?.status;
  return problemOf(typeof status === 'number' ? status : 500, told);
};
