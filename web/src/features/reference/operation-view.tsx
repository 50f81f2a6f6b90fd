import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';
import type { Operation } from './document.ts';
import { OperationDetails } from './operation-details.tsx';

const tones: Record<Operation['method'], Tone> = {
  get: 'info',
  post: 'success',
  put: 'warning',
  delete: 'danger',
};

/** Opened by the address that names it; what is inside is made when it is first opened. */
export function Unfolding({
  id,
  heading,
  children,
}: {
  id: string;
  heading: ReactNode;
  children: () => ReactNode;
}) {
  const ref = useRef<HTMLDetailsElement>(null);
  const [isOpened, setOpened] = useState(false);
  useEffect(() => {
    const follow = () => {
      if (window.location.hash !== `#${id}` || !ref.current) return;
      ref.current.open = true;
      ref.current.scrollIntoView();
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [id]);
  return (
    <details
      id={id}
      ref={ref}
      onToggle={({ currentTarget }) => setOpened((before) => before || currentTarget.open)}
      className="scroll-mt-20 border-b border-line last:border-0"
    >
      <summary className="cursor-pointer rounded-sm py-3">
        <h3 className="inline-flex w-[calc(100%-1.5rem)] flex-wrap items-center gap-x-3 gap-y-1 align-middle">
          {heading}
        </h3>
      </summary>
      {isOpened && <div className="flex flex-col gap-6 pt-1 pb-8">{children()}</div>}
    </details>
  );
}

type OperationViewProps = { operation: Operation; apiKey: string; onKey: (key: string) => void };

export function OperationView({ operation, apiKey, onKey }: OperationViewProps) {
  const { method, path, summary, operationId } = operation;
  return (
    <Unfolding
      id={operationId}
      heading={
        <>
          <Badge tone={tones[method]} className="w-16 justify-center font-mono">
            {method.toUpperCase()}
          </Badge>
          <code className="min-w-0 font-mono text-sm font-normal break-all">{path}</code>
          <span className="w-full text-sm font-medium sm:ml-auto sm:w-auto">{summary}</span>
        </>
      }
    >
      {() => <OperationDetails operation={operation} apiKey={apiKey} onKey={onKey} />}
    </Unfolding>
  );
}
