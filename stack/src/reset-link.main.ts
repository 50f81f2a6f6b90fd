import { RESET_LINK_USAGE, runResetLinkCommand } from './operator/reset-link-command.ts';
import { runKitCommand } from './operator/with-kit.ts';

await runKitCommand(RESET_LINK_USAGE, runResetLinkCommand);
