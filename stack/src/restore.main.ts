import { runRestoreCommand } from './operator/restore-command.ts';
import { runConfigCommand } from './operator/with-config.ts';

await runConfigCommand(runRestoreCommand);
