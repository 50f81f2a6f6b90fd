/* What timestamps.main.ts has left, which the page puts in front of the worker's script. */

export const { verifyTimestamp, TimestampFault, isCertificate } = (
  globalThis as unknown as {
    tallyhandTimestamps: typeof import('@tallyhand/service-kit/timestamps/timestamps');
  }
).tallyhandTimestamps;
