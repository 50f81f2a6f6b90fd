import {
  changeNotificationPreferences,
  countUnreadNotifications,
  getNotificationPreferences,
  listNotifications,
  markNotificationsRead,
} from '@tallyhand/contracts/features/notifications/notifications.endpoints';
import { AHEAD, api, change, read } from '../../app/api.ts';
import { readPages } from '../../app/pages.ts';

const PAGE_LENGTH = 20;

const notificationsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listNotifications: build.infiniteQuery(
      readPages(listNotifications, PAGE_LENGTH, ['notifications']),
    ),
    /** As many as have just come. */
    newestNotifications: build.query(read(listNotifications)),
    countUnreadNotifications: build.query(read(countUnreadNotifications, ['notifications'])),
    markNotificationsRead: build.mutation(change(markNotificationsRead, ['notifications'])),
    getNotificationPreferences: build.query(read(getNotificationPreferences, ['notifications'])),
    changeNotificationPreferences: build.mutation({
      ...change(changeNotificationPreferences, ['notifications']),
      /** The switch moves at once, and back where it was not saved. */
      async onQueryStarted(changed, { dispatch, queryFulfilled }) {
        const moved = dispatch(
          notificationsApi.util.updateQueryData('getNotificationPreferences', undefined, (now) => {
            Object.assign(now, changed);
          }),
        );
        await queryFulfilled.catch(moved.undo);
      },
    }),
  }),
});

export const askForUnread = () =>
  notificationsApi.endpoints.countUnreadNotifications.initiate(undefined, AHEAD);

export const {
  useListNotificationsInfiniteQuery,
  useLazyNewestNotificationsQuery,
  useCountUnreadNotificationsQuery,
  useMarkNotificationsReadMutation,
  useGetNotificationPreferencesQuery,
  useChangeNotificationPreferencesMutation,
} = notificationsApi;
