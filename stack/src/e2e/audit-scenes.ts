import { exported, exporting, publishing, refusedReceiver, streaming } from './audit-acts.ts';
import { refused, type Scene } from './scene.ts';
import { press } from './steps.ts';

export const auditScenes: readonly Scene[] = [
  { name: 'audit-exported', as: 'admin', path: '/audit?kind=agent&exports=open', act: exported },
  {
    name: 'audit-publishing',
    as: 'admin',
    path: '/audit?exports=open',
    act: publishing,
  },
  { name: 'audit-streamed', as: 'admin', path: '/audit?exports=open', act: streaming(false) },
  { name: 'audit-stream-failing', as: 'admin', path: '/audit?exports=open', act: streaming(true) },
  {
    name: 'audit-stream-refused',
    as: 'admin',
    path: '/audit?exports=open',
    act: refusedReceiver,
  },
  { name: 'audit-exporting', as: 'admin', path: '/audit?exports=open', act: exporting },
  { name: 'audit', as: 'admin', path: '/audit' },
  {
    name: 'audit-changed',
    as: 'admin',
    path: '/audit?kind=AgentResourcesAssigned',
    act: (page) => press(page, /^View /),
  },
  {
    name: 'audit-task',
    as: 'admin',
    path: '/audit?kind=TaskSucceeded',
    act: (page) => press(page, /^View /),
  },
  { name: 'audit-new', as: 'newcomer', path: '/audit' },
  { name: 'audit-no-match', as: 'admin', path: '/audit?q=zebra' },
  { name: 'audit-error', as: 'admin', path: '/audit', act: refused('**/api/audit?*') },
  { name: 'histories', as: 'admin', path: '/histories' },
  { name: 'verify', as: 'visitor', path: '/verify' },
  { name: 'audit-restricted', as: 'viewer', path: '/audit' },
];
