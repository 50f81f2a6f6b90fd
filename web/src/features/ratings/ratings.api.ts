import {
  getAgentRatings,
  rateReply,
  rateTask,
} from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import { api, change, read } from '../../app/api.ts';

const ratingsApi = api.injectEndpoints({
  endpoints: (build) => ({
    rateTask: build.mutation(change(rateTask, ['ratings'])),
    rateReply: build.mutation(change(rateReply, ['ratings'])),
    getAgentRatings: build.query(read(getAgentRatings, ['ratings', 'agents', 'chat'])),
  }),
});

export const { useRateTaskMutation, useRateReplyMutation, useGetAgentRatingsQuery } = ratingsApi;
