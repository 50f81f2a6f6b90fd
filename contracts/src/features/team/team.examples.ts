import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as team from './team.endpoints.ts';

export const teamExamples: AnswerExamples<typeof team> = {
  getInvitationByToken: {
    organizationName: 'Harbour Goods',
    role: 'Editor',
  },
  MemberState: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    role: 'Editor',
    status: 'active',
  },
  IssuedInvitation: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    email: 'grace@example.com',
    role: 'Viewer',
    token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
    url: 'https://tallyhand.example/auth?invite=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
    expiresAt: '2027-02-07T09:30:00.000Z',
    delivery: 'link',
  },
  Invitation: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    email: 'grace@example.com',
    role: 'Editor',
    status: 'pending',
    createdAt: '2027-01-31T09:30:00.000Z',
    expiresAt: '2027-02-07T09:30:00.000Z',
    resent: 0,
    delivery: 'mail',
    mail: {
      state: 'sent',
      error: null,
    },
  },
  Member: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    username: 'Ada Lovelace',
    email: 'ada@example.com',
    role: 'Admin',
    status: 'active',
    lastActive: '2027-01-31T09:30:01.238Z',
    createdAt: '2027-01-31T09:30:00.000Z',
  },
  OutgoingMail: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    kind: 'invitation',
    state: 'sent',
    tries: 1,
    error: null,
    createdAt: '2027-01-31T09:30:00.000Z',
    endedAt: '2027-01-31T09:30:00.119Z',
    to: 'grace@example.com',
    subject: 'Join Harbour Goods on Tallyhand',
    text: 'You’ve been invited to join Harbour Goods on Tallyhand as an Editor.',
  },
  InvitationLink: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    role: 'Viewer',
    uses: 0,
    token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
    url: 'https://tallyhand.example/auth?invite=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
    expiresAt: '2027-02-07T09:30:00.000Z',
  },
  getInvitationLink: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    role: 'Viewer',
    uses: 0,
    token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
    url: 'https://tallyhand.example/auth?invite=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkzYTFiMiJ9.c2lnbmF0dXJl',
    expiresAt: '2027-02-07T09:30:00.000Z',
  },
};
