import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { useTranslation } from 'react-i18next';

/** The window of a session's browser; keeps the place while a picture comes. */
export const PICTURE_WIDTH = 1280;
export const PICTURE_HEIGHT = 800;

/** The page as it was after a step. */
export function StepPicture({ step }: { step: SessionStep }) {
  const { t } = useTranslation('sessions');
  const [url] = step.metadata.screenshotUrls;
  if (!url) {
    return (
      <p className="flex aspect-video items-center justify-center rounded-lg border border-line bg-sunken px-4 text-center text-muted">
        {t('activity.noPicture')}
      </p>
    );
  }
  return (
    <img
      src={url}
      alt={t('picture.alt', { number: step.stepNumber })}
      width={PICTURE_WIDTH}
      height={PICTURE_HEIGHT}
      className="h-auto w-full rounded-lg border border-line bg-sunken"
    />
  );
}
