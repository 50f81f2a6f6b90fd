import {
  changeNotificationPreferences,
  countUnreadNotifications,
  getNotificationPreferences,
  listNotifications,
  markNotificationsRead,
  type Notification,
  type NotificationPreferences,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { api } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';
import { inPages, type ListPage, pageAt } from '../../app/pages.ts';

const PAGE_LENGTH = 20;

const notificationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listNotifications: build.infiniteQuery<ListPage<Notification>, void, string | null>({
      query: ({ pageParam }) => call(listNotifications, { query: pageAt(PAGE_LENGTH, pageParam) }),
      ...inPages<Notification>(),
      providesTags: ['notifications'],
    }),
    /** As many as have just come. */
    newestNotifications: build.query<Notification[], number>({
      query: (limit) => call(listNotifications, { query: { limit } }),
    }),
    countUnreadNotifications: build.query<{ count: number }, void>({
      query: () => call(countUnreadNotifications),
      providesTags: ['notifications'],
    }),
    markNotificationsRead: build.mutation<null, BodyOf<typeof markNotificationsRead>>({
      query: (body) => call(markNotificationsRead, { body }),
      invalidatesTags: ['notifications'],
    }),
    getNotificationPreferences: build.query<NotificationPreferences, void>({
      query: () => call(getNotificationPreferences),
      providesTags: ['notifications'],
    }),
    changeNotificationPreferences: build.mutation<
      NotificationPreferences,
      Partial<NotificationPreferences>
    >({
      query: (body) => call(changeNotificationPreferences, { body }),
      invalidatesTags: ['notifications'],
      /** The switch moves at once, and back where it was not saved. */
      async onQueryStarted(change, { dispatch, queryFulfilled }) {
        const moved = dispatch(
          notificationsApi.util.updateQueryData('getNotificationPreferences', undefined, (now) => {
            Object.assign(now, change);
          }),
        );
        await queryFulfilled.catch(moved.undo);
      },
    }),
  }),
});

export const {
  useListNotificationsInfiniteQuery,
  useLazyNewestNotificationsQuery,
  useCountUnreadNotificationsQuery,
  useMarkNotificationsReadMutation,
  useGetNotificationPreferencesQuery,
  useChangeNotificationPreferencesMutation,
} = notificationsApi;
