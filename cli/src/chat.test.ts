import { PassThrough } from 'node:stream';
import type { Tallyhand } from '@tallyhand/client';
import { expect, it } from 'vitest';
import { Talk } from './chat.ts';
import { Cli } from './kit/cli.ts';
import { Terminal } from './kit/terminal.ts';

it('says every line of an input that ended before the first reply was written', async () => {
  const stdin = new PassThrough();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const cli = new Cli(new Terminal({ stdin, stdout, stderr }, {}), {});
  const said: string[] = [];
  const agents = {
    async *chatStream(_: string, { message }: { message: string }) {
      said.push(message);
      if (!stdin.closed) await new Promise((resolve) => stdin.once('close', resolve));
      yield { event: 'started', data: { conversationId: 'the conversation' } };
    },
  };
  stdin.end('first\n\nsecond\nthird\n');
  await new Talk(cli, { agents } as unknown as Tallyhand, 'an agent', undefined).read();
  expect(said).toEqual(['first', 'second', 'third']);
});
