import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { runEventsCommand } from './operator/events-command.ts';
import { runOperatorCommand } from './operator/main.ts';

await runOperatorCommand(async (args, { pool, eventStoreUrl }) => {
  const eventLog = openEventLog(eventStoreUrl);
  try {
    const { lines, isWell } = await runEventsCommand(args, { pool, eventLog });
    console.log(lines.join('\n'));
    return isWell;
  } finally {
    await eventLog.close();
  }
});
