import * as timestamps from '@tallyhand/service-kit/timestamps/timestamps';

/* A script by itself, so that the page runs it only where time-stamps are verified. */

Object.assign(globalThis, { tallyhandTimestamps: timestamps });
