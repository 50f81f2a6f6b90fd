import { type LucideIcon, Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { IconInput } from '../../ui/input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { matchingArticles } from '../knowledge/matching-articles.ts';

/** Something that can be assigned. */
export type Resource = { id: string; title: string; tags: readonly string[]; note?: string };

const TAGS_SHOWN = 2;
/** With more of them one can search. */
const SEARCHED_FROM = 9;

export type ResourcePickerProps = {
  /** What the list holds, for a screen reader. */
  label: string;
  resources: readonly Resource[];
  chosen: readonly string[];
  choose: (ids: string[]) => void;
  empty: { icon: LucideIcon; title: string; description: string; to: string };
};

/** Resources of one kind, each to be ticked. */
export function ResourcePicker({ label, resources, chosen, choose, empty }: ResourcePickerProps) {
  const { t } = useTranslation('agents');
  const [query, setQuery] = useState('');
  if (resources.length === 0) {
    return (
      <EmptyState
        icon={empty.icon}
        title={empty.title}
        description={empty.description}
        action={
          <ButtonLink>
            <Link to={empty.to}>{t('assign.emptyAction')}</Link>
          </ButtonLink>
        }
      />
    );
  }
  const found = matchingArticles(resources, query);
  return (
    <>
      {resources.length >= SEARCHED_FROM && (
        <IconInput
          icon={Search}
          type="search"
          className="mb-2"
          aria-label={t('assign.search')}
          placeholder={t('assign.search')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      {found.length === 0 && (
        <EmptyState
          icon={Search}
          title={t('assign.noMatch')}
          description={t('assign.noMatchHint')}
        />
      )}
      <ul aria-label={label} className="flex flex-col divide-y divide-line">
        {found.map((resource) => (
          <li key={resource.id} className="py-2 first:pt-0">
            <Checkbox
              label={resource.title}
              help={hasHints(resource) && <Hints resource={resource} />}
              checked={chosen.includes(resource.id)}
              onCheckedChange={(on) =>
                choose(on ? [...chosen, resource.id] : chosen.filter((id) => id !== resource.id))
              }
            />
          </li>
        ))}
      </ul>
    </>
  );
}

const hasHints = ({ tags, note }: Resource) => tags.length > 0 || note !== undefined;

function Hints({ resource: { tags, note } }: { resource: Resource }) {
  return (
    <span className="mt-1 flex flex-wrap items-center gap-1">
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <Badge key={tag}>
          <span className="truncate">{tag}</span>
        </Badge>
      ))}
      {note}
    </span>
  );
}
