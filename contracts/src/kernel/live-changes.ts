/**
 * How far back a stream of changes starts, in milliseconds: it reports changes since then, so that
 * nothing is missed between a page's first reads and the stream.
 */
export const CHANGES_REACH_BACK_MS = 10_000;
