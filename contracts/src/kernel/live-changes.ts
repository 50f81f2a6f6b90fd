/**
 * How far back a stream of changes reaches when it opens: it names what has changed since then, so
 * that nothing is missed between a page's first reads and the stream. In milliseconds.
 */
export const CHANGES_REACH_BACK_MS = 10_000;
