import type { CutText } from './guest-messages.ts';
import type { ScriptLimits } from './script-run.ts';

/** Takes lines until the first limit; the last one may be cut, and the rest is dropped. */
export function guestLog(
  { logLines, logBytes }: ScriptLimits,
  keep: (line: CutText) => void,
): (text: string) => void {
  let lines = 0;
  let bytesLeft = logBytes;
  return (text) => {
    if (lines >= logLines || bytesLeft <= 0) return;
    const bytes = Buffer.from(text);
    lines += 1;
    bytesLeft -= bytes.length;
    const isCut = bytesLeft < 0;
    keep({ text: isCut ? bytes.toString('utf8', 0, bytes.length + bytesLeft) : text, isCut });
  };
}
