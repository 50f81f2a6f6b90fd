const AT_ONCE = 256;

/** What the processes of both sides are asked, each about one stream. */
export type LengthQuestion =
  | { readonly ask: 'fill'; readonly id: string; readonly events: number }
  | { readonly ask: 'length'; readonly id: string }
  | { readonly ask: 'command'; readonly id: string }
  /** Answered when writes have been idle for a moment, and idle-time work is done. */
  | { readonly ask: 'rest'; readonly id: string }
  | { readonly ask: 'connect' };

type Answers = {
  readonly [A in LengthQuestion['ask']]: (
    question: Extract<LengthQuestion, { ask: A }>,
  ) => Promise<unknown>;
};

/** Answers questions in turn, and ends with the process that asks. */
export function answerAll(answers: Answers): void {
  const answer = (question: LengthQuestion): Promise<unknown> => {
    switch (question.ask) {
      case 'fill':
        return answers.fill(question);
      case 'length':
        return answers.length(question);
      case 'command':
        return answers.command(question);
      case 'rest':
        return answers.rest(question);
      case 'connect':
        return answers.connect(question);
    }
  };
  process.on('message', async (question: LengthQuestion) => {
    process.send?.((await answer(question)) ?? null);
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.('ready');
}

/** Milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export async function manyAtOnce(count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
