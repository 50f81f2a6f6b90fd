import { runOperatorCommand } from './operator/main.ts';
import { runRebuildCommand } from './operator/rebuild-command.ts';

await runOperatorCommand((args, { pool }) =>
  runRebuildCommand(args, pool, (line) => console.log(line)),
);
