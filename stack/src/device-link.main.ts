import { ACCOUNT_LINK_USAGE, accountLinkCommand } from './operator/account-link-command.ts';
import { runKitCommand } from './operator/with-kit.ts';

await runKitCommand(ACCOUNT_LINK_USAGE.device, accountLinkCommand('device'));
