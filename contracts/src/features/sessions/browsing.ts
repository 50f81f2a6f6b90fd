import { z } from 'zod';

/** `uncertain`: pages were read, but what they say may not answer the goal. */
export const FINISH_RESULTS = ['reached', 'uncertain', 'not-reached'] as const;
export type FinishResult = (typeof FINISH_RESULTS)[number];

const Ref = z.string().max(100);

/** The next step of a session. References are those of the latest page. */
export const BrowsingAction = z.discriminatedUnion('type', [
  z.object({ type: z.literal('open'), url: z.string() }),
  z.object({ type: z.literal('click'), ref: Ref }),
  /** `submit`: presses Enter afterwards. */
  z.object({ type: z.literal('type'), ref: Ref, text: z.string(), submit: z.boolean() }),
  z.object({ type: z.literal('select'), ref: Ref, option: z.string() }),
  z.object({ type: z.literal('scroll'), direction: z.enum(['up', 'down']) }),
  z.object({ type: z.literal('back') }),
  /** Reads the whole page's text; `about` says what for. */
  z.object({ type: z.literal('extract'), about: z.string() }),
  /** Finds words on the page, with the text around them. */
  z.object({ type: z.literal('search'), words: z.string() }),
  z.object({
    type: z.literal('use_tool'),
    toolId: z.string(),
    operation: z.string(),
    args: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('note'), finding: z.string() }),
  z.object({
    type: z.literal('finish'),
    result: z.enum(FINISH_RESULTS),
    summary: z.string(),
    keyFindings: z.array(z.string()),
    nextSteps: z.array(z.string()),
  }),
]);
export type BrowsingAction = z.infer<typeof BrowsingAction>;

/** The longest outline of a page, in characters; longer ones are cut. */
export const OUTLINE_MAX = 40_000;

/** How much of a page is shown to a model. */
export const SEEN_PAGE_MAX = { url: 2_000, title: 300, notices: 10, notice: 300 };

/** A page as a runner sends it to be planned for. Untrusted text. */
export const SeenPage = z.strictObject({
  url: z.string().max(SEEN_PAGE_MAX.url),
  title: z.string().max(SEEN_PAGE_MAX.title),
  outline: z.string().max(OUTLINE_MAX),
  /** PNG as base64. */
  screenshot: z.string().max(2_800_000).nullable(),
  notices: z.array(z.string().max(SEEN_PAGE_MAX.notice)).max(SEEN_PAGE_MAX.notices),
});
