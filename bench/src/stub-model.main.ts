import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model in a process of its own that says the same at once to everybody. */
const reply = {
  answer: 'Within 30 days of delivery.',
  usedPassages: [1],
  reasoning: 'It says so.',
};
const completion = JSON.stringify({
  id: 'stub',
  object: 'chat.completion',
  created: 0,
  model: 'stub',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: JSON.stringify(reply) },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
});
process.once('disconnect', () => process.exit(0));
