import {
  configureStore,
  isRejectedWithValue,
  type Middleware,
  type UnknownAction,
} from '@reduxjs/toolkit';
import { api } from './api.ts';
import { asProblem } from './problem.ts';

/** A sign-in that ended elsewhere shows at any call: then the current user is asked for anew. */
const noticeEndedSignIn: Middleware = (store) => (next) => (action) => {
  const result = next(action);
  if (isRejectedWithValue(action) && asProblem(action.payload).code === 'not-signed-in') {
    const { endpointName } = action.meta.arg as { endpointName?: string };
    if (endpointName !== 'getCurrentUser') {
      store.dispatch(api.util.invalidateTags(['identity']) as unknown as UnknownAction);
    }
  }
  return result;
};

export const store = configureStore({
  reducer: { [api.reducerPath]: api.reducer },
  middleware: (defaults) => defaults().concat(api.middleware, noticeEndedSignIn),
});
