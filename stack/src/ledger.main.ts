import { LEDGER_USAGE, runLedgerCommand } from './operator/ledger-command.ts';
import { runKitCommand } from './operator/with-kit.ts';

await runKitCommand(LEDGER_USAGE, runLedgerCommand);
