import { api } from '../../app/api.ts';
import {
  type Ask,
  addSample,
  type contentsOf,
  findSample,
  type Piece,
  Refused,
  removeSample,
} from './sample.ts';

const CHANGED = ['agents', 'knowledge', 'playbooks', 'tools', 'organizations', 'audit'] as const;

async function answered<Data>(work: Promise<Data>) {
  try {
    return { data: await work };
  } catch (error) {
    if (error instanceof Refused) return { error: error.problem };
    throw error;
  }
}

type Contents = ReturnType<typeof contentsOf>;

const sampleApi = api.injectEndpoints({
  endpoints: (build) => ({
    findSample: build.query<Piece[], void>({
      queryFn: (_arg, _api, _options, ask) => answered(findSample(ask as Ask)),
      providesTags: ['agents', 'knowledge', 'playbooks', 'tools'],
    }),
    /** Gives the id of the agent. */
    addSample: build.mutation<string, Contents>({
      queryFn: (contents, _api, _options, ask) => answered(addSample(ask as Ask, contents)),
      invalidatesTags: CHANGED,
    }),
    removeSample: build.mutation<null, readonly Piece[]>({
      queryFn: (pieces, _api, _options, ask) => answered(removeSample(ask as Ask, pieces)),
      invalidatesTags: CHANGED,
    }),
  }),
});

export const { useFindSampleQuery, useAddSampleMutation, useRemoveSampleMutation } = sampleApi;
