import { AnswerTooLarge } from './failures.ts';

const answerBytesMax = 4_000_000;

/** The platform's fetch, with an end to what an endpoint can make us read. */
export async function limitedFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null || isKnownToFit(response)) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > answerBytesMax) controller.error(new AnswerTooLarge());
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

/** No more is read than the length that is told, unless it is that of something compressed. */
function isKnownToFit({ headers }: Response): boolean {
  const length = headers.get('content-length');
  if (length === null || headers.has('content-encoding')) return false;
  return Number(length) <= answerBytesMax;
}
