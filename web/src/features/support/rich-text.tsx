import type { ReactNode } from 'react';
import { Link } from '../../ui/link.tsx';

const MARKS = /\[([^\]]+)\]\(([^)\s]+)\)|`([^`]+)`|\*\*([^*]+)\*\*/g;

/** Our own words with the few marks that they need: `[words](/address)`, `code` and **bold**. */
export function RichText({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    const [all, words, address = '', code, bold] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + all.length;
    const key = match.index;
    if (words) {
      parts.push(
        <Link key={key} to={address} className="text-accent underline underline-offset-4">
          {words}
        </Link>,
      );
    } else if (code) {
      parts.push(
        <code key={key} className="rounded-sm bg-sunken px-1 font-mono text-[0.875em]">
          {code}
        </code>,
      );
    } else {
      parts.push(<strong key={key}>{bold}</strong>);
    }
  }
  return [...parts, text.slice(end)];
}
