import { start } from '@tallyhand/projector/start';
import { jsonLog } from '@tallyhand/service-kit/log';

/** The product's projector in a process of its own. */
await start({ ...JSON.parse(process.argv[2] ?? '{}'), log: jsonLog('bench', 'warn') });
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
