import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { runEventsCommand } from './operator/events-command.ts';
import { runOperatorCommand } from './operator/main.ts';

await runOperatorCommand(async (args, { pool, eventStoreReaderUrl }) => {
  const eventLog = openEventLog(eventStoreReaderUrl);
  try {
    const { lines, isWell } = await runEventsCommand(args, { pool, eventLog });
    console.log(lines.join('\n'));
    return isWell;
  } finally {
    await eventLog.close();
  }
});
