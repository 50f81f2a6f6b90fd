/**
 * Kinds of streams that are read for most work and seldom change. The projector announces which of them
 * have changed, so that other processes can use what they have kept.
 */
const FOLLOWED: ReadonlySet<string> = new Set(['agent', 'connection', 'organization']);

export const isFollowed = (stream: string): boolean =>
  FOLLOWED.has(stream.slice(0, stream.indexOf('-')));
