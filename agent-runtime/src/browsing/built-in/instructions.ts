/** Text on a page that gives orders to a machine; it tells a person nothing. */
const INSTRUCTION =
  /\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instructions?|previous|prior|rules|prompts?|above)\b|^\W*(?:system|assistant|developer|admin(?:istrator)?|user)\s*[:,]|\byou are (?:now|an? (?:ai|assistant|language model))\b|\b(?:system prompt|language model|ai (?:agent|assistant))s?\b|\bignorier\w*\b.{0,60}\banweisung|\bignore[rz]?\b.{0,60}\binstructions\b/i;

/** Whether a text tries to instruct a machine that reads it. */
export const isInstruction = (text: string): boolean => INSTRUCTION.test(text);
