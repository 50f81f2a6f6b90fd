import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useDispatch } from 'react-redux';
import { api } from '../../app/api.ts';
import { type LiveSocket, openLiveSocket } from './live-socket.ts';
import { type LiveView, NOTHING_SEEN } from './live-view.ts';

/** What the browser of a session shows now, and the way to what a person does in it. */
export function useLiveView(sessionId: string) {
  const [view, setView] = useState<LiveView>(NOTHING_SEEN);
  const socket = useRef<LiveSocket>(undefined);
  const dispatch = useDispatch();
  useEffect(() => {
    setView(NOTHING_SEEN);
    const own = openLiveSocket(sessionId, setView);
    socket.current = own;
    return () => own.close();
  }, [sessionId]);
  const { status, control } = view;
  useEffect(() => {
    // Who steers and how it ends is known here before the next look at the list.
    if (status && control) dispatch(api.util.invalidateTags(['sessions']));
  }, [status, control, dispatch]);
  const send = useCallback((input: LiveInput) => socket.current?.send(input) ?? false, []);
  return { view, send };
}

/** The present moment in milliseconds, told each second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
