import {
  type Attachment,
  deleteAttachment,
  getAttachmentText,
  uploadAttachment,
} from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import { api, change, read } from '../../app/api.ts';
import { call } from '../../app/base-query.ts';

const attachmentsApi = api.injectEndpoints({
  endpoints: (build) => ({
    uploadAttachment: build.mutation<Attachment, File>({
      query(file) {
        const body = new FormData();
        body.set('file', file);
        return { ...call(uploadAttachment, {}), body };
      },
    }),
    getAttachmentText: build.query(read(getAttachmentText)),
    deleteAttachment: build.mutation(change(deleteAttachment, [])),
  }),
});

export const {
  useUploadAttachmentMutation,
  useGetAttachmentTextQuery,
  useDeleteAttachmentMutation,
} = attachmentsApi;
