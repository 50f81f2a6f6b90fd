import {
  openTicket,
  sendContactMessage,
} from '@tallyhand/contracts/features/support/support.endpoints';
import { address, emailRule, type Form, text } from './form-rules.ts';

/** The rules and messages of the forms that lead to support. */
export const supportForms: Record<string, Form> = {
  'landing contact': {
    endpoint: sendContactMessage,
    statuses: [201],
    base: () => ({ name: 'Ada', email: address(), message: 'Hello' }),
    rules: [
      {
        path: 'name',
        message: 'Please enter your name',
        right: [{ name: 'x' }],
        wrong: [{ name: '' }, { name: '  ' }, { name: undefined }],
      },
      emailRule,
      {
        path: 'company',
        message: 'Company must be at most 200 characters',
        right: [{ company: '' }, { company: text(200) }, { company: undefined }],
        wrong: [{ company: text(201) }],
      },
      {
        path: 'message',
        message: 'Please enter a message',
        right: [{ message: 'x' }, { message: text(5_000) }],
        wrong: [{ message: '' }, { message: ' \n ' }, { message: undefined }],
      },
      {
        path: 'message',
        message: 'Message must be at most 5000 characters',
        right: [],
        wrong: [{ message: text(5_001) }],
      },
    ],
  },
  'support ticket': {
    endpoint: openTicket,
    statuses: [201],
    base: () => ({ name: 'Ada', email: address(), subject: 'Question', message: text(20) }),
    rules: [
      {
        path: 'name',
        message: 'Name must be at least 2 characters',
        right: [{ name: 'xy' }],
        wrong: [{ name: 'x' }, { name: ' x ' }, { name: undefined }],
      },
      emailRule,
      {
        path: 'subject',
        message: 'Subject must be at least 5 characters',
        right: [{ subject: text(5) }, { subject: text(200) }],
        wrong: [{ subject: text(4) }, { subject: `${text(4)}  ` }, { subject: undefined }],
      },
      {
        path: 'message',
        message: 'Message must be at least 20 characters',
        right: [{ message: text(5_000) }],
        wrong: [{ message: text(19) }, { message: undefined }],
      },
      {
        path: 'priority',
        message: 'Priority must be one of low, medium, high, urgent',
        right: ['low', 'medium', 'high', 'urgent', undefined].map((priority) => ({ priority })),
        wrong: [{ priority: 'Low' }, { priority: '' }],
      },
      {
        path: 'category',
        message: 'Category must be one of general, technical, billing, feature_request, bug_report',
        right: ['general', 'technical', 'billing', 'feature_request', 'bug_report', undefined].map(
          (category) => ({ category }),
        ),
        wrong: [{ category: 'sales' }, { category: '' }],
      },
    ],
  },
};
