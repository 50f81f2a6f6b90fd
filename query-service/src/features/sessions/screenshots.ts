import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { readImage } from '@tallyhand/read-models/features/sessions/sessions.tables';
import { type ZipFile, zipOf } from '@tallyhand/service-kit/zip';
import type { Call } from '../../kernel/route.ts';

type Reader = Pick<Call<unknown, unknown>, 'read'>;

/** What is known of a session, or a part of it, with its steps last. */
export type WithSteps = { readonly steps: readonly SessionStep[] };

/** An image of the caller's organization as base64; null where there is none. */
export async function imageOf({ read }: Reader, hash: string): Promise<string | null | Refusal> {
  const result = await read(readImage, { hash });
  if (isRefusal(result)) return result;
  const found = JSON.parse(result.body ?? 'null') as { readonly content: string } | null;
  return found?.content ?? null;
}

/** A step's images as base64. Each checks the sign-in again; those that are gone are left out. */
async function imagesOf(call: Reader, { metadata }: SessionStep): Promise<string[]> {
  const images: string[] = [];
  for (const url of metadata.screenshotUrls) {
    const image = await imageOf(call, url.slice(url.lastIndexOf('/') + 1));
    // The answer has begun: all that can be done is to break it off.
    if (isRefusal(image)) throw new Error(`An answer ended early: ${image.code}`);
    if (image !== null) images.push(image);
  }
  return images;
}

/** JSON with the images in it, step by step: all of them at once may be more than fits. */
export async function* jsonWithImages(call: Reader, found: WithSteps): AsyncGenerator<string> {
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

/**
 * The session as an archive: its images by the number of their step, then the JSON, which names
 * those that there were.
 */
export const archiveOf = (call: Reader, found: WithSteps) => zipOf(filesOf(call, found));

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
