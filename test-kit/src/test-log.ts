import { jsonLog, type Log } from '@tallyhand/service-kit/log';

const counted = jsonLog('test', 'silent');

/** Errors go to the console, which a run shows only of tests that fail. */
export const testLog: Log = {
  info: counted.info,
  warn: counted.warn,
  error(message, fields) {
    counted.error(message, fields);
    console.error(message, fields);
  },
};
