import { runMoveCommand } from './operator/move-command.ts';
import { runConfigCommand } from './operator/with-config.ts';

await runConfigCommand(runMoveCommand);
