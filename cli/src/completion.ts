import { Argument, type Command } from 'commander';
import type { Cli } from './kit/cli.ts';
import { examples } from './kit/options.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The hidden command that the shells call with the words so far; the last one is being typed. */
const ASK = '__complete';

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_tallyhand() {
  local IFS=$'\\n'
  COMPREPLY=($(tallyhand ${ASK} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default 2>/dev/null
}
complete -F _tallyhand tallyhand`,
  zsh: `#compdef tallyhand
_tallyhand() {
  local -a found
  found=(\${(f)"$(tallyhand ${ASK} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _tallyhand tallyhand`,
  // Without a word of its own, fish offers files.
  fish: `function __tallyhand_found
  set -l words (commandline -opc) (commandline -ct)
  set -g __tallyhand_words (tallyhand ${ASK} -- $words[2..-1] 2>/dev/null)
  test (count $__tallyhand_words) -gt 0
end
complete -c tallyhand -f -n __tallyhand_found -a '$__tallyhand_words'`,
};

export function completionCommands(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('print the script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'yours').choices(SHELLS))
    .action((shell: Shell) => cli.terminal.write(`${SCRIPTS[shell]}\n`))
    .addHelpText(
      'after',
      `\nAdd one of these to the shell's start file:
  bash  source <(tallyhand completion bash)
  zsh   source <(tallyhand completion zsh)
  fish  tallyhand completion fish | source
${examples('completion bash')}`,
    );
  program
    .command(ASK, { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      const found = completionsOf(program, words);
      if (found.length > 0) cli.terminal.write(`${found.join('\n')}\n`);
    });
}

/** What the last word may become. Empty where a name or a file is expected. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  let command = program;
  for (const word of before)
    command = innerOf(command).find(({ name }) => name === word)?.inner ?? command;
  const visible = (one: Command) => one.createHelp().visibleOptions(one);
  const options = [...visible(command), ...command.createHelp().visibleGlobalOptions(command)];
  const taking = options.find(({ long, short }) => [long, short].includes(before.at(-1)));
  if (taking && (taking.required || taking.optional))
    return startingWith(taking.argChoices ?? [], typed);
  if (typed.startsWith('-')) {
    return startingWith(options.map(({ long }) => long ?? '').filter(Boolean), typed);
  }
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  return startingWith([...innerOf(command).map(({ name }) => name), ...choices], typed);
}

const innerOf = (command: Command) =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((inner) => ({ name: inner.name(), inner }));

const startingWith = (all: readonly string[], typed: string) =>
  all.filter((one) => one.startsWith(typed));
