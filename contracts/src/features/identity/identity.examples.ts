import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as account from './account.endpoints.ts';
import type * as identity from './identity.endpoints.ts';

const user: identity.CurrentUser = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  username: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'Admin',
  lastDay: null,
  organization: {
    id: '0193a1b2-0000-7000-8000-000000000002',
    name: 'Harbour Goods',
    creditBalance: 100,
  },
};

export const identityExamples: AnswerExamples<typeof identity & typeof account> = {
  beginSecondFactor: {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Tallyhand%3Aada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Tallyhand',
  },
  changePassword: {
    warning: null,
  },
  checkPassword: {
    warning: 'common-password',
  },
  confirmSecondFactor: {
    recoveryCodes: ['txxpa-zg536', '3m2kt-rbras'],
  },
  resetPassword: {
    warning: null,
  },
  SecondFactor: {
    enabledAt: '2027-01-31T09:30:00.000Z',
    recoveryCodesLeft: 8,
  },
  SignInRecord: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    at: '2027-01-31T09:30:00.000Z',
    kind: 'signed-out',
    reason: 'by-person',
    address: '203.0.113.7',
    count: 1,
    device: {
      browser: 'Firefox',
      system: 'Linux',
    },
  },
  SignIn: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    address: '198.51.100.7',
    startedAt: '2027-01-31T09:30:00.000Z',
    lastSeenAt: '2027-01-31T09:30:00.000Z',
    isCurrent: false,
    device: {
      browser: 'Firefox',
      system: 'Linux',
    },
  },
  CurrentUser: user,
  registerUser: { user, warning: null },
  signIn: { user },
};
