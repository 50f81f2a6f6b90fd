import { runBackupCommand } from './operator/backup-command.ts';
import { runConfigCommand } from './operator/with-config.ts';

await runConfigCommand(runBackupCommand);
