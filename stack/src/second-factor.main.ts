import { runSecondFactorCommand, SECOND_FACTOR_USAGE } from './operator/second-factor-command.ts';
import { runKitCommand } from './operator/with-kit.ts';

await runKitCommand(SECOND_FACTOR_USAGE, runSecondFactorCommand);
