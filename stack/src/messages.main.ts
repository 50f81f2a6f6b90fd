import { MESSAGES_USAGE, runMessagesCommand } from './operator/messages-command.ts';
import { runKitCommand } from './operator/with-kit.ts';

await runKitCommand(MESSAGES_USAGE, runMessagesCommand);
