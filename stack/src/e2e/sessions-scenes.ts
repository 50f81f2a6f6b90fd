import { refused, type Scene, sentEmpty } from './scene.ts';
import {
  allSessions,
  completedSession,
  failedSession,
  liveSession,
  replayedSession,
  sessionDetails,
  startWithoutCredits,
  stepPicture,
  terminateSession,
  waitingSession,
} from './sessions-acts.ts';

export const sessionScenes: readonly Scene[] = [
  { name: 'sessions', as: 'admin', path: '/autonomous', act: allSessions },
  { name: 'sessions-empty', as: 'newcomer', path: '/autonomous' },
  { name: 'sessions-no-match', as: 'admin', path: '/autonomous?status=terminated' },
  {
    name: 'sessions-error',
    as: 'admin',
    path: '/autonomous',
    act: refused('**/api/autonomous/sessions?*'),
  },
  {
    name: 'sessions-start',
    as: 'admin',
    path: '/autonomous',
    act: sentEmpty('Start New Session', 'Start Session'),
  },
  { name: 'sessions-no-credits', as: 'admin', path: '/autonomous', act: startWithoutCredits },
  { name: 'sessions-terminate', as: 'admin', path: '/autonomous', act: terminateSession },
  { name: 'session', as: 'admin', path: '/autonomous', act: sessionDetails },
  { name: 'session-failed', as: 'admin', path: '/autonomous', act: failedSession },
  { name: 'session-waiting', as: 'admin', path: '/autonomous', act: waitingSession },
  { name: 'session-live', as: 'admin', path: '/autonomous', act: liveSession('agent') },
  { name: 'session-steering', as: 'admin', path: '/autonomous', act: liveSession('me') },
  { name: 'session-steered', as: 'admin', path: '/autonomous', act: liveSession('other') },
  { name: 'session-complete', as: 'admin', path: '/autonomous', act: completedSession },
  { name: 'session-picture', as: 'admin', path: '/autonomous', act: stepPicture },
  { name: 'session-replay', as: 'admin', path: '/autonomous', act: replayedSession },
];
