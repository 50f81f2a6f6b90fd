import { ModelTakesNoImages } from '@tallyhand/contracts/features/attachments/attachments.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

/** The refusal of images, which names their field. */
export function noImages(model: string): Refusal {
  const refused = ModelTakesNoImages({ model });
  return { ...refused, errors: [{ path: 'attachments', message: refused.detail }] };
}
