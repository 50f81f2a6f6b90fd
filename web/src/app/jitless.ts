import { config } from 'zod';

// Compiled checks need `new Function`, which the Content-Security-Policy refuses. This module
// is imported before any schema is made.
config({ jitless: true });
