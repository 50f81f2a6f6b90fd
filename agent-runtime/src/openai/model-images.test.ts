import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import { describe, expect, it } from 'vitest';
import { takesNoImages } from './model-images.ts';

describe('the models that take no images', () => {
  it.each(
    [
      'gpt-3.5-turbo gpt-4-0613 o3-mini deepseek-chat deepseek-reasoner llama3 llama3.1 llama3.1:8b',
      'llama3.2 llama3.2:3b llama3.3 llama-3.3-70b-versatile llama-3.1-8b-instant qwen2.5 qwen2.5:7b',
      'grok-3-mini meta-llama/Llama-3.3-70B-Instruct-Turbo mixtral-8x7b-32768 phi3 gemma2:9b',
    ].flatMap((line) => line.split(' ')),
  )('are known by their names: %s', (model) => expect(takesNoImages(model)).toBe(true));

  it.each(
    [
      'gpt-4o-mini gpt-4.1 gpt-4-turbo gpt-5 o4-mini claude-sonnet-4-5 gemini-2.5-flash llava grok-4',
      'mistral-small-latest pixtral-12b llama3.2-vision llama-3.2-90b-vision-preview qwen2.5vl:7b',
      'Qwen2.5-VL-7B-Instruct meta-llama/llama-4-scout gemma3 phi-4-multimodal-instruct our-own',
    ].flatMap((line) => line.split(' ')),
  )('are not those that see, nor unknown ones: %s', (model) =>
    expect(takesNoImages(model)).toBe(false),
  );

  it('include no proposed model that sees', () => {
    const proposed = Object.values(MODEL_PROVIDERS).flatMap(({ models }) => [...models]);
    expect(proposed.filter(takesNoImages).toSorted()).toEqual([
      'deepseek-chat',
      'deepseek-reasoner',
      'grok-3-mini',
      'llama-3.1-8b-instant',
      'llama-3.3-70b-versatile',
      'llama3.2',
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      'qwen2.5',
    ]);
  });
});
