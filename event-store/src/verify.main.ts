import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { databasePath } from './storage/database.ts';
import { messageOf } from './storage/faults.ts';
import { verifyStore } from './storage/verify.ts';

/**
 * node src/verify.main.ts --data DIR: exit code 0 when all is whole, 1 with the first damaged
 * position.
 */
try {
  const { values } = parseArgs({ options: { data: { type: 'string' } } });
  if (values.data === undefined) throw new Error('--data DIR is missing');
  if (!existsSync(databasePath(values.data)))
    throw new Error(`${values.data} holds no event store`);
  const { events, streams } = verifyStore(values.data);
  console.log(`event store is whole: ${events} events in ${streams} streams`);
} catch (error) {
  console.error(`event store: ${messageOf(error)}`);
  process.exit(1);
}
