/** What happens in the film, in this order; each has its caption. */
export const CHAPTERS = ['signUp', 'start', 'article', 'question', 'answer', 'ledger'] as const;
type Chapter = (typeof CHAPTERS)[number];

/** A picture of the film; `startMs` is when it is shown. */
export type Frame = {
  readonly url: string;
  readonly chapter: Chapter;
  readonly startMs: number;
  readonly ms: number;
};

const NAME = /(\d{3})-([A-Za-z]+)-(\d+)\.webp$/;

/** The frames in their order. Files are named `NUMBER-CHAPTER-MILLISECONDS.webp`. */
export function framesOf(files: Readonly<Record<string, string>>): readonly Frame[] {
  let startMs = 0;
  return Object.entries(files)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, url]) => {
      const [, , name, duration] = NAME.exec(file) ?? [];
      const chapter = CHAPTERS.find((each) => each === name);
      if (!chapter) throw new Error(`${file} is no frame of the film`);
      const frame = { url, chapter, startMs, ms: Number(duration) };
      startMs += frame.ms;
      return frame;
    });
}

/** The place of the frame that is shown at this time: the first or the last one outside the film. */
export function placeAt(frames: readonly Frame[], ms: number): number {
  const after = frames.findIndex(({ startMs }) => startMs > ms);
  return after === -1 ? frames.length - 1 : Math.max(after - 1, 0);
}

/** How long the film is, in milliseconds. */
export function lengthOf(frames: readonly Frame[]): number {
  const last = frames.at(-1);
  return last ? last.startMs + last.ms : 0;
}
