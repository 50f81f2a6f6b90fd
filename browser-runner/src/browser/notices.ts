import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';

const NOTICES_MAX = 20;
const NOTICE_LENGTH_MAX = 300;

export type Notices = ReturnType<typeof notices>;

/** What happened since the last read; the same sentence once. */
export function notices() {
  const kept = new Map<string, number>();
  return {
    add(sentence: string) {
      const text = cleanText(sentence, NOTICE_LENGTH_MAX);
      if (kept.has(text) || kept.size < NOTICES_MAX) kept.set(text, (kept.get(text) ?? 0) + 1);
    },
    take(): string[] {
      const sentences = [...kept].map(([text, count]) =>
        count > 1 ? `${text} (${count}×)` : text,
      );
      kept.clear();
      return sentences;
    },
  };
}
